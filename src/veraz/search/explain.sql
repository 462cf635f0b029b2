-- name: document_of_chunk
select document_id from veraz.chunk where id = %(id)s

-- name: chunk_saying
select c.id from veraz.chunk c
join veraz.document d on d.id = c.document_id
join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
where c.kb_id = any (%(kb_ids)s)
  and strpos(lower(regexp_replace(regexp_replace(normalize(c.content, NFKD), '[\u0300-\u036f]+', '', 'g'), '\s+', ' ', 'g')),
             %(words)s) > 0
order by d.superseded_by is not null, d.id desc, c.ordinal limit 1

-- name: facts
select d.id as document_id, d.name as document_name, d.kb_id, kb.name as kb_name, d.status, d.machine_id,
       kb.status = 'archived' as archived,
       exists (select from veraz.search_set(%(agent_id)s, %(kb_ids)s::uuid[]) s where s.kb_id = d.kb_id) as readable,
       d.indexed_at is not null as indexed, d.superseded_by is not null as superseded,
       d.machine_id = 'global' or d.machine_id is not distinct from (select veraz.current_machine()) as on_this_machine,
       d.id = any (veraz.filtered_documents(array[kb.live_edition_id], %(filters)s)) as passes_filters,
       (select count(*) from veraz.chunk c where c.document_id = d.id and c.edition_id = kb.live_edition_id) as chunks
from veraz.document d join veraz.knowledge_base kb on kb.id = d.kb_id
where d.id = %(id)s
