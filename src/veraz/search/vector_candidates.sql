-- name: engine_plan
select space_id, language, editions, chunks, weights, documents, waiting, unheard, planned_at
from veraz.engine_plan(%(agent_id)s, %(kb_ids)s::uuid[], %(space_ids)s::int[], %(vectors)b::vector[],
                       %(languages)s::text[], %(words)s::text[], %(terms)s::int[], %(depth)s, %(filters)s)

-- name: still_there
select not exists (
    select from unnest(%(space_ids)s::int[]) s(id) left join veraz.vector_home h on h.space_id = s.id
    where h.state is distinct from 'qdrant' or h.since > %(planned_at)s)
