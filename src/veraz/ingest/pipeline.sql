-- name: task
select d.id as document_id, d.kb_id, coalesce(v.name, d.name) as name, d.origin, d.source_url,
       coalesce(v.storage_key, d.storage_key) as storage_key, coalesce(v.file_type, d.file_type) as file_type, d.machine_id,
       coalesce(v.size_bytes, d.size_bytes) as size_bytes, d.indexed_at, kb.language, e.id as edition_id, e.space_id,
       e.chunking, e.embedding, e.status, coalesce(v.version, d.version) as version, v.version is not null as new_version,
       d.superseded_by is not null as superseded
from veraz.document d
join veraz.knowledge_base kb on kb.id = d.kb_id
join veraz.edition e on e.id = coalesce(%(edition_id)s::bigint, kb.live_edition_id)
-- the newest version nobody has read, or the one this job failed at before it was tried again
left join lateral (
    select w.version, w.name, w.storage_key, w.file_type, w.size_bytes from veraz.document_version w
    where w.document_id = d.id and w.version > d.version and e.status = 'live'
      and (w.status = 'pending' or (w.status = 'failed' and w.job_id = %(job_id)s))
    order by w.version desc limit 1) v on true
where d.id = %(document_id)s

-- name: started
update veraz.document set status = 'processing', stage = %(stage)s, progress_percent = %(percent)s,
    processing_started_at = now(), error_code = null, error_message = null
where id = %(document_id)s
  and exists (select from veraz.job j where j.document_id = document.id and j.status = 'RUNNING')

-- name: progress
update veraz.document set stage = %(stage)s, progress_percent = %(percent)s
where id = %(document_id)s and status = 'processing'

-- name: failed
update veraz.document set
    status = case when indexed_at is null then 'failed' else 'completed' end,
    stage = null, progress_percent = case when indexed_at is null then 0 else 100 end,
    error_code = %(code)s, error_message = %(message)s, processing_completed_at = now()
where id = %(document_id)s returning id, kb_id, indexed_at is not null as searchable

-- name: settle
select veraz.settle_credits(%(about)s, %(credits)s, %(reason)s, %(model)s, %(tokens)s, %(cost)s)

-- name: left_out
update veraz.document set status = 'completed', stage = null, progress_percent = 100
where id = %(document_id)s and superseded_by is not null

-- name: waiting
update veraz.document set status = 'pending', stage = null, progress_percent = 0 where id = %(document_id)s
