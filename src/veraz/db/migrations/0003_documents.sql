-- A DOCUMENT COMES IN: documents, chunks, words, the embedding cache.
create table veraz.document (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    kb_id uuid not null,
    name text not null check (length(name) between 1 and 255),
    origin text not null check (origin in ('upload', 'text', 'url', 'manual')),
    source_url text,
    file_type text not null,
    size_bytes bigint not null check (size_bytes >= 0),
    storage_key text,
    content_hash bytea,
    machine_id text not null default 'global' check (length(machine_id) between 1 and 200),
    status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed')),
    stage text,
    progress_percent int not null default 0 check (progress_percent between 0 and 100),
    error_code text,
    error_message text,
    indexed_at timestamptz,
    processing_started_at timestamptz,
    processing_completed_at timestamptz,
    chunks_count int not null default 0,
    pages_count int,
    tokens_used bigint not null default 0,
    word_count int,
    title text,
    author text,
    created_date date,
    language text,
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    tier text check (tier in ('tier1_gold', 'tier2_silver', 'tier3_bronze')),
    authority_score numeric(5, 2) not null default 0 check (authority_score between 0 and 100),
    evidence_level text check (evidence_level in
        ('meta_analysis', 'rct', 'cohort', 'case_study', 'opinion', 'guideline')),
    institution text,
    peer_reviewed boolean not null default false,
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (tenant_id, kb_id, id, machine_id),
    foreign key (tenant_id, kb_id) references veraz.knowledge_base (tenant_id, id) on delete cascade
);
create index document_kb on veraz.document (kb_id, id desc);
create index document_kb_status on veraz.document (kb_id, status);
create unique index document_twin on veraz.document (kb_id, machine_id, content_hash)
    where content_hash is not null and status <> 'failed';
create index document_tier on veraz.document (kb_id, tier);

create table veraz.chunk (
    id uuid primary key,
    tenant_id uuid not null,
    kb_id uuid not null,
    edition_id bigint not null,
    document_id uuid not null,
    space_id int not null,
    ordinal int not null,
    machine_id text not null,
    content text not null,
    content_hash bytea not null,
    tokens int not null,
    words int not null,
    page_number int,
    part text,
    start_char int not null,
    end_char int not null,
    headers text[] not null default '{}',
    metadata jsonb not null default '{}',
    context text not null default '',
    row_number int,
    quality int check (quality between 0 and 100),
    revision int not null default 1,
    edited_by uuid,
    edited_at timestamptz,
    embedding vector,
    lexemes tsvector not null,
    bm25 sparsevec(536870912) not null,
    created_at timestamptz not null default now(),
    unique (edition_id, document_id, ordinal),
    foreign key (tenant_id, kb_id) references veraz.knowledge_base (tenant_id, id) on delete cascade,
    -- a chunk cannot slip into another kb's edition, and its machine is always its document's
    foreign key (tenant_id, kb_id, edition_id) references veraz.edition (tenant_id, kb_id, id) on delete cascade,
    foreign key (tenant_id, kb_id, document_id, machine_id) references veraz.document (tenant_id, kb_id, id, machine_id)
        on delete cascade on update cascade
);
-- What every search computes with stays in the row, as long as two rows fill a page: reading 10,000 vectors takes a third
-- of the time it takes when each has to be fetched from aside.
alter table veraz.chunk alter column embedding set storage main, alter column bm25 set storage main;
alter table veraz.chunk set (toast_tuple_target = 4080);
create index chunk_document on veraz.chunk (document_id);
create index chunk_kb on veraz.chunk (kb_id);
create index chunk_same_content on veraz.chunk (tenant_id, space_id, content_hash);
create index chunk_words on veraz.chunk using gin (lexemes);

create table veraz.edition_term (
    tenant_id uuid not null,
    edition_id bigint not null,
    term int not null,
    count bigint not null,
    foreign key (tenant_id, edition_id) references veraz.edition (tenant_id, id) on delete cascade
);
comment on table veraz.edition_term is
    'How many chunks hold a term, as increments that are summed when read and folded together now and then, so that '
    'parallel writers never wait for each other. Term -1 counts chunks, term -2 their words.';
create index edition_term_lookup on veraz.edition_term (edition_id, term) include (count);

create table veraz.embedding_cache (
    tenant_id uuid not null references veraz.tenant (id) on delete cascade,
    space_id int not null references veraz.embedding_space (id),
    content_hash bytea not null,
    document_id uuid not null,
    embedding vector not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, space_id, content_hash),
    foreign key (tenant_id, document_id) references veraz.document (tenant_id, id) on delete cascade
);
comment on table veraz.embedding_cache is
    'Paid vectors between being bought and being stored as chunks; from then on the chunk itself is the cache.';
create index embedding_cache_document on veraz.embedding_cache (document_id);
