-- What happened to the security of a tenant, or of the installation itself (tenant 0). Written by one function, changed by nobody.
create table veraz.security_event (
    id bigint generated always as identity primary key,
    tenant_id uuid not null,    -- outlives its tenant
    at timestamptz not null,
    kind text not null check (length(kind) <= 60),
    outcome text not null check (outcome in ('done', 'refused', 'failed')),
    user_id uuid,
    key_id uuid,
    about uuid,                 -- whom or what it happened to
    address text check (length(address) <= 64),
    request_id text check (length(request_id) <= 64),
    details jsonb not null default '{}' check (jsonb_typeof(details) = 'object' and pg_column_size(details) <= 2000)
);
comment on table veraz.security_event is 'Ids, an address and a few words; never a secret, a name or anything people wrote.';
create index security_event_tenant on veraz.security_event (tenant_id, id desc);
create index security_event_at on veraz.security_event (at);
-- A key is used from a new address once.
create unique index security_event_key_address on veraz.security_event (tenant_id, key_id, address)
    where kind = 'key_used_from_new_address';
