-- name: manages
select exists (select veraz.projects_with('manager'))

-- name: report
with asked as materialized (
    select q.id, q.agent_id, q.kb_ids, coalesce(q.user_id::text, q.machine_id, q.key_id::text) as asker, q.outcome, q.latency_ms, q.channel, q.model, q.origin, q.kind,
           q.input_tokens + q.output_tokens as tokens, q.cost_usd, q.credits,
           q.created_at at time zone %(zone)s as asked_at, q.turn in ('question', 'handoff') as counts
    from veraz.query_log q
    where q.created_at >= %(since)s and q.created_at < %(until)s
      and (q.project_id in (select veraz.projects_with('manager'))
           or (q.project_id is null and %(project_id)s::uuid is null and %(agent_id)s::uuid is null))
      and (%(project_id)s::uuid is null or q.project_id = %(project_id)s)
      and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
      and (%(kb_id)s::uuid is null or q.kb_ids @> array[%(kb_id)s::uuid])
),
person as materialized (select * from asked where origin = 'person' and counts),
rated as materialized (
    select p.agent_id, f.rating
    from veraz.feedback f join veraz.message m on m.id = f.message_id join person p on p.id = m.query_id
)
select
    (select to_jsonb(t) from (
        select count(*) as questions, count(*) filter (where outcome = 'answered') as answered,
               count(*) filter (where outcome = 'refused') as refused,
               count(*) filter (where outcome = 'handed_over') as handed_over,
               count(*) filter (where outcome = 'failed') as failed,
               count(distinct asker) as people,
               percentile_cont(0.5) within group (order by latency_ms) filter (where outcome <> 'failed') as p50_ms,
               percentile_cont(0.95) within group (order by latency_ms) filter (where outcome <> 'failed') as p95_ms,
               (select count(*) from rated where rating > 0) as liked,
               (select count(*) from rated where rating < 0) as disliked
        from person) t) as totals,
    (select coalesce(jsonb_agg(d order by d.day), '[]') from (
        select asked_at::date as day, count(*) filter (where outcome = 'answered') as answered,
               count(*) filter (where outcome = 'refused') as refused,
               count(*) filter (where outcome = 'handed_over') as handed_over,
               count(*) filter (where outcome = 'failed') as failed
        from person group by 1) d) as days,
    (select coalesce(jsonb_agg(h order by h.hour), '[]') from (
        select extract(hour from asked_at)::int as hour, count(*) as questions from person group by 1) h) as hours,
    (select coalesce(jsonb_agg(c order by c.questions desc), '[]') from (
        select channel, count(*) as questions, count(*) filter (where outcome = 'answered') as answered
        from person group by 1) c) as channels,
    (select coalesce(jsonb_agg(a order by a.questions desc, a.name), '[]') from (
        select g.id, g.name, count(*) as questions, count(*) filter (where p.outcome = 'answered') as answered,
               count(*) filter (where p.outcome = 'refused') as refused,
               count(*) filter (where p.outcome = 'handed_over') as handed_over,
               percentile_cont(0.5) within group (order by p.latency_ms) filter (where p.outcome <> 'failed') as p50_ms,
               sum(p.credits) as credits, sum(p.cost_usd) as cost_usd,
               (select count(*) from rated r where r.agent_id = g.id and r.rating > 0) as liked,
               (select count(*) from rated r where r.agent_id = g.id and r.rating < 0) as disliked
        from person p join veraz.agent g on g.id = p.agent_id group by g.id, g.name) a) as agents,
    (select coalesce(jsonb_agg(m order by m.credits desc, m.tokens desc), '[]') from (
        select coalesce(model, '') as model, origin = 'person' as people, count(*) as questions, sum(tokens) as tokens,
               sum(credits) as credits, sum(cost_usd) as cost_usd,
               coalesce(bool_or(tokens > 0 and cost_usd is null), false) as cost_unknown
        from asked where tokens > 0 group by 1, 2) m) as models,
    (select coalesce(jsonb_agg(o order by o.questions desc), '[]') from (
        select origin, count(*) as questions, sum(credits) as credits, sum(cost_usd) as cost_usd
        from asked where origin <> 'person' group by 1) o) as apart

