-- WHO: plans, tenants, users, sessions, keys, projects, licences, credits, audit.
create extension if not exists vector;

-- The settings that carry the caller through a transaction. Re-created by always/functions.sql.
create function veraz.current_tenant() returns uuid language sql stable parallel safe
return nullif(current_setting('veraz.tenant_id', true), '')::uuid;

create table veraz.plan (
    code text primary key check (code ~ '^[a-z][a-z0-9_-]{0,39}$'),
    name text not null,
    max_knowledge_bases int check (max_knowledge_bases >= 0),
    max_documents_per_kb int check (max_documents_per_kb >= 0),
    max_bytes_per_kb bigint check (max_bytes_per_kb >= 0),
    credits bigint not null default 0 check (credits >= 0)
);
comment on table veraz.plan is 'What a tenant may hold; null means no limit. credits: granted when a tenant joins.';

insert into veraz.plan (code, name, max_knowledge_bases, max_documents_per_kb, max_bytes_per_kb, credits) values
    ('free', 'Free', 1, 50, 52428800, 1000),
    ('professional', 'Professional', 3, 1000, 524288000, 50000),
    ('business', 'Business', 50, 20000, 10737418240, 1000000),
    ('unlimited', 'Unlimited', null, null, null, 1000000000);

create table veraz.tenant (
    id uuid primary key,
    name text not null check (length(name) between 1 and 200),
    plan text not null references veraz.plan (code),
    features jsonb not null default '{"ai_agents_enabled": true}' check (jsonb_typeof(features) = 'object'),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create table veraz.app_user (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    email text check (email = lower(email) and length(email) between 3 and 320),
    external_id text check (length(external_id) between 1 and 200),
    display_name text not null default '' check (length(display_name) <= 200),
    role text not null default 'member' check (role in ('admin', 'member')),
    is_platform_admin boolean not null default false,
    password_hash text,
    language text not null default 'es',
    disabled_at timestamptz,
    last_login_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (tenant_id, external_id),
    check (email is not null or external_id is not null)
);
comment on table veraz.app_user is 'People who sign in (email) and end users a service key acts for (external_id).';
create unique index app_user_email on veraz.app_user (email);

create table veraz.session (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    user_id uuid not null,
    token_hash bytea not null unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
create index session_of_user on veraz.session (user_id);

create table veraz.project (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    name text not null check (length(name) between 1 and 200),
    description text not null default '',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id)
);
create unique index project_name on veraz.project (tenant_id, lower(name));

create table veraz.project_member (
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid not null,
    user_id uuid not null,
    role text not null check (role in ('admin', 'manager', 'member')),
    created_at timestamptz not null default now(),
    primary key (project_id, user_id),
    foreign key (tenant_id, project_id) references veraz.project (tenant_id, id) on delete cascade,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
create index project_member_of_user on veraz.project_member (user_id);

create table veraz.api_key (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    name text not null check (length(name) between 1 and 200),
    prefix text not null,
    key_hash bytea not null unique,
    scopes text[] not null check (cardinality(scopes) > 0),
    project_id uuid,
    user_id uuid,
    created_by uuid,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    foreign key (tenant_id, project_id) references veraz.project (tenant_id, id) on delete cascade,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
comment on column veraz.api_key.user_id is 'Set: the key acts as this user. Null: a service key of the tenant.';
create index api_key_tenant on veraz.api_key (tenant_id, id);

create table veraz.licence (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    machine_id text not null check (length(machine_id) between 1 and 200 and machine_id <> 'global'),
    user_name text not null default '' check (length(user_name) <= 200),
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    status text not null default 'active' check (status in ('active', 'revoked')),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, machine_id)
);

create table veraz.credit_balance (
    tenant_id uuid primary key default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    credits bigint not null check (credits >= 0)
);

create table veraz.credit_entry (
    id bigint generated always as identity primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    credits bigint not null,
    balance bigint not null,
    reason text not null,
    idempotency_key text,
    model text,
    tokens bigint,
    cost_usd numeric(14, 8),
    about uuid,
    created_at timestamptz not null default now(),
    unique (tenant_id, idempotency_key)
);
comment on table veraz.credit_entry is 'Every grant and every use of AI credits; the balance follows from it.';
create index credit_entry_tenant on veraz.credit_entry (tenant_id, id desc);

create table veraz.audit_entry (
    id bigint generated always as identity primary key,
    tenant_id uuid not null default veraz.current_tenant(),
    at timestamptz not null default now(),
    user_id uuid,
    key_id uuid,
    request_id text,
    action text not null check (action in ('insert', 'update', 'delete')),
    thing text not null,
    thing_id text not null,
    changes jsonb not null
);
comment on table veraz.audit_entry is 'Who changed what, written by triggers. Outlives the rows it is about.';
create index audit_entry_tenant on veraz.audit_entry (tenant_id, id desc);
create index audit_entry_thing on veraz.audit_entry (tenant_id, thing, thing_id);
