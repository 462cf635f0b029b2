-- name: enqueue
insert into veraz.job (id, kind, kb_id, document_id, payload, bulk, max_attempts, run_after, created_by)
values (%(id)s, %(kind)s, %(kb_id)s, %(document_id)s, %(payload)s::jsonb, %(bulk)s, %(max_attempts)s,
    now() + make_interval(secs => %(delay)s), veraz.current_user_id())
on conflict (document_id) where document_id is not null and status in ('PENDING', 'RUNNING') do nothing

-- name: claim
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.claim_jobs(%(worker)s, %(kinds)s, %(limit)s, make_interval(secs => %(lease)s), %(newcomers)s)

-- A job whose last transaction is under way is locked by it: left alone here, and still ours.
-- name: heartbeat
with mine as (
    select j.id from veraz.job j
    join unnest(%(ids)s::uuid[], %(claims)s::int[]) as held (id, claims) on j.id = held.id and j.claims = held.claims
    where j.status = 'RUNNING' and j.worker = %(worker)s
), free as (
    select id from veraz.job where id in (select id from mine) for update skip locked
), renewed as (
    update veraz.job j set lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    from free where j.id = free.id
)
select id from mine

-- name: report
update veraz.job set stage = %(stage)s, progress_percent = %(percent)s,
    stages = case when %(stage)s::text is null or stages ? %(stage)s then stages
             else stages || jsonb_build_object(%(stage)s::text, clock_timestamp()) end
where id = %(id)s and status = 'RUNNING' and worker = %(worker)s and claims = %(claims)s

-- name: finish
update veraz.job set status = 'DONE', worker = null, lease_until = null, progress_percent = 100,
    error_code = null, error_message = null, finished_at = clock_timestamp()
where id = %(id)s and status = 'RUNNING' and worker = %(worker)s and claims = %(claims)s

-- name: fail
update veraz.job set status = %(status)s, worker = null, lease_until = null,
    error_code = %(code)s, error_message = %(message)s,
    run_after = now() + make_interval(secs => %(wait)s),
    finished_at = case when %(status)s <> 'PENDING' then clock_timestamp() end
where id = %(id)s and status = 'RUNNING' and worker = %(worker)s and claims = %(claims)s

-- name: release
with released as (
    update veraz.job j set status = 'PENDING', worker = null, lease_until = null, attempt = j.attempt - 1,
        run_after = now()
    from unnest(%(ids)s::uuid[], %(claims)s::int[]) as held (id, claims)
    where j.id = held.id and j.claims = held.claims and j.status = 'RUNNING' and j.worker = %(worker)s
    returning j.id
)
select count(*), pg_notify('veraz_job', '') from released

-- After a restart of the server every lease gets one more full term, so that workers which lived through it come first.
-- name: give_back_expired
with expired as (
    select id from veraz.job
    where status = 'RUNNING' and lease_until < now() and lost + 1 < %(lost_per_attempt)s * max_attempts
      and pg_postmaster_start_time() + make_interval(secs => %(lease)s) < now()
    for update skip locked
), returned as (
    update veraz.job j set status = 'PENDING', worker = null, lease_until = null, lost = j.lost + 1,
        attempt = j.attempt - 1, run_after = now(), error_code = %(code)s
    from expired where j.id = expired.id
    returning j.id
)
select count(*), pg_notify('veraz_job', '') from returned

-- name: expired_for_good
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.job
where status = 'RUNNING' and lease_until < now() and lost + 1 >= %(lost_per_attempt)s * max_attempts
  and pg_postmaster_start_time() + make_interval(secs => %(lease)s) < now()

-- name: bury
update veraz.job set status = 'DLQ', worker = null, lease_until = null, lost = lost + 1,
    error_code = %(code)s, error_message = %(message)s, finished_at = clock_timestamp()
where id = %(id)s and status = 'RUNNING' and claims = %(claims)s and lease_until < now()
