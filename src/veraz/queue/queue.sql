-- name: enqueue
insert into veraz.job (id, kind, kb_id, document_id, payload, bulk, max_attempts, run_after, created_by)
values (%(id)s, %(kind)s, %(kb_id)s, %(document_id)s, %(payload)s::jsonb, %(bulk)s, %(max_attempts)s,
    now() + make_interval(secs => %(delay)s), (select veraz.current_user_id()))
on conflict (document_id) where document_id is not null and status in ('PENDING', 'RUNNING') do nothing

-- name: claim
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.claim_jobs(%(worker)s, %(kinds)s, %(limit)s, make_interval(secs => %(lease)s), %(newcomers)s)

-- name: heartbeat
select * from veraz.renew_leases(%(worker)s, %(ids)s::uuid[], %(claims)s::int[], make_interval(secs => %(lease)s))

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
select veraz.release_jobs(%(worker)s, %(ids)s::uuid[], %(claims)s::int[])

-- name: give_back_expired
select veraz.take_back_jobs(%(code)s, %(lost_per_attempt)s, make_interval(secs => %(lease)s))

-- name: expired_for_good
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.hopeless_jobs(%(lost_per_attempt)s, make_interval(secs => %(lease)s))

-- name: bury
update veraz.job set status = 'DLQ', worker = null, lease_until = null, lost = lost + 1,
    error_code = %(code)s, error_message = %(message)s, finished_at = clock_timestamp()
where id = %(id)s and status = 'RUNNING' and claims = %(claims)s and lease_until < now()
