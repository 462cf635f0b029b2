-- name: add
select veraz.log_query(veraz.as_caller(%(caller)s, %(id)s::uuid), %(kind)s, %(agent_id)s, %(kb_ids)s::uuid[], %(question)s,
    %(rewrites)s::text[], %(stages)s, %(latency_ms)s, %(chunks_searched)s, %(chunks_retrieved)s, %(reranked_count)s,
    %(scores)s::jsonb, %(best_relevance)s, %(refused)s, %(channel)s, %(turn)s, %(origin)s, %(outcome)s, %(model)s,
    %(input_tokens)s, %(output_tokens)s, %(cost_usd)s, %(credits)s, %(quoted_ids)s::uuid[])

-- name: add_search
select veraz.log_query(veraz.as_caller(%(caller)s, %(id)s::uuid), %(kind)s, %(agent_id)s, %(kb_ids)s::uuid[],
    case when veraz.nothing_forgotten(%(since)s::uuid) then %(question)s else '[olvidado]' end,
    case when veraz.nothing_forgotten(%(since)s::uuid) then %(rewrites)s::text[] else '{}' end, %(stages)s, %(latency_ms)s, %(chunks_searched)s, %(chunks_retrieved)s, %(reranked_count)s,
    %(scores)s::jsonb, %(best_relevance)s, %(refused)s, %(channel)s, %(turn)s, %(origin)s, %(outcome)s, %(model)s,
    %(input_tokens)s, %(output_tokens)s, %(cost_usd)s, %(credits)s, %(quoted_ids)s::uuid[])

-- name: newest
select veraz.newest_forgetting(veraz.as_caller(%(caller)s, false)) as newest

-- name: queries
select id, kind, agent_id, kb_ids, user_id, question, rewrites, stages, latency_ms::float8 as latency_ms, chunks_searched,
       chunks_retrieved, reranked_count, scores, best_relevance::float8 as best_relevance, refused, channel, turn, origin,
       outcome, created_at
from veraz.query_log
where (%(after)s::uuid is null or id < %(after)s)
  and (%(agent_id)s::uuid is null or agent_id = %(agent_id)s)
  and (%(kb_id)s::uuid is null or kb_ids @> array[%(kb_id)s::uuid])
order by id desc limit %(limit)s

-- name: kb_use
select * from veraz.kb_use(%(kb_id)s, %(days)s)
