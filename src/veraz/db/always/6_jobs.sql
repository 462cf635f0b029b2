-- JOBS: who is next, how long to wait, what leaves. What spans tenants (handing out, renewing, taking back) runs as
-- veraz_ledger and is only for veraz_queue, which reads no table; the rest runs with the caller's rights.

-- Workers sleep on this channel. A trigger, so that no way of adding jobs can forget it.
create or replace function veraz.wake_workers() returns trigger language plpgsql as $$
begin
    perform pg_notify('veraz_job', '');
    return null;
end $$;
create or replace trigger wake_workers after insert on veraz.job
    for each statement execute function veraz.wake_workers();

-- Hands out up to p_limit jobs, each to the tenant whose turn it is: fewest jobs running, then served longest ago.
-- It jumps from tenant to tenant through job_next and reads one entry for each, so a claim costs the same behind
-- ten waiting jobs and behind ten thousand. With p_newcomers only tenants with nothing running are served, one each.
-- The planner settings keep cached plans on the indexes when they were made while the table was still empty.
create or replace function veraz.claim_jobs(
    p_worker text, p_kinds text[], p_limit int, p_lease interval, p_newcomers boolean default false)
returns setof veraz.job language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
declare
    turn record;
    taken veraz.job;
    served int := 0;
begin
    for turn in
        with recursive waiting as (
            (select j.tenant_id from veraz.job j where j.status = 'PENDING' order by j.tenant_id limit 1)
            union all
            select (select j.tenant_id from veraz.job j
                    where j.status = 'PENDING' and j.tenant_id > w.tenant_id order by j.tenant_id limit 1)
            from waiting w where w.tenant_id is not null
        ), share as (
            select w.tenant_id,
                (select count(*) from veraz.job r where r.tenant_id = w.tenant_id and r.status = 'RUNNING') as running,
                (select max(s.started_at) from veraz.job s where s.tenant_id = w.tenant_id) as last_served
            from waiting w where w.tenant_id is not null
        )
        select s.tenant_id from share s, generate_series(0, p_limit - 1) as n
        where not p_newcomers or (s.running = 0 and n = 0)
        order by s.running + n, s.last_served nulls first, s.tenant_id, n
    loop
        exit when served >= p_limit;
        update veraz.job set
            status = 'RUNNING', worker = p_worker, lease_until = clock_timestamp() + p_lease,
            claims = claims + 1, attempt = attempt + 1, started_at = clock_timestamp(), finished_at = null, stages = '{}'
        where id = coalesce(
            (select j.id from veraz.job j
             where j.tenant_id = turn.tenant_id and not j.bulk and j.status = 'PENDING'
               and j.run_after <= now() and j.kind = any (p_kinds)
             order by j.run_after, j.id limit 1 for update skip locked),
            (select j.id from veraz.job j
             where j.tenant_id = turn.tenant_id and j.bulk and j.status = 'PENDING'
               and j.run_after <= now() and j.kind = any (p_kinds)
             order by j.run_after, j.id limit 1 for update skip locked))
        returning * into taken;
        if found then
            served := served + 1;
            return next taken;
        end if;
    end loop;
end $$;

alter function veraz.claim_jobs(text, text[], int, interval, boolean) owner to veraz_ledger;

-- Renews the leases of these jobs; those the worker still holds. One whose last transaction is under way is locked by it:
-- left alone here, and still the worker's.
create or replace function veraz.renew_leases(p_worker text, p_ids uuid[], p_claims int[], p_lease interval)
returns setof uuid language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    with mine as (
        select j.id from veraz.job j
        join unnest(p_ids, p_claims) as held (id, claims) on j.id = held.id and j.claims = held.claims
        where j.status = 'RUNNING' and j.worker = p_worker
    ), free as (
        select id from veraz.job where id in (select id from mine) for update skip locked
    ), renewed as (
        update veraz.job j set lease_until = clock_timestamp() + p_lease from free where j.id = free.id
    )
    select id from mine;
end;
alter function veraz.renew_leases(text, uuid[], int[], interval) owner to veraz_ledger;

