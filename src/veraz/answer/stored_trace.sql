-- name: keep
select veraz.keep_trace(%(query_id)s, %(agent_id)s, %(conversation_id)s, %(personal)s, %(trace)s::jsonb)
