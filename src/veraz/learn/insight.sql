-- name: totals
select count(*) as questions, count(*) filter (where refused) as refused, count(distinct user_id) as people,
       percentile_cont(0.5) within group (order by latency_ms) as p50_ms,
       percentile_cont(0.95) within group (order by latency_ms) as p95_ms
from veraz.query_log
where created_at >= %(since)s and created_at < %(until)s and (%(agent_id)s::uuid is null or agent_id = %(agent_id)s)
  and turn = 'question' and channel not in ('exam', 'eval', 'studio')

-- name: days
select (created_at at time zone %(zone)s)::date as day, count(*) filter (where not refused) as answered,
       count(*) filter (where refused) as refused
from veraz.query_log
where created_at >= %(since)s and created_at < %(until)s and (%(agent_id)s::uuid is null or agent_id = %(agent_id)s)
  and turn = 'question' and channel not in ('exam', 'eval', 'studio')
group by 1 order by 1

-- name: stages
select stage.key as name, avg(stage.value::text::float8) as mean_ms
from veraz.query_log q cross join lateral jsonb_each(q.stages) as stage
where q.created_at >= %(since)s and q.created_at < %(until)s and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
  and q.turn = 'question' and q.channel not in ('exam', 'eval', 'studio') and jsonb_typeof(stage.value) = 'number'
group by 1 order by 2 desc

-- name: documents
with used as (
    select (score.value ->> 'chunk_id')::uuid as chunk_id
    from veraz.query_log q cross join lateral jsonb_array_elements(q.scores) as score
    where q.created_at >= %(since)s and q.created_at < %(until)s and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
    order by q.id desc limit 20000
)
select d.id, d.kb_id, d.name, count(*) as times
from used join veraz.chunk c on c.id = used.chunk_id join veraz.document d on d.id = c.document_id
group by 1, 2, 3 order by 4 desc, 3 limit 10
