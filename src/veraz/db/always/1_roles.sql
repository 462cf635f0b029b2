-- Roles, re-checked on every migrate. Passwords are set by migrate.py.
--   veraz_app       requests, inside their tenant            veraz_search   owns the functions that search (reads)
--   veraz_worker    jobs, inside their tenant                veraz_ledger   owns the functions that write what nobody may
--   veraz_signin    credentials, through functions alone     veraz_gate     owns the function that verifies scopes
--   veraz_platform  tenants and plans                        veraz_keeper   owns the functions that touch credentials
--   veraz_queue     hands out jobs, reads no tenant's table
do $$
declare
    r text;
begin
    foreach r in array array['veraz_app', 'veraz_worker', 'veraz_signin', 'veraz_platform', 'veraz_queue'] loop
        if not exists (select from pg_roles where rolname = r) then
            execute format('create role %I login nosuperuser nocreatedb nocreaterole noinherit', r);
        end if;
    end loop;
    foreach r in array array['veraz_search', 'veraz_ledger', 'veraz_gate', 'veraz_keeper'] loop
        if not exists (select from pg_roles where rolname = r) then
            execute format('create role %I nologin nosuperuser nocreatedb nocreaterole noinherit', r);
        end if;
        if current_setting('server_version_num')::int >= 160000 and not (select rolsuper from pg_roles where rolname = current_user) then
            execute format('grant %I to current_user with set true', r);
        elsif not pg_has_role(current_user, r, 'member') then
            execute format('grant %I to current_user', r);
        end if;
    end loop;
    if not (select rolbypassrls from pg_roles where rolname = 'veraz_search') then
        begin
            alter role veraz_search bypassrls;
        exception when insufficient_privilege then
            raise warning 'veraz: this server does not let us grant BYPASSRLS to veraz_search. '
                'Isolation is complete, but word search runs without its index and is slower.';
        end;
    end if;
end $$;
grant usage on schema veraz to veraz_app, veraz_worker, veraz_signin, veraz_platform, veraz_queue,
    veraz_search, veraz_ledger, veraz_gate, veraz_keeper;
grant create on schema veraz to veraz_search, veraz_ledger, veraz_gate, veraz_keeper; -- needed to own functions there
