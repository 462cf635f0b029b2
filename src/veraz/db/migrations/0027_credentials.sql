-- What is read and written by functions alone: passwords, sessions, keys, and the links that stand for a password once.

-- The same person may work in several tenants, each with a password of its own.
drop index veraz.app_user_email;
create unique index app_user_email on veraz.app_user (tenant_id, email);
create index app_user_sign_in on veraz.app_user (email) where email is not null;

alter table veraz.app_user
    add column must_change_password boolean not null default false,
    add column password_changed_at timestamptz;

alter table veraz.session
    add column last_seen_at timestamptz not null default now(),
    add column address text not null default '' check (length(address) <= 60),
    add column device text not null default '' check (length(device) <= 300);

alter table veraz.api_key add column ends_with_password boolean not null default false;
comment on column veraz.api_key.ends_with_password is 'A personal key that is revoked when its owner gets another password.';

create table veraz.password_link (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    user_id uuid not null,
    token_hash bytea not null unique,
    created_by uuid,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
comment on table veraz.password_link is
    'Invitations and resets: whoever holds the link sets the password of one user, once. Used and older ones are deleted.';
create unique index password_link_of_user on veraz.password_link (user_id);

-- What functions tell about people and keys: everything but the secrets.
create type veraz.person as (
    id uuid,
    email text,
    external_id text,
    display_name text,
    role text,
    is_platform_admin boolean,
    language text,
    has_password boolean,
    must_change_password boolean,
    disabled_at timestamptz,
    last_login_at timestamptz,
    created_at timestamptz
);
create type veraz.known_key as (
    id uuid,
    name text,
    prefix text,
    scopes text[],
    project_id uuid,
    user_id uuid,
    ends_with_password boolean,
    created_at timestamptz,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);

-- Signatures that change; always/ makes them again.
drop function if exists veraz.user_for_login(text);
drop function if exists veraz.session_by_hash(bytea);
drop function if exists veraz.key_by_hash(bytea);
