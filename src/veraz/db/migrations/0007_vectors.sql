-- VECTORS ELSEWHERE: which embedding spaces are searched outside, and which chunks that place still has to hear of.
create table veraz.vector_home (
    space_id int primary key references veraz.embedding_space (id) on delete cascade,
    state text not null check (state in ('filling', 'qdrant', 'postgres')),
    filled_to bigint,
    since timestamptz not null default now()
);
comment on table veraz.vector_home is
    'A space without a row is searched in PostgreSQL and moves over as soon as an engine is configured; ''postgres'' stays.';
comment on column veraz.vector_home.filled_to is 'Once no older entry of the outbox is left, the space has moved.';

create sequence veraz.vector_change;
create table veraz.vector_outbox (
    chunk_id uuid primary key,
    tenant_id uuid not null,
    space_id int not null,
    edition_id bigint not null,
    version bigint not null default nextval('veraz.vector_change'),
    lease_until timestamptz
);
comment on table veraz.vector_outbox is
    'Chunks that changed, written by trigger in the same transaction. Applying one means: look whether the chunk is there, '
    'then put or remove its point. So order does not matter and doing it twice changes nothing.';
create index vector_outbox_next on veraz.vector_outbox (version);
create index vector_outbox_edition on veraz.vector_outbox (edition_id);
create index vector_outbox_space on veraz.vector_outbox (space_id, version);
