-- name: add
-- A line of this log is not worth waiting for the disk; that of an agent deleted meanwhile goes with the agent.
with quick as materialized (
    select set_config('synchronous_commit', 'off', true), veraz.note_query(%(agent_id)s, %(kb_ids)s::uuid[]))
insert into veraz.query_log (id, kind, agent_id, project_id, kb_ids, user_id, key_id, machine_id, question, rewrites, stages,
    latency_ms, chunks_searched, chunks_retrieved, reranked_count, scores, best_relevance, refused)
select %(id)s, %(kind)s, %(agent_id)s, (select a.project_id from veraz.agent a where a.id = %(agent_id)s), %(kb_ids)s::uuid[],
    veraz.current_user_id(), nullif(current_setting('veraz.key_id', true), '')::uuid, veraz.current_machine(),
    %(question)s, %(rewrites)s::text[], %(stages)s, %(latency_ms)s, %(chunks_searched)s, %(chunks_retrieved)s,
    %(reranked_count)s, %(scores)s::jsonb, %(best_relevance)s, %(refused)s
from quick where veraz.agent_if_there(%(agent_id)s) is not distinct from %(agent_id)s

-- name: queries
select id, kind, agent_id, kb_ids, user_id, question, rewrites, stages, latency_ms::float8 as latency_ms, chunks_searched,
       chunks_retrieved, reranked_count, scores, best_relevance::float8 as best_relevance, refused, created_at
from veraz.query_log
where (%(after)s::uuid is null or id < %(after)s)
  and (%(agent_id)s::uuid is null or agent_id = %(agent_id)s)
  and (%(kb_id)s::uuid is null or kb_ids @> array[%(kb_id)s::uuid])
order by id desc limit %(limit)s

-- name: kb_use
select * from veraz.kb_use(%(kb_id)s, %(days)s)
