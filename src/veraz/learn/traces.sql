-- name: questions
select q.id, q.question, q.agent_id, g.name as agent, q.outcome, q.origin, q.channel, q.turn,
       q.latency_ms::float8 as latency_ms, q.model, q.created_at, t.query_id is not null as has_trace
from veraz.query_log q
join veraz.agent g on g.id = q.agent_id
left join veraz.query_trace t on t.query_id = q.id
where q.kind = 'ask' and q.project_id in (select veraz.projects_with('manager'))
  and (%(after)s::uuid is null or q.id < %(after)s)
  and (%(project_id)s::uuid is null or q.project_id = %(project_id)s)
  and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
  and (%(outcome)s::text is null or q.outcome = %(outcome)s)
  and q.origin = any (%(origins)s::text[])
  and (%(turns)s::boolean or q.turn <> 'conversation')
  and (%(slower_ms)s::float8 is null or q.latency_ms >= %(slower_ms)s)
  and (%(words)s::text is null or strpos(lower(q.question), lower(%(words)s)) > 0)
order by q.id desc limit %(limit)s

-- name: question
select q.id, q.question, q.agent_id, g.name as agent, q.outcome, q.origin, q.channel, q.turn,
       q.latency_ms::float8 as latency_ms, q.model, q.created_at, t.query_id is not null as has_trace, t.trace, t.conversation_id,
       exists (select from veraz.app_user u where u.id = q.user_id and u.id = (select veraz.current_user_id())) as mine
from veraz.query_log q
join veraz.agent g on g.id = q.agent_id
left join veraz.query_trace t on t.query_id = q.id
where q.id = %(id)s and q.kind = 'ask' and q.project_id in (select veraz.projects_with('manager'))

-- name: texts
select c.id, left(c.content, 600) as content from veraz.chunk c where c.id = any (%(ids)s::uuid[])
