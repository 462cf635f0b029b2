-- The signed scope of a transaction: who is calling, in one setting that only this installation can sign.
create type veraz.caller as (
    login name,                 -- the database role the scope was signed for
    until timestamptz,
    tenant_id uuid,
    user_id uuid,
    role text,
    machine_id text,
    names_machines boolean,     -- a service that acts for no machine and may name one
    key_id uuid,
    key_level text,
    key_project uuid,
    platform boolean
);

-- The key of HMAC-SHA256 as its two padded halves. Written by every migrate from the installation's secret.
create table veraz.scope_key (
    id int primary key default 1 check (id = 1),
    inner_key bytea not null check (length(inner_key) = 64),
    outer_key bytea not null check (length(outer_key) = 64)
);
comment on table veraz.scope_key is 'Signs scopes; only the function that verifies them may read it.';

-- Signatures that change; always/ makes them again.
drop function if exists veraz.nearest_chunks(int, vector, bigint[], uuid[], bigint, int);
drop function if exists veraz.nearest(uuid, uuid[], boolean, vector, int, jsonb) cascade;
