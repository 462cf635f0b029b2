-- name: versions
select v.document_id, v.version, v.status, v.name, case v.status when 'current' then d.title else v.title end as title,
       d.origin, v.file_type, v.size_bytes, v.storage_key, v.error_code,
       v.error_message, v.created_by, v.created_at, v.superseded_at
from veraz.document_version v join veraz.document d on d.id = v.document_id
where d.id = %(document_id)s and d.kb_id = %(kb_id)s
union all
select d.id, d.version, 'current', d.name, d.title, d.origin, d.file_type, d.size_bytes, d.storage_key, null, null,
       d.created_by, d.created_at, null
from veraz.document d
where d.id = %(document_id)s and d.kb_id = %(kb_id)s
  and not exists (select from veraz.document_version v where v.document_id = d.id and v.version = d.version)
order by version desc

-- name: hold
select id, version, superseded_by is not null as superseded from veraz.document where id = %(id)s for no key update

-- name: keep_current
insert into veraz.document_version (tenant_id, kb_id, document_id, machine_id, version, status, storage_key, content_hash,
    size_bytes, file_type, name, title, source_url, created_by, created_at)
select tenant_id, kb_id, id, machine_id, version, 'current', storage_key, content_hash, size_bytes, file_type, name, title,
       source_url, created_by, created_at
from veraz.document where id = %(document_id)s
on conflict (document_id, version) do nothing

-- name: add
insert into veraz.document_version (tenant_id, kb_id, document_id, machine_id, version, status, storage_key, content_hash,
    size_bytes, file_type, name, title, source_url, created_by)
select d.tenant_id, d.kb_id, d.id, d.machine_id,
       1 + (select max(v.version) from veraz.document_version v where v.document_id = d.id), 'pending', %(storage_key)s,
       %(content_hash)s, %(size_bytes)s, %(file_type)s, %(name)s, %(title)s, %(source_url)s, %(created_by)s
from veraz.document d where d.id = %(document_id)s
returning version

-- name: take
update veraz.document_version set job_id = %(job_id)s, status = 'pending', error_code = null, error_message = null
where document_id = %(document_id)s and version = %(version)s and status in ('pending', 'failed')

-- name: take_waiting
update veraz.document_version set job_id = %(job_id)s where document_id = %(document_id)s and status = 'pending'

-- name: remove_chunks
delete from veraz.chunk where document_id = %(document_id)s

-- name: supersede_current
update veraz.document_version v set status = 'superseded', superseded_at = now(),
    name = case v.status when 'current' then d.name else v.name end,
    title = case v.status when 'current' then d.title else v.title end
from veraz.document d
where d.id = v.document_id and v.document_id = %(document_id)s and v.version < %(version)s
  and v.status in ('current', 'pending')

-- name: switch
update veraz.document d set version = v.version, storage_key = v.storage_key, content_hash = v.content_hash,
    size_bytes = v.size_bytes, file_type = v.file_type, name = v.name, title = coalesce(v.title, d.title),
    source_url = coalesce(v.source_url, d.source_url)
from veraz.document_version v
where d.id = %(document_id)s and v.document_id = d.id and v.version = %(version)s

-- name: mark_current
update veraz.document_version set status = 'current', error_code = null, error_message = null
where document_id = %(document_id)s and version = %(version)s

-- name: failed
update veraz.document_version set status = 'failed', error_code = %(code)s, error_message = %(message)s
where document_id = %(document_id)s and job_id = %(job_id)s and status = 'pending'

-- name: waiting
select exists (select from veraz.document_version v join veraz.document d on d.id = v.document_id
               where v.document_id = %(document_id)s and v.status = 'pending' and v.version > d.version)
