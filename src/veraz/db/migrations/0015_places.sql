-- WHERE IT STANDS: a document's text, stored once. Chunks, quotes and links point into it by character.
create table veraz.document_text (
    tenant_id uuid not null,
    kb_id uuid not null,
    document_id uuid not null,
    machine_id text not null,
    version int not null default 1,
    start_char int not null,
    end_char int not null check (end_char > start_char and end_char - start_char <= 16000),
    text text not null,
    blocks json not null,
    lines json,
    primary key (document_id, version, start_char),
    foreign key (tenant_id, kb_id, document_id, machine_id) references veraz.document (tenant_id, kb_id, id, machine_id)
        on delete cascade on update cascade
);
comment on table veraz.document_text is
    'The text of a document in segments, cut between blocks where one ends near 8,000 characters: in the order of '
    'start_char they are the whole text. A block that is cut stands in every segment it has characters in.';
comment on column veraz.document_text.blocks is 'Its visible pieces with their places, see veraz/text/blocks.py.';
comment on column veraz.document_text.lines is 'Where each line is drawn on its page, in PDF points; apart, as searches do not need it.';
-- Whether links to quotations open without signing in.
alter table veraz.tenant add column links_open boolean not null default false;
