-- name: chunk
select c.id, c.ordinal, c.content, coalesce(c.original, c.content) as original, c.page_number as page, c.part, c.row_number as row, c.start_char as start, c.end_char as "end",
       c.headers, c.context, c.quality, c.revision, c.metadata, c.edition_id, c.space_id, c.machine_id, kb.language, e.embedding
from veraz.chunk c
join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
join veraz.edition e on e.id = c.edition_id
where c.id = %(id)s and c.document_id = %(document_id)s and c.kb_id = %(kb_id)s

-- name: twin
select c.ordinal + 1
from veraz.chunk c
where c.document_id = %(document_id)s and c.edition_id = %(edition_id)s and c.id <> %(id)s
  and lower(regexp_replace(c.content, '\s+', ' ', 'g')) = lower(regexp_replace(%(content)s, '\s+', ' ', 'g'))
limit 1

-- name: take_out
delete from veraz.chunk where id = %(id)s and revision = %(revision)s

-- name: mark_edited
update veraz.chunk set revision = %(revision)s, edited_by = %(edited_by)s, edited_at = now(), metadata = %(metadata)s,
    original = %(original)s
where id = %(id)s
