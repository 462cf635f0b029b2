-- name: list_jobs
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.job
where (%(kb_id)s::uuid is null or kb_id = %(kb_id)s) and (%(status)s::text is null or status = %(status)s)
  and (%(document_id)s::uuid is null or document_id = %(document_id)s)
  and (%(before)s::uuid is null or id < %(before)s)
order by id desc limit %(limit)s

-- name: history
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.job_history
where (%(kb_id)s::uuid is null or kb_id = %(kb_id)s) and (%(before)s::uuid is null or id < %(before)s)
order by id desc limit %(limit)s

-- name: stats
select count(*) filter (where status = 'PENDING') as pending, count(*) filter (where status = 'RUNNING') as running,
    count(*) filter (where status = 'DONE') as done, count(*) filter (where status = 'FAILED') as failed,
    count(*) filter (where status = 'DLQ') as dlq
from veraz.job where (%(kb_id)s::uuid is null or kb_id = %(kb_id)s)

-- The newest of these jobs of each document, unless the document has a job waiting or running, or was read meanwhile.
-- What somebody cancelled is only started again by name.
-- name: retry
with chosen as (
    select distinct on (coalesce(j.document_id, j.id)) j.id from veraz.job j
    where j.status = any (%(statuses)s) and (%(kb_id)s::uuid is null or j.kb_id = %(kb_id)s)
      and (%(ids)s::uuid[] is null or j.id = any (%(ids)s))
      and (%(document_ids)s::uuid[] is null or j.document_id = any (%(document_ids)s))
      and (j.error_code is distinct from 'cancelled' or %(ids)s is not null or %(document_ids)s is not null)
      and not exists (select from veraz.job o
                      where o.document_id = j.document_id
                        and (o.status in ('PENDING', 'RUNNING') or (o.status = 'DONE' and o.id > j.id)))
      and (j.status = 'DLQ' or j.document_id is null or j.payload ? 'edition_id'
           or exists (select from veraz.document d where d.id = j.document_id and d.error_code is not null))
    order by coalesce(j.document_id, j.id), j.id desc
), retried as (
    update veraz.job j set status = 'PENDING', attempt = 0, lost = 0, run_after = now(), progress_percent = 0,
        error_code = null, error_message = null, finished_at = null
    from chosen where j.id = chosen.id and j.status = any (%(statuses)s)
    returning j.*
), woken as materialized (select pg_notify('veraz_job', ''))
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from retried, woken

-- name: job
select id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost,
    run_after, worker, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at
from veraz.job where id = %(id)s

-- A worker that holds it notices that it does no longer, and changes nothing more.
-- name: cancel
update veraz.job set status = 'FAILED', worker = null, lease_until = null, error_code = %(code)s, error_message = %(message)s,
    finished_at = clock_timestamp()
where id = %(id)s and status in ('PENDING', 'RUNNING')

-- name: purge
select veraz.purge_done_jobs(%(kb_id)s)
