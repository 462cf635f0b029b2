-- name: lock_content
select pg_advisory_xact_lock(hashtextextended('veraz.content:' || %(kb_id)s || %(digest)s, 0))

-- name: lock_name
select pg_advisory_xact_lock(hashtextextended('veraz.name:' || %(kb_id)s || %(name)s, 0))

-- name: replaced
select d.id, d.name, d.title, d.origin, d.machine_id, d.file_type, d.storage_key, coalesce(s.name, d.superseded_by::text) as superseded_by
from veraz.document d left join veraz.document s on s.id = d.superseded_by
where d.id = %(id)s and d.kb_id = %(kb_id)s

-- name: same_name
select d.id, d.name, d.title, d.origin, d.machine_id, d.file_type, d.storage_key, coalesce(s.name, d.superseded_by::text) as superseded_by
from veraz.document d left join veraz.document s on s.id = d.superseded_by
where d.kb_id = %(kb_id)s and d.machine_id = %(machine_id)s and d.name = %(name)s and d.origin = 'upload'
  and d.metadata ->> 'path' is not distinct from %(path)s::text
order by d.superseded_by is not null, d.id desc limit 1

-- name: reserve
select veraz.settle_credits(%(job_id)s, %(credits)s, 'reserve')

-- name: to_reprocess
select id, file_type, size_bytes, superseded_by is not null as superseded from veraz.document
where kb_id = %(kb_id)s and (%(ids)s::uuid[] is null or id = any (%(ids)s))
  and (superseded_by is null or %(ids)s is not null)
order by id

-- name: same_address
select id, name from veraz.document
where kb_id = %(kb_id)s and source_url = %(url)s and machine_id = %(machine_id)s and origin = 'url' and status <> 'failed'
limit 1
