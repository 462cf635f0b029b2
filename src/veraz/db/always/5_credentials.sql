-- CREDENTIALS. Passwords, sessions, keys and links are reached by the functions of this file alone. Their owner, veraz_keeper,
-- reads and writes them; no role that signs in may touch the tables. What looks one up, makes one or changes one belongs to
-- veraz_signin, whose pool runs nothing but these calls (9_people_grants.sql): a statement injected anywhere else reads no hash
-- and makes no way in, neither for its caller nor for anybody else.
create policy known on veraz.app_user for select to veraz_keeper using (true);
create policy known on veraz.session for select to veraz_keeper using (true);
create policy known on veraz.api_key for select to veraz_keeper using (true);
create policy known on veraz.password_link for select to veraz_keeper using (true);
create policy known on veraz.tenant for select to veraz_keeper using (true);
create policy kept on veraz.app_user to veraz_keeper
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));
create policy kept on veraz.session to veraz_keeper
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));
create policy kept on veraz.api_key to veraz_keeper
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));
create policy kept on veraz.password_link to veraz_keeper
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));

-- Before the tenant is known, and only then: exact look-ups by secret hash or e-mail, nothing else.
create or replace function veraz.users_for_login(p_email text)
returns table (id uuid, tenant_id uuid, tenant_name text, password_hash text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.id, u.tenant_id, t.name, u.password_hash
    from veraz.app_user u join veraz.tenant t on t.id = u.tenant_id
    where u.email = lower(p_email) and u.password_hash is not null and u.disabled_at is null
    order by u.last_login_at desc nulls last, u.id;
end;

-- Whether the tenant's rule asks this person for a second factor.
create or replace function veraz.owes_factor(p_tenant_id uuid, p_user_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select case t.second_factor when 'optional' then false when 'everyone' then true
           else u.role = 'admin' or u.is_platform_admin or exists (
               select from veraz.project_member m where m.user_id = u.id and m.role in ('admin', 'manager')) end
    from veraz.tenant t join veraz.app_user u on u.tenant_id = t.id
    where t.id = p_tenant_id and u.id = p_user_id;
end;

-- A session that has not shown the second factor is none for whoever has one, or owes one by now.
create or replace function veraz.session_by_hash(p_hash bytea, p_idle interval)
returns table (session_id uuid, user_id uuid, tenant_id uuid, role text, is_platform_admin boolean,
               must_change_password boolean, unmarked boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select s.id, u.id, u.tenant_id, u.role, u.is_platform_admin,
           u.must_change_password and s.provider_id is null,  -- a provider vouches without a password
           s.last_seen_at < now() - least(interval '5 minutes', p_idle / 4)
    from veraz.session s join veraz.app_user u on u.id = s.user_id and u.tenant_id = s.tenant_id
    where s.token_hash = p_hash and u.disabled_at is null
      and s.expires_at > now() and s.last_seen_at > now() - p_idle
      and (s.second_factor or not (
          veraz.owes_factor(u.tenant_id, u.id)
          or exists (select from veraz.second_factor f where f.user_id = u.id and f.confirmed_at is not null)));
end;

create or replace function veraz.key_by_hash(p_hash bytea)
returns table (key_id uuid, tenant_id uuid, scopes text[], project_id uuid, user_id uuid, user_role text,
               is_platform_admin boolean, unmarked boolean, signed_end_users boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select k.id, k.tenant_id, k.scopes, k.project_id, k.user_id, u.role, coalesce(u.is_platform_admin, false),
           k.last_used_at is null or k.last_used_at < now() - interval '5 minutes', t.signed_end_users
    from veraz.api_key k join veraz.tenant t on t.id = k.tenant_id left join veraz.app_user u on u.id = k.user_id and u.tenant_id = k.tenant_id
    where k.key_hash = p_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and (k.user_id is null or u.disabled_at is null);
end;

-- SESSIONS, inside the tenant of who is calling.
create or replace function veraz.open_session(p_id uuid, p_hash bytea, p_expires timestamptz, p_address text, p_device text)
returns void language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    me constant uuid := veraz.current_user_id();
begin
    update veraz.app_user set last_login_at = now() where id = me and disabled_at is null;
    if not found then
        raise exception 'sign in as this user' using errcode = 'VZ004';
    end if;
    delete from veraz.session where user_id = me and expires_at < now();
    insert into veraz.session (id, user_id, token_hash, expires_at, address, device)
    values (p_id, me, p_hash, p_expires, left(p_address, 60), left(p_device, 300));
end $$;

create or replace function veraz.session_seen(p_id uuid) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.session set last_seen_at = now()
    where id = p_id and tenant_id = (select veraz.current_tenant()) and user_id = (select veraz.current_user_id());
end;

create or replace function veraz.own_sessions()
returns table (id uuid, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz, address text, device text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select s.id, s.created_at, s.last_seen_at, s.expires_at, s.address, s.device from veraz.session s
    where s.tenant_id = (select veraz.current_tenant()) and s.user_id = (select veraz.current_user_id())
      and s.expires_at > now()
    order by s.last_seen_at desc, s.id;
end;

-- One's own: this one, or (null) all but one; how many.
create or replace function veraz.end_own_sessions(p_id uuid, p_keep uuid) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    with gone as (
        delete from veraz.session s
        where s.tenant_id = (select veraz.current_tenant()) and s.user_id = (select veraz.current_user_id())
          and (p_id is null or s.id = p_id) and s.id is distinct from p_keep
        returning s.id)
    select count(*) from gone;
end;

-- PEOPLE. Everything but the secrets; whom the caller may see.
create or replace function veraz.as_person(u veraz.app_user) returns veraz.person
language sql immutable
return row(u.id, u.email, u.external_id, u.display_name, u.role, u.is_platform_admin, u.language,
    u.password_hash is not null, u.must_change_password, u.disabled_at, u.last_login_at, u.created_at)::veraz.person;

create or replace function veraz.people(p_after uuid, p_limit int) returns setof veraz.person
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select (veraz.as_person(u)).* from veraz.app_user u
    where u.tenant_id = (select veraz.current_tenant())
      and ((select veraz.is_tenant_admin()) or u.id in (select veraz.users_seen()))
      and (p_after is null or u.id < p_after)
    order by u.id desc limit p_limit;
end;

create or replace function veraz.person(p_id uuid) returns setof veraz.person
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select (veraz.as_person(u)).* from veraz.app_user u
    where u.id = p_id and u.tenant_id = (select veraz.current_tenant())
      and ((select veraz.is_tenant_admin()) or u.id in (select veraz.users_seen()));
end;

create or replace function veraz.add_person(p_id uuid, p_email text, p_display_name text, p_role text, p_language text,
    p_password_hash text, p_must_change boolean, p_platform boolean)
returns setof veraz.person language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'add users' using errcode = 'VZ004';
    end if;
    if p_role = 'admin' and veraz.current_key() is not null then
        raise exception 'change roles' using errcode = 'VZ004';
    end if;
    return query insert into veraz.app_user as u (id, email, display_name, role, language, password_hash, must_change_password,
        is_platform_admin, password_changed_at)
    values (p_id, p_email, p_display_name, p_role, p_language, p_password_hash, p_must_change, p_platform,
        case when p_password_hash is not null then now() end)
    returning (veraz.as_person(u)).*;
end $$;

-- The last who looks after the tenant stays. Admins who leave at the same time wait for each other.
create or replace function veraz.keep_an_admin(p_leaving uuid) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('veraz.admins:' || veraz.current_tenant(), 0));
    if exists (select from veraz.app_user u where u.id = p_leaving and u.role = 'admin')
        and not exists (select from veraz.app_user u where u.tenant_id = veraz.current_tenant() and u.id <> p_leaving
            and u.role = 'admin' and u.disabled_at is null and u.password_hash is not null) then
        raise exception 'the last admin' using errcode = 'VZ005';
    end if;
end $$;

create or replace function veraz.may_change_person(p_id uuid) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
return veraz.is_tenant_admin() or p_id is not distinct from veraz.current_user_id();

-- Who is disabled is out at once, and stays out wherever they were signed in when they come back.
create or replace function veraz.change_person(p_id uuid, p_display_name text, p_role text, p_language text, p_disabled boolean)
returns setof veraz.person language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.may_change_person(p_id) then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    -- A key that was found makes nobody an administrator, who would stay when it is revoked.
    if veraz.current_key() is not null and exists (
            select from veraz.app_user u where u.id = p_id and u.role is distinct from coalesce(p_role, u.role)) then
        raise exception 'change roles' using errcode = 'VZ004';
    end if;
    if p_disabled or p_role = 'member' then
        perform veraz.keep_an_admin(p_id);
    end if;
    return query update veraz.app_user u set
        display_name = coalesce(p_display_name, u.display_name),
        role = coalesce(p_role, u.role),
        language = coalesce(p_language, u.language),
        disabled_at = case when p_disabled is null then u.disabled_at when p_disabled then coalesce(u.disabled_at, now()) end
    where u.id = p_id and u.tenant_id = veraz.current_tenant()
    returning (veraz.as_person(u)).*;
    if p_disabled then
        perform veraz.end_ways_in(p_id, null, true);
    end if;
end $$;

create or replace function veraz.remove_person(p_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'delete users' using errcode = 'VZ004';
    end if;
    perform veraz.keep_an_admin(p_id);
    delete from veraz.app_user where id = p_id and tenant_id = veraz.current_tenant();
end $$;

-- Sessions (but one), sign-ins that wait for their second step, the link that may be on its way, and personal keys: all, or those that asked to end with the password.
create or replace function veraz.end_ways_in(p_user_id uuid, p_keep uuid, p_every_key boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    delete from veraz.session where user_id = p_user_id and tenant_id = veraz.current_tenant() and id is distinct from p_keep;
    delete from veraz.sign_in_challenge where user_id = p_user_id and tenant_id = veraz.current_tenant();
    delete from veraz.password_link where user_id = p_user_id and tenant_id = veraz.current_tenant();
    update veraz.api_key set revoked_at = now()
    where user_id = p_user_id and tenant_id = veraz.current_tenant() and revoked_at is null
      and (p_every_key or ends_with_password);
end $$;

-- Another password ends the ways in that stood on the old one. Nobody's password is set by who does not look after them.
create or replace function veraz.set_password(p_id uuid, p_hash text, p_must_change boolean, p_keep uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.may_change_person(p_id) then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    update veraz.app_user set password_hash = p_hash, must_change_password = p_must_change, password_changed_at = now()
    where id = p_id and tenant_id = veraz.current_tenant() and email is not null;
    if found then
        perform veraz.end_ways_in(p_id, p_keep, false);
    end if;
end $$;

-- The hash of the caller's own password, to compare the old one before a new one is taken.
create or replace function veraz.own_password() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.password_hash from veraz.app_user u
    where u.id = (select veraz.current_user_id()) and u.tenant_id = (select veraz.current_tenant());
end;

-- End users, whom a service acts for, come into being when they are first named. For the platform's own hand, not for callers.
create or replace function veraz.end_user(p_id uuid, p_external_id text) returns table (id uuid, disabled boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if veraz.current_role_name() <> 'worker' then
        raise exception 'add users' using errcode = 'VZ004';
    end if;
    return query select u.id, u.disabled_at is not null from veraz.app_user u
    where u.tenant_id = veraz.current_tenant() and u.external_id = p_external_id;
    if not found then
        return query insert into veraz.app_user as u (id, external_id) values (p_id, p_external_id)
        on conflict (tenant_id, external_id) do update set external_id = excluded.external_id
        returning u.id, u.disabled_at is not null;
    end if;
end $$;

-- KEYS. An admin sees and revokes everybody's, but makes none that would act as somebody else.
create or replace function veraz.as_known_key(k veraz.api_key) returns veraz.known_key
language sql immutable
return row(k.id, k.name, k.prefix, k.scopes, k.project_id, k.user_id, k.ends_with_password, k.created_at, k.expires_at,
    k.last_used_at, k.revoked_at, k.created_by)::veraz.known_key;

create or replace function veraz.keys_seen(p_after uuid, p_limit int) returns setof veraz.known_key
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select (veraz.as_known_key(k)).* from veraz.api_key k
    where k.tenant_id = (select veraz.current_tenant())
      and ((select veraz.is_tenant_admin()) or k.user_id = (select veraz.current_user_id()))
      and (p_after is null or k.id < p_after)
    order by k.id desc limit p_limit;
end;

create or replace function veraz.add_key(p_id uuid, p_name text, p_prefix text, p_hash bytea, p_scopes text[], p_project_id uuid,
    p_personal boolean, p_expires timestamptz, p_ends_with_password boolean)
returns setof veraz.known_key language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    me constant uuid := veraz.current_user_id();
begin
    if not veraz.is_tenant_admin() and not (p_personal and veraz.current_role_name() = 'member') then
        raise exception 'make service keys' using errcode = 'VZ004';
    end if;
    if p_project_id is not null and p_project_id not in (select veraz.projects_with('member')) then
        raise exception 'no such project' using errcode = 'foreign_key_violation', table = 'project';
    end if;
    return query insert into veraz.api_key as k (id, name, prefix, key_hash, scopes, project_id, user_id, created_by,
        expires_at, ends_with_password)
    values (p_id, p_name, p_prefix, p_hash, p_scopes, p_project_id, case when p_personal then me end, me, p_expires,
        p_ends_with_password)
    returning (veraz.as_known_key(k)).*;
end $$;

create or replace function veraz.revoke_key(p_id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    update veraz.api_key set revoked_at = now()
    where id = p_id and tenant_id = veraz.current_tenant() and revoked_at is null
      and (veraz.is_tenant_admin() or user_id = veraz.current_user_id());
    return found;
end $$;

-- The tenant's keys that somebody made and that go on without them: for its admins to see, and to end when that person goes.
create or replace function veraz.keys_made_by(p_user_id uuid) returns setof veraz.known_key
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select (veraz.as_known_key(k)).* from veraz.api_key k
    where k.tenant_id = (select veraz.current_tenant()) and (select veraz.is_tenant_admin())
      and k.created_by = p_user_id and k.user_id is null
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    order by k.id desc;
end;

create or replace function veraz.revoke_keys_made_by(p_user_id uuid) returns setof uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'revoke keys' using errcode = 'VZ004';
    end if;
    return query update veraz.api_key k set revoked_at = now()
    where k.tenant_id = veraz.current_tenant() and k.created_by = p_user_id and k.user_id is null and k.revoked_at is null
    returning k.id;
end $$;

create or replace function veraz.key_used(p_id uuid) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.api_key set last_used_at = now() where id = p_id and tenant_id = (select veraz.current_tenant());
end;

-- LINKS. One per user; the newest counts. A tenant's admin who could reset the platform's admin would hold the platform.
create or replace function veraz.add_password_link(p_id uuid, p_user_id uuid, p_hash bytea, p_expires timestamptz) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'invite or reset users' using errcode = 'VZ004';
    end if;
    if exists (select from veraz.app_user u where u.id = p_user_id and u.is_platform_admin)
        and not veraz.may_touch_platform_admin(p_user_id) then
        raise exception 'change a platform administrator' using errcode = 'VZ004';
    end if;
    delete from veraz.password_link where user_id = p_user_id and tenant_id = veraz.current_tenant();
    insert into veraz.password_link (id, user_id, token_hash, created_by, expires_at)
    values (p_id, p_user_id, p_hash, veraz.current_user_id(), p_expires);
end $$;

-- Whether who made a link still may make it. Nobody did: the platform's own hand, or the machine's.
create or replace function veraz.link_counts(l veraz.password_link) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
return l.created_by is null or exists (
    select from veraz.app_user maker join veraz.app_user u on u.id = l.user_id and u.tenant_id = l.tenant_id
    where maker.id = l.created_by and maker.tenant_id = l.tenant_id and maker.role = 'admin' and maker.disabled_at is null
      and (not u.is_platform_admin or maker.is_platform_admin or maker.id = u.id));

-- However somebody stops being an administrator, the links they made are gone.
create or replace function veraz.end_links_of_maker() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    delete from veraz.password_link where created_by = old.id and tenant_id = old.tenant_id;
    return null;
end $$;
create or replace trigger end_links_of_maker after delete on veraz.app_user
    for each row execute function veraz.end_links_of_maker();
create or replace trigger end_links_of_former_maker after update of role, disabled_at on veraz.app_user
    for each row when (new.role <> 'admin' or new.disabled_at is not null) execute function veraz.end_links_of_maker();

-- Before the tenant is known: whose password this link sets.
create or replace function veraz.password_link_by_hash(p_hash bytea)
returns table (user_id uuid, tenant_id uuid, tenant_name text, email text, has_password boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.id, u.tenant_id, t.name, u.email, u.password_hash is not null
    from veraz.password_link l
    join veraz.app_user u on u.id = l.user_id and u.tenant_id = l.tenant_id
    join veraz.tenant t on t.id = l.tenant_id
    where l.token_hash = p_hash and l.expires_at > now() and u.disabled_at is null and u.email is not null and veraz.link_counts(l);
end;

-- Uses the link up; false: somebody was quicker. In one transaction with the new password, as the user it is for.
create or replace function veraz.use_password_link(p_hash bytea) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    delete from veraz.password_link l
    where l.token_hash = p_hash and l.expires_at > now() and l.tenant_id = veraz.current_tenant()
      and l.user_id = veraz.current_user_id() and veraz.link_counts(l);
    return found;
end $$;

do $$
declare f text;
begin
    foreach f in array array[
        'users_for_login(text)', 'owes_factor(uuid, uuid)', 'session_by_hash(bytea, interval)', 'key_by_hash(bytea)',
        'open_session(uuid, bytea, timestamptz, text, text)', 'session_seen(uuid)', 'own_sessions()',
        'end_own_sessions(uuid, uuid)', 'as_person(veraz.app_user)', 'people(uuid, int)', 'person(uuid)',
        'add_person(uuid, text, text, text, text, text, boolean, boolean)', 'keep_an_admin(uuid)', 'may_change_person(uuid)',
        'change_person(uuid, text, text, text, boolean)', 'remove_person(uuid)', 'end_ways_in(uuid, uuid, boolean)',
        'set_password(uuid, text, boolean, uuid)', 'own_password()', 'end_user(uuid, text)',
        'as_known_key(veraz.api_key)', 'keys_seen(uuid, int)',
        'add_key(uuid, text, text, bytea, text[], uuid, boolean, timestamptz, boolean)', 'revoke_key(uuid)', 'key_used(uuid)',
        'keys_made_by(uuid)', 'revoke_keys_made_by(uuid)', 'link_counts(veraz.password_link)', 'end_links_of_maker()',
        'add_password_link(uuid, uuid, bytea, timestamptz)', 'password_link_by_hash(bytea)', 'use_password_link(bytea)'
    ] loop
        execute format('alter function veraz.%s owner to veraz_keeper', f);
    end loop;
end $$;
