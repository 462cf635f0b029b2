-- What an installation forgets by itself, in days; run by workers, across tenants, and nothing but this.
create or replace function veraz.forget_old(p_queries int, p_traces int, p_editions int, p_events int, p_jobs int) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    gone bigint := 0;
    n bigint;
begin
    delete from veraz.query_log where created_at < now() - make_interval(days => p_queries);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.query_trace where created_at < now() - make_interval(days => p_traces);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.edition where status = 'retired' and switched_at < now() - make_interval(days => p_editions);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.event where at < now() - make_interval(days => p_events);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.webhook_delivery where created_at < now() - make_interval(days => p_events);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.job where status = 'DONE' and finished_at < now() - make_interval(days => p_jobs);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.job_history where archived_at < now() - make_interval(days => p_jobs);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.session where expires_at < now() - interval '1 day';
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.password_link where expires_at < now() - interval '1 day';
    get diagnostics n = row_count; gone := gone + n;
    return gone;
end $$;
alter function veraz.forget_old(int, int, int, int, int) owner to veraz_ledger;

do $$
declare t text;
begin
    foreach t in array array['query_log', 'query_trace', 'edition', 'event', 'job', 'job_history', 'session',
                             'webhook_delivery', 'password_link'] loop
        execute format('drop policy if exists forgotten on veraz.%I', t);
        execute format('create policy forgotten on veraz.%I for delete to veraz_ledger using (true)', t);
        execute format('drop policy if exists forgotten_seen on veraz.%I', t);
        execute format('create policy forgotten_seen on veraz.%I for select to veraz_ledger using (true)', t);
    end loop;
end $$;
