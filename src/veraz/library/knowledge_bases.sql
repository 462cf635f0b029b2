-- name: kbs
select kb.id, kb.project_id, kb.kind, kb.owner_id, kb.agent_id, kb.name, kb.description, kb.language, kb.status,
       e.chunking as chunking_config, e.embedding as embedding_config, e.id as live_edition_id, e.space_id,
       d.total_documents, d.total_chunks, d.total_size_bytes, d.total_tokens_used,
       kb.created_by, kb.created_at, kb.updated_at, kb.last_queried_at
from veraz.knowledge_base kb
join veraz.edition e on e.id = kb.live_edition_id
cross join lateral (
    select count(*) as total_documents, coalesce(sum(chunks_count), 0)::bigint as total_chunks,
           coalesce(sum(size_bytes), 0)::bigint as total_size_bytes,
           coalesce(sum(tokens_used), 0)::bigint as total_tokens_used
    from veraz.document where kb_id = kb.id) d
where (%(after)s::uuid is null or kb.id < %(after)s)
  and (%(id)s::uuid is null or kb.id = %(id)s)
  and (%(name)s::text is null or lower(kb.name) = lower(%(name)s))
  and (%(kind)s::text is null or kb.kind = %(kind)s)
  and (%(project_id)s::uuid is null or kb.project_id = %(project_id)s)
order by kb.id desc limit %(limit)s

-- Those the caller may look into, and the global ones their agents read for them.
-- name: listed
select kb.id, kb.project_id, kb.kind, kb.owner_id, kb.agent_id, kb.name, kb.description, kb.language, kb.status,
       e.chunking as chunking_config, e.embedding as embedding_config, e.id as live_edition_id, e.space_id,
       d.total_documents, d.total_chunks, d.total_size_bytes, d.total_tokens_used,
       kb.created_by, kb.created_at, kb.updated_at, kb.last_queried_at, true as administered
from veraz.knowledge_base kb
join veraz.edition e on e.id = kb.live_edition_id
cross join lateral (
    select count(*) as total_documents, coalesce(sum(chunks_count), 0)::bigint as total_chunks,
           coalesce(sum(size_bytes), 0)::bigint as total_size_bytes,
           coalesce(sum(tokens_used), 0)::bigint as total_tokens_used
    from veraz.document where kb_id = kb.id) d
where (%(after)s::uuid is null or kb.id < %(after)s)
  and (%(kind)s::text is null or kb.kind = %(kind)s)
  and (%(project_id)s::uuid is null or kb.project_id = %(project_id)s)
union all
select distinct r.kb_id, r.project_id, 'global', null::uuid, r.kb_agent_id, r.name, r.description, r.language, r.status,
       '{}'::jsonb, '{}'::jsonb, 0::bigint, 0, r.total_documents, 0::bigint, 0::bigint, 0::bigint, null::uuid,
       r.created_at, r.updated_at, null::timestamptz, false
from veraz.read_by_agents() r
where r.kb_id not in (select veraz.kbs_with('read'))
  and (%(after)s::uuid is null or r.kb_id < %(after)s)
  and (%(kind)s::text is null or %(kind)s = 'global')
  and (%(project_id)s::uuid is null or r.project_id = %(project_id)s)
order by 1 desc limit %(limit)s

-- name: add_kb
insert into veraz.knowledge_base (id, project_id, kind, owner_id, agent_id, name, description, language, created_by)
values (%(id)s, %(project_id)s, %(kind)s, %(owner_id)s, %(agent_id)s, %(name)s, %(description)s, %(language)s, %(created_by)s)

-- name: add_edition
insert into veraz.edition (kb_id, space_id, chunking, embedding, status)
values (%(kb_id)s, %(space_id)s, %(chunking)s, %(embedding)s, 'live') returning id

-- name: set_edition
update veraz.knowledge_base set live_edition_id = %(edition_id)s where id = %(id)s

-- name: change
update veraz.knowledge_base set
    name = coalesce(%(name)s, name),
    description = coalesce(%(description)s, description),
    language = coalesce(%(language)s, language),
    status = coalesce(%(status)s, status)
where id = %(id)s

-- name: delete
delete from veraz.knowledge_base where id = %(id)s

-- name: may_write
select %(id)s::uuid in (select veraz.kbs_with('write'))
