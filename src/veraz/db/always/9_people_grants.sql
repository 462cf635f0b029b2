-- After 9_grants.sql, which starts from nothing: no role that signs in touches a credential. What it may know about people and
-- keys comes from functions (5_credentials.sql), of which only these are for requests.
do $$
declare
    f record;
begin
    for f in select p.oid::regprocedure as signature from pg_proc p
             where p.pronamespace = 'veraz'::regnamespace and p.proowner = 'veraz_keeper'::regrole loop
        execute format('revoke execute on function %s from veraz_app, veraz_worker, veraz_search, veraz_ledger, veraz_gate',
            f.signature);
    end loop;
end $$;
revoke all on veraz.session, veraz.api_key, veraz.password_link, veraz.app_user from veraz_app, veraz_worker, veraz_platform,
    veraz_search, veraz_ledger;
grant select (id, tenant_id, email, external_id, display_name, role, language, disabled_at, last_login_at, created_at, updated_at)
    on veraz.app_user to veraz_app, veraz_worker, veraz_search;
grant select, insert, update, delete on veraz.session, veraz.api_key, veraz.password_link, veraz.app_user to veraz_keeper;
grant select on veraz.tenant to veraz_keeper;
grant select (expires_at), delete on veraz.session, veraz.password_link to veraz_ledger; -- forgets those that have expired (8_upkeep.sql)

grant execute on function veraz.people(uuid, int), veraz.person(uuid), veraz.keys_seen(uuid, int), veraz.key_used(uuid),
    veraz.end_user(uuid, text) to veraz_app;
grant execute on function veraz.add_person(uuid, text, text, text, text, text, boolean, boolean) to veraz_platform;
grant execute on function veraz.users_for_login(text), veraz.session_by_hash(bytea, interval), veraz.key_by_hash(bytea),
    veraz.open_session(uuid, bytea, timestamptz, text, text), veraz.session_seen(uuid), veraz.own_sessions(),
    veraz.end_own_sessions(uuid, uuid), veraz.person(uuid),
    veraz.add_person(uuid, text, text, text, text, text, boolean, boolean),
    veraz.change_person(uuid, text, text, text, boolean), veraz.remove_person(uuid),
    veraz.set_password(uuid, text, boolean, uuid), veraz.own_password(),
    veraz.add_key(uuid, text, text, bytea, text[], uuid, boolean, timestamptz, boolean), veraz.revoke_key(uuid),
    veraz.keys_made_by(uuid), veraz.revoke_keys_made_by(uuid),
    veraz.add_password_link(uuid, uuid, bytea, timestamptz), veraz.password_link_by_hash(bytea),
    veraz.use_password_link(bytea)
    to veraz_signin;
