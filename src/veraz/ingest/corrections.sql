-- name: corrections
select id, document_id, start_char, end_char, before, after, prefix, suffix, revision, status, created_by, created_at,
       updated_at
from veraz.correction where document_id = %(document_id)s and status <> 'discarded' order by start_char, created_at, id

-- name: listed
select c.id, c.document_id, c.start_char, c.end_char, c.before, c.after, c.prefix, c.suffix, c.revision, c.status,
       c.created_by, c.created_at, c.updated_at
from veraz.correction c
where c.document_id = %(document_id)s and c.kb_id = %(kb_id)s
  and (%(status)s::text is null or c.status = %(status)s)
order by c.start_char, c.created_at, c.id

-- name: correction
select id, document_id, start_char, end_char, before, after, prefix, suffix, revision, status, created_by, created_at,
       updated_at
from veraz.correction where id = %(id)s and document_id = %(document_id)s and kb_id = %(kb_id)s

-- name: add
insert into veraz.correction (id, tenant_id, kb_id, document_id, machine_id, start_char, end_char, before, after, prefix,
    suffix, revision, created_by)
select %(id)s, d.tenant_id, d.kb_id, d.id, d.machine_id, %(start)s, %(end)s, %(before)s, %(after)s, %(prefix)s, %(suffix)s,
    %(revision)s, %(created_by)s
from veraz.document d where d.id = %(document_id)s

-- name: discard
update veraz.correction set status = 'discarded' where id = any (%(ids)s)

-- name: discard_at
update veraz.correction set status = 'discarded'
where document_id = %(document_id)s and start_char = %(start)s and before = %(before)s and after = %(after)s and status = 'applied'

-- name: hold
update veraz.correction set status = 'applied', start_char = %(start)s, end_char = %(end)s
where id = %(id)s and (status, start_char, end_char) is distinct from ('applied', %(start)s, %(end)s)

-- name: ask
update veraz.correction set status = 'asks' where id = any (%(ids)s) and status = 'applied'

-- name: mark_chunk
update veraz.chunk set original = %(original)s, revision = %(revision)s, edited_by = %(edited_by)s, edited_at = %(edited_at)s
where document_id = %(document_id)s and edition_id = %(edition_id)s and ordinal = %(ordinal)s

-- name: chunks_saying
select c.id, c.content, c.revision
from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
where c.document_id = %(document_id)s and c.kb_id = %(kb_id)s
  and (%(chunk_id)s::uuid is null or c.id = %(chunk_id)s)
  and (%(chunk_id)s::uuid is not null or strpos(c.content, %(before)s) > 0)
order by c.ordinal limit 3
