-- The second factor. Its tables are reached only through these functions, and these only by the role that looks credentials
-- up (veraz_signin): an injected statement of the application reads no secret and skips no challenge. The caller is in the
-- scope as everywhere; sign_in_challenge is found before anybody is calling.

create policy kept on veraz.second_factor to veraz_keeper using (tenant_id = (select veraz.current_tenant()));
create policy kept on veraz.recovery_code to veraz_keeper using (tenant_id = (select veraz.current_tenant()));
create policy kept on veraz.sign_in_challenge to veraz_keeper using (tenant_id = (select veraz.current_tenant()));
create policy ruling on veraz.tenant to veraz_keeper using (id = (select veraz.current_tenant()));
create policy known on veraz.second_factor for select to veraz_keeper using (true);
create policy known on veraz.recovery_code for select to veraz_keeper using (true);
create policy known on veraz.sign_in_challenge for select to veraz_keeper using (true);
create policy known on veraz.project_member for select to veraz_keeper using (true);

create or replace trigger audit after insert or update or delete on veraz.second_factor
    for each row execute function veraz.audit('confirmed_at');

create or replace function veraz.needs_of_sign_in(p_user_id uuid) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select case when exists (select from veraz.second_factor f where f.user_id = u.id and f.confirmed_at is not null)
                then 'code'
                when veraz.owes_factor(u.tenant_id, u.id) then 'enrolment' end
    from veraz.app_user u where u.id = p_user_id and u.tenant_id = (select veraz.current_tenant());
end;
alter function veraz.needs_of_sign_in(uuid) owner to veraz_keeper;

create or replace function veraz.factor_of(p_user_id uuid)
returns table (secret_sealed bytea, begun_by bytea, confirmed_at timestamptz, last_step bigint, codes_left bigint, blocked_seconds int)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select f.secret_sealed, f.begun_by, f.confirmed_at, f.last_step,
           (select count(*) from veraz.recovery_code c where c.user_id = f.user_id and c.used_at is null),
           case when f.failures >= 10
                then greatest(0, ceil(extract(epoch from f.failed_at + interval '15 minutes' - now())))::int else 0 end
    from veraz.second_factor f where f.user_id = p_user_id and f.tenant_id = (select veraz.current_tenant());
end;
alter function veraz.factor_of(uuid) owner to veraz_keeper;

-- Who has one, for the tenant's admins.
create or replace function veraz.users_with_factor() returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select f.user_id from veraz.second_factor f
    where f.tenant_id = (select veraz.current_tenant()) and f.confirmed_at is not null and (select veraz.is_tenant_admin());
end;
alter function veraz.users_with_factor() owner to veraz_keeper;

-- A new secret for oneself; what is confirmed stays until it is removed.
create or replace function veraz.begin_factor(p_sealed bytea, p_by bytea) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    insert into veraz.second_factor (user_id, secret_sealed, begun_by) values (veraz.current_user_id(), p_sealed, p_by)
    on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, begun_by = excluded.begun_by
        where second_factor.confirmed_at is null
    returning true;
end;
alter function veraz.begin_factor(bytea, bytea) owner to veraz_keeper;

create or replace function veraz.replace_recovery_codes(p_hashes bytea[]) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    delete from veraz.recovery_code where user_id = veraz.current_user_id();
    insert into veraz.recovery_code (user_id, code_hash) select veraz.current_user_id(), h from unnest(p_hashes) h;
end;
alter function veraz.replace_recovery_codes(bytea[]) owner to veraz_keeper;

create or replace function veraz.confirm_factor(p_step bigint) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.second_factor set confirmed_at = now(), last_step = p_step, failures = 0, failed_at = null
    where user_id = veraz.current_user_id() and confirmed_at is null
    returning true;
end;
alter function veraz.confirm_factor(bigint) owner to veraz_keeper;

-- Each code once: of two who send the same one, one changes the row.
create or replace function veraz.use_factor_step(p_step bigint) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.second_factor set last_step = p_step, failures = 0, failed_at = null
    where user_id = veraz.current_user_id() and confirmed_at is not null and last_step < p_step
    returning true;
end;
alter function veraz.use_factor_step(bigint) owner to veraz_keeper;

