-- After 9_grants.sql, which starts from nothing: secrets are written by who changes them and read by who needs them to work.
-- Sealed values open only with the installation's secret, which is in no database; nobody gets to try.
do $$
declare
    t record;
begin
    for t in
        select c.relname, string_agg(quote_ident(a.attname), ', ') filter (where not hidden) as open,
               string_agg(quote_ident(a.attname), ', ') filter (where not hidden or a.attname <> all (
                   array['app_secret_sealed', 'token_hash'])) as working
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        cross join lateral (select a.attname like '%\_sealed' or (c.relname = 'whatsapp_number' and a.attname = 'token_hash')) h (hidden)
        where c.relnamespace = 'veraz'::regnamespace and c.relname in ('webhook', 'whatsapp_number')
        group by c.relname
    loop
        execute format('revoke select on veraz.%I from veraz_app, veraz_worker', t.relname);
        execute format('grant select (%s) on veraz.%I to veraz_app', t.open, t.relname);
        execute format('grant select (%s) on veraz.%I to veraz_worker', t.working, t.relname);
    end loop;
end $$;

grant execute on function veraz.leave_nothing() to veraz_signin, veraz_platform, veraz_queue;

-- What PostgreSQL gives everybody and none of us needs: ending what others are doing, large objects (which belong to a role and
-- so to all tenants at once), writing into the log of changes. Only a superuser can take it from everybody.
do $$
declare
    f regprocedure;
begin
    if (select rolsuper from pg_roles where rolname = current_user) then
        for f in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and (
                proname in ('pg_cancel_backend', 'pg_terminate_backend', 'pg_logical_emit_message', 'loread', 'lowrite')
                or proname like 'lo\_%') loop
            execute format('revoke execute on function %s from public', f);
        end loop;
    end if;
end $$;
