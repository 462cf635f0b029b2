-- What was forgotten: one row per forgetting, which says what went and how much of it, and holds no text of it.
create table veraz.forgetting (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    kind text not null check (kind in ('document', 'chunk', 'machine', 'end_user', 'person', 'tenant')),
    subjects text[] not null default '{}',  -- ids
    status text not null default 'pending' check (status in ('pending', 'running', 'done')),
    removed jsonb not null default '{}' check (jsonb_typeof(removed) = 'object'),  -- how many, by kind of thing
    created_by uuid,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    unique (tenant_id, id)
);
create index forgetting_newest on veraz.forgetting (tenant_id, id desc);
comment on table veraz.forgetting is 'Receipts: what was forgotten, by id, and how many rows of each kind went or were blanked. No text.';

-- The words that are looked for everywhere, only until that is done.
create table veraz.forgetting_source (
    id bigint generated always as identity primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    forgetting_id uuid not null,
    text text not null,
    foreign key (tenant_id, forgetting_id) references veraz.forgetting (tenant_id, id) on delete cascade
);
create index forgetting_source_of on veraz.forgetting_source (forgetting_id, id);
comment on table veraz.forgetting_source is 'Words on their way out. Empty when no forgetting is under way.';

-- Stretches of a document's text that must not come back while the document stays: told by the count and a digest of their
-- words, so that they are found wherever they stand, and hold no words.
create table veraz.forgotten_span (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant(),
    kb_id uuid not null,
    document_id uuid not null,
    machine_id text not null,
    words int not null check (words > 0),
    head bytea not null,
    digest bytea not null,
    created_by uuid,
    created_at timestamptz not null default now(),
    foreign key (tenant_id, kb_id, document_id, machine_id)
        references veraz.document (tenant_id, kb_id, id, machine_id) on update cascade on delete cascade
);
create index forgotten_span_of on veraz.forgotten_span (document_id);

alter table veraz.message add column forgotten_at timestamptz, add column forgotten_why text;
-- Nothing that was said before is sent to a model again.
alter table veraz.conversation add column forgotten_at timestamptz;

-- The documents that an answer's evidence is of.
create function veraz.documents_of(p_evidence jsonb) returns uuid[]
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return array(select distinct (e ->> 'document_id')::uuid from jsonb_array_elements(p_evidence) e where e ? 'document_id');
create index message_documents on veraz.message using gin (veraz.documents_of(evidence)) where role = 'assistant';
