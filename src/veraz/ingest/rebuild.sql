-- name: add_building
insert into veraz.edition (kb_id, space_id, chunking, embedding, status)
values (%(kb_id)s, %(space_id)s, %(chunking)s, %(embedding)s, 'building') returning id

-- name: editions
select id, space_id, chunking, embedding, status, created_at, switched_at from veraz.edition
where kb_id = %(kb_id)s order by id desc

-- name: edition
select id, space_id, chunking, embedding, status, created_at, switched_at from veraz.edition
where kb_id = %(kb_id)s and id = %(id)s

-- An edition that was live once goes back to being the way back; a new one goes away.
-- name: drop_building
with kept as (
    update veraz.edition set status = 'retired'
    where kb_id = %(kb_id)s and status = 'building' and switched_at is not null returning id
), gone as (
    delete from veraz.edition where kb_id = %(kb_id)s and status = 'building' and switched_at is null returning id
)
select id from kept union all select id from gone

-- name: refund_building
select veraz.settle_credits(id, 0, 'refund') from veraz.job
where kb_id = %(kb_id)s and status = 'PENDING' and payload ? 'edition_id'

-- name: drop_jobs
delete from veraz.job where kb_id = %(kb_id)s and status = 'PENDING' and payload ? 'edition_id'

-- name: reserve
select veraz.settle_credits(%(job_id)s, %(credits)s, 'reserve')

-- Weak enough for the foreign keys of chunks being written, which hold the same row.
-- name: lock_kb
select id from veraz.knowledge_base where id = %(kb_id)s for no key update

-- While it is held no other edition goes live.
-- name: hold_live_edition
select live_edition_id from veraz.knowledge_base where id = %(kb_id)s for share

-- name: missing_documents
select d.id, coalesce((select sum(c.tokens) from veraz.chunk c join veraz.knowledge_base kb on kb.id = d.kb_id
                       where c.document_id = d.id and c.edition_id = kb.live_edition_id), 0)::bigint as tokens
from veraz.document d
where d.kb_id = %(kb_id)s and d.indexed_at is not null
  and not exists (select from veraz.chunk c where c.edition_id = %(edition_id)s and c.document_id = d.id)
order by d.id

-- name: lacks_documents
select exists (select from veraz.document d
    where d.kb_id = %(kb_id)s and d.indexed_at is not null
      and not exists (select from veraz.chunk c where c.edition_id = %(edition_id)s and c.document_id = d.id))

-- name: building
select id from veraz.edition where kb_id = %(kb_id)s and status = 'building'

-- name: retire_live
update veraz.edition set status = 'retired', switched_at = now() where kb_id = %(kb_id)s and status = 'live'

-- name: go_live
update veraz.edition set status = 'live', switched_at = now() where id = %(edition_id)s

-- name: wake
update veraz.edition set status = 'building' where id = %(edition_id)s

-- name: point_kb
update veraz.knowledge_base set live_edition_id = %(edition_id)s, status = case status when 'processing' then 'active' else status end
where id = %(kb_id)s

-- name: recount
update veraz.document d set chunks_count = c.chunks
from (select document_id, count(*) as chunks from veraz.chunk where edition_id = %(edition_id)s group by 1) c
where d.id = c.document_id and d.kb_id = %(kb_id)s

-- name: mark_processing
update veraz.knowledge_base set status = 'processing' where id = %(kb_id)s and status = 'active'

-- name: unmark_processing
update veraz.knowledge_base set status = 'active' where id = %(kb_id)s and status = 'processing'

-- name: size
select count(distinct d.id) as documents, coalesce(sum(c.tokens), 0)::bigint as tokens
from veraz.document d
join veraz.knowledge_base kb on kb.id = d.kb_id
left join veraz.chunk c on c.document_id = d.id and c.edition_id = kb.live_edition_id
where d.kb_id = %(kb_id)s and d.indexed_at is not null