create or replace function veraz.use_recovery_code(p_hash bytea) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.recovery_code set used_at = now()
    where user_id = veraz.current_user_id() and code_hash = p_hash and used_at is null
    returning true;
end;
alter function veraz.use_recovery_code(bytea) owner to veraz_keeper;

-- Counted before the code is looked at, so that many at once are not more tries than allowed: ten wrong ones, then none for
-- a quarter of an hour. A recovery code cannot be guessed and works meanwhile.
create or replace function veraz.try_factor() returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.second_factor set failed_at = now(),
        failures = case when failed_at < now() - interval '15 minutes' then 1 else failures + 1 end
    where user_id = veraz.current_user_id() and (failures < 10 or failed_at < now() - interval '15 minutes')
    returning true;
end;
alter function veraz.try_factor() owner to veraz_keeper;

create or replace function veraz.asked_for_factor() returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
return veraz.owes_factor(veraz.current_tenant(), veraz.current_user_id());
alter function veraz.asked_for_factor() owner to veraz_keeper;

-- One's own, or a colleague's by an admin; the platform's administrators are nobody's to reset but each other's.
create or replace function veraz.remove_factor(p_user_id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    found_one boolean;
begin
    if p_user_id is distinct from veraz.current_user_id() then
        if not veraz.is_tenant_admin() or (not veraz.is_platform_admin() and exists (
                select from veraz.app_user u where u.id = p_user_id and u.is_platform_admin)) then
            raise exception 'change this user' using errcode = 'VZ004';
        end if;
        delete from veraz.session where user_id = p_user_id;
        delete from veraz.sign_in_challenge where user_id = p_user_id;
    end if;
    delete from veraz.recovery_code where user_id = p_user_id;
    delete from veraz.second_factor where user_id = p_user_id returning true into found_one;
    return coalesce(found_one, false);
end $$;
alter function veraz.remove_factor(uuid) owner to veraz_keeper;

-- How one's session came about.
create or replace function veraz.describe_session(p_token_hash bytea, p_second_factor boolean, p_provider_id uuid) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.session set second_factor = second_factor or p_second_factor, provider_id = coalesce(provider_id, p_provider_id)
    where token_hash = p_token_hash and user_id = veraz.current_user_id();
end;
alter function veraz.describe_session(bytea, boolean, uuid) owner to veraz_keeper;

create or replace function veraz.set_factor_rule(p_rule text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change the tenant' using errcode = 'VZ004';
    end if;
    update veraz.tenant set second_factor = p_rule where id = veraz.current_tenant();
end $$;
alter function veraz.set_factor_rule(text) owner to veraz_keeper;

create or replace function veraz.begin_challenge(p_hash bytea, p_needs text, p_provider_id uuid, p_seconds int) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    delete from veraz.sign_in_challenge where user_id = veraz.current_user_id() and expires_at < now();
    insert into veraz.sign_in_challenge (token_hash, user_id, needs, provider_id, expires_at)
    values (p_hash, veraz.current_user_id(), p_needs, p_provider_id, now() + make_interval(secs => p_seconds));
end;
alter function veraz.begin_challenge(bytea, text, uuid, int) owner to veraz_keeper;

create or replace function veraz.challenge_by_hash(p_hash bytea)
returns table (tenant_id uuid, user_id uuid, needs text, provider_id uuid)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select c.tenant_id, c.user_id, c.needs, c.provider_id
    from veraz.sign_in_challenge c join veraz.app_user u on u.id = c.user_id and u.tenant_id = c.tenant_id
    where c.token_hash = p_hash and c.expires_at > now() and c.tries < 5 and u.disabled_at is null;
end;
alter function veraz.challenge_by_hash(bytea) owner to veraz_keeper;

-- Counted before the code is looked at, so that many at once are not more tries than allowed.
create or replace function veraz.try_challenge(p_hash bytea) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.sign_in_challenge set tries = tries + 1
    where token_hash = p_hash and user_id = veraz.current_user_id() and tries < 5 and expires_at > now()
    returning true;
end;
alter function veraz.try_challenge(bytea) owner to veraz_keeper;

create or replace function veraz.end_challenge(p_hash bytea) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    delete from veraz.sign_in_challenge where token_hash = p_hash and user_id = veraz.current_user_id() returning true;
end;
alter function veraz.end_challenge(bytea) owner to veraz_keeper;
