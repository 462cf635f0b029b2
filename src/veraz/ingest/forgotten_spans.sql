-- name: spans
select id, words, head, digest, lead, tail, whole, created_by, created_at from veraz.forgotten_span
where document_id = %(document_id)s order by id

-- name: add
insert into veraz.forgotten_span (id, kb_id, document_id, machine_id, words, head, digest, lead, tail, whole, created_by)
select %(id)s, d.kb_id, d.id, d.machine_id, %(words)s, %(head)s, %(digest)s, %(lead)s, %(tail)s, %(whole)s,
    (select veraz.current_user_id())
from veraz.document d where d.id = %(document_id)s
