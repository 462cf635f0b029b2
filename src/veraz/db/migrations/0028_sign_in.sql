-- Signing in beyond a password: a second factor (codes of an authenticator app), and accounts of an issuer outside.

alter table veraz.tenant add column second_factor text not null default 'optional'
    check (second_factor in ('optional', 'rights', 'everyone'));
comment on column veraz.tenant.second_factor is
    'Who must have a second factor. rights: administrators, and whoever manages a project.';

alter table veraz.session add column second_factor boolean not null default false;
comment on column veraz.session.second_factor is
    'Whether this sign-in showed a second factor, to us or to the issuer that is trusted with it.';

create table veraz.second_factor (
    user_id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    secret_sealed bytea not null,
    begun_by bytea,
    confirmed_at timestamptz,
    last_step bigint not null default 0,
    failures int not null default 0,
    failed_at timestamptz,
    created_at timestamptz not null default now(),
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
comment on column veraz.second_factor.begun_by is 'The challenge whose page shows this secret: the same one when it is shown again, and to nobody else.';
comment on column veraz.second_factor.last_step is 'The half minute of the last code taken; older ones, and that one, are refused.';

create table veraz.recovery_code (
    user_id uuid not null,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    code_hash bytea not null,
    used_at timestamptz,
    primary key (user_id, code_hash),
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);

create table veraz.sign_in_challenge (
    token_hash bytea primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    user_id uuid not null,
    needs text not null check (needs in ('code', 'enrolment')),
    tries int not null default 0,
    expires_at timestamptz not null,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
comment on table veraz.sign_in_challenge is 'Somebody half signed in: the password was right, the second factor is still to be shown.';
create index sign_in_challenge_of_user on veraz.sign_in_challenge (user_id);

create table veraz.identity_provider (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    name text not null check (length(name) between 1 and 100),
    issuer text not null check (length(issuer) between 1 and 1000),
    client_id text not null check (length(client_id) between 1 and 500),
    secret_sealed bytea,
    has_secret boolean not null generated always as (secret_sealed is not null) stored,
    scopes text[] not null default '{openid,email,profile}',
    domains text[] not null default '{}',
    links_users boolean not null default false,
    creates_users boolean not null default false,
    shows_factor boolean not null default false,
    groups_claim text not null default 'groups' check (length(groups_claim) between 1 and 200),
    groups jsonb not null default '[]' check (jsonb_typeof(groups) = 'array'),
    listed boolean not null default false,
    enabled boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    check (not creates_users or cardinality(domains) > 0)
);
comment on table veraz.identity_provider is 'Where people of a tenant sign in instead of with a password here (OpenID Connect).';
comment on column veraz.identity_provider.domains is 'Mail domains whose people may come in; empty: any, as long as nobody is created.';
comment on column veraz.identity_provider.shows_factor is 'It asks for a second factor itself, so that we do not.';
comment on column veraz.identity_provider.groups is 'What groups there are here: [{"group": …, "role": "admin"}, {"group": …, "project_id": …, "role": …}].';
comment on column veraz.identity_provider.listed is 'Whether the sign-in page shows it to everybody; for the platform to say.';
create index identity_provider_tenant on veraz.identity_provider (tenant_id, id);

create table veraz.identity_link (
    provider_id uuid not null,
    subject text not null check (length(subject) between 1 and 255),
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    user_id uuid not null,
    created_at timestamptz not null default now(),
    primary key (provider_id, subject),
    unique (provider_id, user_id),
    foreign key (tenant_id, provider_id) references veraz.identity_provider (tenant_id, id) on delete cascade,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
comment on table veraz.identity_link is 'Whom an issuer''s subject is here. A subject never changes, an e-mail may.';
create index identity_link_of_user on veraz.identity_link (user_id);

alter table veraz.session add column provider_id uuid,
    add foreign key (tenant_id, provider_id) references veraz.identity_provider (tenant_id, id) on delete cascade;
alter table veraz.sign_in_challenge add column provider_id uuid,
    add foreign key (tenant_id, provider_id) references veraz.identity_provider (tenant_id, id) on delete cascade;