-- name: bases
with asked as materialized (
    select q.kb_ids, q.outcome, q.quoted_ids
    from veraz.query_log q
    where q.created_at >= %(since)s and q.created_at < %(until)s and q.origin = 'person' and q.turn = 'question'
      and q.project_id in (select veraz.projects_with('manager'))
      and (%(project_id)s::uuid is null or q.project_id = %(project_id)s)
      and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
      and (%(kb_id)s::uuid is null or q.kb_ids @> array[%(kb_id)s::uuid])
),
reached as (
    select u.kb_id, count(*) as questions, count(*) filter (where a.outcome = 'answered') as answered
    from asked a cross join lateral unnest(a.kb_ids) as u (kb_id) group by 1
),
quoted as (
    select d.kb_id, count(distinct d.id) as documents, count(*) as times
    from asked a cross join lateral unnest(a.quoted_ids) as u (id) join veraz.document d on d.id = u.id group by 1
)
select kb.id, kb.name, (select g.name from veraz.agent g where g.id = kb.agent_id) as agent,
       coalesce(r.questions, 0) as questions, coalesce(r.answered, 0) as answered,
       (select count(*) from veraz.document d where d.kb_id = kb.id) as documents, coalesce(q.documents, 0) as quoted, coalesce(q.times, 0) as times
from veraz.knowledge_base kb left join reached r on r.kb_id = kb.id left join quoted q on q.kb_id = kb.id
where kb.kind = 'global' and kb.status <> 'archived' and (%(kb_id)s::uuid is null or kb.id = %(kb_id)s)
  and (%(project_id)s::uuid is null or kb.project_id = %(project_id)s or r.questions > 0)
  and (%(agent_id)s::uuid is null or r.questions > 0)
order by 4 desc, 2 limit 50

-- name: quoted
select d.id, d.kb_id, coalesce(nullif(d.title, ''), d.name) as name, count(*) as times
from veraz.query_log q cross join lateral unnest(q.quoted_ids) as u (id)
join veraz.document d on d.id = u.id join veraz.knowledge_base kb on kb.id = d.kb_id and kb.kind = 'global'
where q.created_at >= %(since)s and q.created_at < %(until)s and q.origin = 'person'
  and q.project_id in (select veraz.projects_with('manager'))
  and (%(project_id)s::uuid is null or q.project_id = %(project_id)s)
  and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
  and (%(kb_id)s::uuid is null or d.kb_id = %(kb_id)s)
group by 1, 2, 3 order by 4 desc, 3 limit 10

-- name: never_quoted
with quoted as materialized (
    select distinct unnest(q.quoted_ids) as id from veraz.query_log q
    where q.created_at >= %(since)s and q.created_at < %(until)s and q.origin = 'person'
)
select d.id, d.kb_id, coalesce(nullif(d.title, ''), d.name) as name
from veraz.document d join veraz.knowledge_base kb on kb.id = d.kb_id
where kb.kind = 'global' and kb.status <> 'archived' and d.status = 'completed'
  and (%(kb_id)s::uuid is null or d.kb_id = %(kb_id)s)
  and (%(project_id)s::uuid is null or kb.project_id is not distinct from %(project_id)s)
  and (%(agent_id)s::uuid is null or exists (
      select from veraz.assignment a where a.kb_id = d.kb_id and a.agent_id = %(agent_id)s))
  and not exists (select from quoted where quoted.id = d.id)
order by d.id desc limit 10

-- name: daily
select (q.created_at at time zone %(zone)s)::date as day, g.name as agent, q.channel, count(*) as questions,
       count(*) filter (where q.outcome = 'answered') as answered, count(*) filter (where q.outcome = 'refused') as refused,
       count(*) filter (where q.outcome = 'handed_over') as handed_over, count(*) filter (where q.outcome = 'failed') as failed,
       percentile_cont(0.5) within group (order by q.latency_ms) as p50_ms, sum(q.credits) as credits,
       sum(q.cost_usd) as cost_usd
from veraz.query_log q join veraz.agent g on g.id = q.agent_id
where q.created_at >= %(since)s and q.created_at < %(until)s and q.origin = 'person' and q.turn in ('question', 'handoff')
  and q.project_id in (select veraz.projects_with('manager'))
  and (%(project_id)s::uuid is null or q.project_id = %(project_id)s)
  and (%(agent_id)s::uuid is null or q.agent_id = %(agent_id)s)
  and (%(kb_id)s::uuid is null or q.kb_ids @> array[%(kb_id)s::uuid])
group by 1, 2, 3 order by 1, 2, 3