-- Gives jobs back untouched, without counting the attempt; how many were still held.
create or replace function veraz.release_jobs(p_worker text, p_ids uuid[], p_claims int[]) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    with released as (
        update veraz.job j set status = 'PENDING', worker = null, lease_until = null, attempt = j.attempt - 1,
            run_after = now()
        from unnest(p_ids, p_claims) as held (id, claims)
        where j.id = held.id and j.claims = held.claims and j.status = 'RUNNING' and j.worker = p_worker
        returning j.id
    ), told as (select pg_notify('veraz_job', ''))
    select count(*) from released, told;
end;
alter function veraz.release_jobs(text, uuid[], int[]) owner to veraz_ledger;

-- Whether the worker of a running job is gone. After a restart of the server every lease gets one more full term, so that
-- workers which lived through it come first.
create or replace function veraz.has_lost_worker(j veraz.job, p_lease interval) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
return j.status = 'RUNNING' and j.lease_until < now() and pg_postmaster_start_time() + p_lease < now();

-- Takes back the jobs of workers that are gone; how many.
create or replace function veraz.take_back_jobs(p_code text, p_lost_per_attempt int, p_lease interval) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    with expired as (
        select j.id from veraz.job j
        where veraz.has_lost_worker(j, p_lease) and j.lost + 1 < p_lost_per_attempt * j.max_attempts
        for update skip locked
    ), returned as (
        update veraz.job j set status = 'PENDING', worker = null, lease_until = null, lost = j.lost + 1,
            attempt = j.attempt - 1, run_after = now(), error_code = p_code
        from expired where j.id = expired.id
        returning j.id
    ), told as (select pg_notify('veraz_job', ''))
    select count(*) from returned, told;
end;
alter function veraz.take_back_jobs(text, int, interval) owner to veraz_ledger;

-- The jobs that lost their worker too often.
create or replace function veraz.hopeless_jobs(p_lost_per_attempt int, p_lease interval) returns setof veraz.job
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select j.* from veraz.job j
    where veraz.has_lost_worker(j, p_lease) and j.lost + 1 >= p_lost_per_attempt * j.max_attempts;
end;
alter function veraz.hopeless_jobs(int, interval) owner to veraz_ledger;

-- Every tenant's id, for work that goes from tenant to tenant.
create or replace function veraz.every_tenant() returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select t.id from veraz.tenant t order by t.id;
end;
alter function veraz.every_tenant() owner to veraz_ledger;

-- Seconds to wait after the nth failed attempt; the same formula as queue/retry.py.
create or replace function veraz.job_backoff(p_attempt int) returns interval language sql volatile
return make_interval(secs => least(3600, 15 * (1 << least(p_attempt, 8)) + random() * 10));

-- A job failed and may be tried again: back to PENDING after the backoff, or to the DLQ when its attempts are spent.
-- The new status, or null when the caller may not change the job or it is not running.
create or replace function public.mark_job_retry(job_id uuid, err text default null) returns text
language sql volatile set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.job j set
        status = case when j.attempt >= j.max_attempts then 'DLQ' else 'PENDING' end,
        run_after = now() + veraz.job_backoff(j.attempt),
        finished_at = case when j.attempt >= j.max_attempts then now() end,
        error_code = 'retry', error_message = err, worker = null, lease_until = null
    where j.id = mark_job_retry.job_id and j.status = 'RUNNING'
    returning j.status;
end;

-- Moves finished jobs to the history: those of one knowledge base, or all the caller may change when it is null.
create or replace function veraz.purge_done_jobs(p_kb_id uuid) returns int
language sql volatile set search_path = pg_catalog, pg_temp
begin atomic
    with gone as (
        delete from veraz.job where status = 'DONE' and (p_kb_id is null or kb_id = p_kb_id) returning *
    ), kept as (
        insert into veraz.job_history (
            id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
            run_after, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at, stages)
        select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
            run_after, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at, stages
        from gone returning 1
    )
    select count(*)::int from kept;
end;

create or replace function public.purge_completed_jobs(target_rag_id uuid) returns int
language sql volatile set search_path = pg_catalog, pg_temp
begin atomic
    select case when target_rag_id is null then 0 else veraz.purge_done_jobs(target_rag_id) end;
end;

-- The seeds' names live in public; grants of everything else are in 9_grants.sql.
revoke all on function public.mark_job_retry(uuid, text), public.purge_completed_jobs(uuid) from public;
grant execute on function public.mark_job_retry(uuid, text), public.purge_completed_jobs(uuid)
    to veraz_app, veraz_worker;
