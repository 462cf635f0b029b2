-- name: task
select d.id as document_id, d.kb_id, d.name, d.origin, d.source_url, d.storage_key, d.file_type, d.machine_id,
       d.size_bytes, d.indexed_at, kb.language, e.id as edition_id, e.space_id, e.chunking, e.embedding, e.status
from veraz.document d
join veraz.knowledge_base kb on kb.id = d.kb_id
join veraz.edition e on e.id = coalesce(%(edition_id)s::bigint, kb.live_edition_id)
where d.id = %(document_id)s

-- name: started
update veraz.document set status = 'processing', stage = %(stage)s, progress_percent = %(percent)s,
    processing_started_at = now(), error_code = null, error_message = null
where id = %(document_id)s

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
