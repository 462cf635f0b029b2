-- REPLACING AND CORRECTING: versions of a document, what supersedes what, people's corrections as overlays on the text.
alter table veraz.document
    add column version int not null default 1 check (version >= 1),
    add column superseded_by uuid,
    add column edition_stem text,
    add column replaces text,
    add column sketch int[],
    add column sketch_bands int[],
    add check (superseded_by is distinct from id),
    add foreign key (tenant_id, superseded_by) references veraz.document (tenant_id, id) on delete set null (superseded_by);
comment on column veraz.document.version is 'The version that is read; a newer one may be waiting in document_version.';
comment on column veraz.document.superseded_by is 'The document that took its place: this one is kept and no longer read.';
comment on column veraz.document.edition_stem is 'Its name without version and date, see veraz/text/editions.py; shared by editions.';
comment on column veraz.document.replaces is 'What it says, in its first blocks, about the document it replaces.';
comment on column veraz.document.sketch is 'MinHash of its word shingles; nearly equal texts have nearly equal sketches.';
comment on column veraz.document.sketch_bands is 'The sketch in hashed bands: texts that share none are not nearly equal.';
create index document_superseded on veraz.document (superseded_by) where superseded_by is not null;
create index document_name on veraz.document (kb_id, name);
create index document_stem on veraz.document (kb_id, edition_stem);

create table veraz.document_version (
    tenant_id uuid not null,
    kb_id uuid not null,
    document_id uuid not null,
    machine_id text not null,
    version int not null check (version >= 1),
    status text not null check (status in ('pending', 'current', 'superseded', 'failed')),
    job_id uuid,
    storage_key text,
    content_hash bytea,
    size_bytes bigint not null check (size_bytes >= 0),
    file_type text not null,
    name text not null,
    title text,
    source_url text,
    error_code text,
    error_message text,
    created_by uuid,
    created_at timestamptz not null default now(),
    superseded_at timestamptz,
    primary key (document_id, version),
    foreign key (tenant_id, kb_id, document_id, machine_id) references veraz.document (tenant_id, kb_id, id, machine_id)
        on delete cascade on update cascade
);
comment on table veraz.document_version is
    'The versions of documents that were replaced at least once: those kept, the current one, the one waiting.';
comment on column veraz.document_version.job_id is 'The job that is, or was, reading this version.';
create unique index document_version_current on veraz.document_version (document_id) where status = 'current';
create index document_version_kb on veraz.document_version (kb_id);

create table veraz.correction (
    id uuid primary key,
    tenant_id uuid not null,
    kb_id uuid not null,
    document_id uuid not null,
    machine_id text not null,
    start_char int not null,
    end_char int not null,
    before text not null check (before <> ''),
    after text not null,
    prefix text not null,
    suffix text not null,
    revision int not null,
    status text not null default 'applied' check (status in ('applied', 'asks', 'discarded')),
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    foreign key (tenant_id, kb_id, document_id, machine_id) references veraz.document (tenant_id, kb_id, id, machine_id)
        on delete cascade on update cascade
);
comment on table veraz.correction is
    'What people corrected: a stretch of the document''s text says something else. Made again whenever the document is '
    'cut or embedded again; where the text below changed, a person is asked.';
comment on column veraz.correction.prefix is 'The text before the stretch; with suffix it tells the stretch from others that say the same.';
comment on column veraz.correction.revision is 'Of the chunk that was corrected.';
create index correction_document on veraz.correction (document_id, start_char);

alter table veraz.knowledge_base drop constraint knowledge_base_name_check;
alter table veraz.knowledge_base add constraint knowledge_base_name_check check (length(name) between 1 and 200);

alter table veraz.chunk add column original text;
comment on column veraz.chunk.original is 'What a corrected chunk said before people corrected it; null when nobody did.';
