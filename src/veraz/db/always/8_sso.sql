-- Identity providers: set up by a tenant's admins; found by their id before the tenant is known.

create or replace function veraz.provider_for_sign_in(p_id uuid)
returns table (id uuid, tenant_id uuid, name text, issuer text, client_id text, secret_sealed bytea, scopes text[],
    domains text[], links_users boolean, creates_users boolean, shows_factor boolean, groups_claim text, groups jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select p.id, p.tenant_id, p.name, p.issuer, p.client_id, p.secret_sealed, p.scopes, p.domains, p.links_users,
           p.creates_users, p.shows_factor, p.groups_claim, p.groups
    from veraz.identity_provider p where p.id = p_id and p.enabled;
end;
alter function veraz.provider_for_sign_in(uuid) owner to veraz_keeper;

-- Those the sign-in page shows to everybody.
create or replace function veraz.listed_providers() returns table (id uuid, name text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select p.id, p.name from veraz.identity_provider p where p.listed and p.enabled order by p.id limit 10;
end;
alter function veraz.listed_providers() owner to veraz_keeper;

-- Through which provider a session came.
create or replace function veraz.provider_of_session(p_token_hash bytea) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select s.provider_id from veraz.session s where s.token_hash = p_token_hash;
end;
alter function veraz.provider_of_session(bytea) owner to veraz_keeper;

-- A button on everybody's sign-in page that leads to a tenant's own server would be bait: only the platform hangs it up.
create or replace function veraz.listed_by_the_platform() returns trigger language plpgsql as $$
begin
    if new.listed and not veraz.is_platform_admin()
            and (tg_op = 'INSERT' or (new.listed, new.issuer, new.name) is distinct from (old.listed, old.issuer, old.name)) then
        raise exception 'show an identity provider to everybody' using errcode = 'VZ004';
    end if;
    return new;
end $$;
create or replace trigger listed_by_the_platform before insert or update on veraz.identity_provider
    for each row execute function veraz.listed_by_the_platform();
-- The secret was given for one issuer, and is sent to no other.
create or replace function veraz.secret_stays_with_issuer() returns trigger language plpgsql as $$
begin
    new.secret_sealed := null;
    return new;
end $$;
create or replace trigger secret_stays_with_issuer before update on veraz.identity_provider
    for each row when (new.issuer <> old.issuer) execute function veraz.secret_stays_with_issuer();
create or replace trigger touch before update on veraz.identity_provider for each row execute function veraz.touch();
create or replace trigger belongs_forever before update on veraz.identity_provider
    for each row execute function veraz.belongs_forever('id', 'tenant_id');
create or replace trigger belongs_forever before update on veraz.identity_link
    for each row execute function veraz.belongs_forever('provider_id', 'tenant_id', 'subject', 'user_id');
create or replace trigger audit after insert or update or delete on veraz.identity_provider
    for each row execute function veraz.audit('name', 'issuer', 'client_id', 'scopes', 'domains', 'links_users', 'creates_users',
        'shows_factor', 'groups_claim', 'groups', 'listed', 'enabled');

-- A provider that is switched off, or becomes another issuer, vouches for nobody any more: as when it is removed, who came through it is out.
create or replace function veraz.end_sessions_of_provider() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    delete from veraz.session where provider_id = old.id and tenant_id = old.tenant_id;
    delete from veraz.sign_in_challenge where provider_id = old.id and tenant_id = old.tenant_id;
    return null;
end $$;
alter function veraz.end_sessions_of_provider() owner to veraz_keeper;
create or replace trigger end_sessions_of_provider after update of enabled, issuer on veraz.identity_provider
    for each row when (not new.enabled or new.issuer <> old.issuer) execute function veraz.end_sessions_of_provider();

create policy managed on veraz.identity_provider to veraz_app using ((select veraz.is_tenant_admin()));
create policy known on veraz.identity_provider for select to veraz_keeper using (true);
create policy kept on veraz.identity_link to veraz_keeper
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));

-- Who somebody of an issuer is here, asked by the tenant's own hand while they sign in (sso/sign_in.py). Links say who may come in,
-- so that they are credentials: reached by these functions alone.
create or replace function veraz.linked_user(p_provider_id uuid, p_subject text)
returns table (id uuid, disabled boolean, is_platform_admin boolean, role text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.id, u.disabled_at is not null, u.is_platform_admin, u.role
    from veraz.identity_link l join veraz.app_user u on u.id = l.user_id and u.tenant_id = l.tenant_id
    where l.provider_id = p_provider_id and l.subject = p_subject and l.tenant_id = (select veraz.current_tenant())
      and (select veraz.is_tenant_admin());
end;
create or replace function veraz.user_of_email(p_email text)
returns table (id uuid, disabled boolean, is_platform_admin boolean, role text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.id, u.disabled_at is not null, u.is_platform_admin, u.role
    from veraz.app_user u
    where u.email = p_email and u.tenant_id = (select veraz.current_tenant()) and (select veraz.is_tenant_admin());
end;
-- False: the subject or the user is linked already.
create or replace function veraz.link_user(p_provider_id uuid, p_subject text, p_user_id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change how people sign in' using errcode = 'VZ004';
    end if;
    insert into veraz.identity_link (provider_id, subject, user_id) values (p_provider_id, p_subject, p_user_id)
    on conflict do nothing;
    return found;
end $$;
create or replace function veraz.forget_links(p_provider_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change how people sign in' using errcode = 'VZ004';
    end if;
    delete from veraz.identity_link where provider_id = p_provider_id and tenant_id = veraz.current_tenant();
end $$;
-- The role an issuer's groups say, but for the platform's administrators and the last one of the tenant; the role before.
create or replace function veraz.role_from_groups(p_user_id uuid, p_role text) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    before veraz.app_user;
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('veraz.admins:' || veraz.current_tenant(), 0));
    select * into before from veraz.app_user where id = p_user_id and tenant_id = veraz.current_tenant();
    if before.id is null or before.is_platform_admin or before.role = p_role or (p_role = 'member' and not exists (
            select from veraz.app_user u where u.tenant_id = veraz.current_tenant() and u.id <> p_user_id
                and u.role = 'admin' and u.disabled_at is null and u.password_hash is not null)) then
        return null;
    end if;
    update veraz.app_user set role = p_role where id = p_user_id and tenant_id = veraz.current_tenant();
    return before.role;
end $$;
do $$
declare f text;
begin
    foreach f in array array['linked_user(uuid, text)', 'user_of_email(text)', 'link_user(uuid, text, uuid)',
        'forget_links(uuid)', 'role_from_groups(uuid, text)'] loop
        execute format('alter function veraz.%s owner to veraz_keeper', f);
    end loop;
end $$;
