-- name: hold
select id from veraz.document where id = any (%(ids)s) order by id for no key update

-- name: name
select name from veraz.document where id = %(id)s

-- name: leads_to
with recursive later as (
    select %(start)s::uuid as id
    union
    select d.superseded_by from veraz.document d join later l on d.id = l.id where d.superseded_by is not null
)
select exists (select from later where id = %(end)s)

-- Nothing of it is indexed any more: rebuilds leave it out, and processing it again begins from nothing.
-- name: supersede
update veraz.document set superseded_by = %(by)s::uuid,
    indexed_at = case when %(by)s::uuid is null then indexed_at end,
    chunks_count = case when %(by)s::uuid is null then chunks_count else 0 end,
    status = case when %(by)s::uuid is null then status else 'completed' end,
    stage = null, error_code = null, error_message = null
where id = %(id)s

-- name: remove_chunks
delete from veraz.chunk where document_id = %(id)s

-- Documents read before stems were kept are looked at one by one.
-- name: same_stem
select id, name, title, machine_id from veraz.document
where kb_id = %(kb_id)s and id <> %(id)s and superseded_by is null and (edition_stem = %(stem)s or edition_stem is null)
  and %(machine_id)s in ('global', machine_id)
order by id desc limit 2000

-- name: others
select id, name, title, machine_id from veraz.document
where kb_id = %(kb_id)s and id <> %(id)s and superseded_by is null and %(machine_id)s in ('global', machine_id)
order by id desc limit 5000
