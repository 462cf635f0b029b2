-- Everything but gaps, in one list.
-- name: urgent
with waiting as (
    -- nobody of the team wrote since the person was handed over, or the person wrote again after that
    select c.id as conversation_id, c.agent_id, a.name as agent_name, coalesce(l.said, c.title) as said,
        coalesce(nullif(u.display_name, ''), u.email, p.name, '') as name,
        case when h.answered then m.since else c.handoff_at end as since
    from veraz.conversation c
    join veraz.agent a on a.id = c.agent_id
    left join veraz.app_user u on u.id = c.user_id
    left join veraz.whatsapp_contact p on p.conversation_id = c.id
    cross join lateral (select exists (select from veraz.message s where s.conversation_id = c.id and s.role = 'human'
                                       and s.created_at >= c.handoff_at) as answered) h
    cross join lateral (select min(s.created_at) as since from veraz.message s
                        where s.conversation_id = c.id and s.role = 'user' and s.created_at > c.handoff_at) m
    left join lateral (select left(s.text, 500) as said from veraz.message s
                       where s.conversation_id = c.id and s.role = 'user' and s.text <> ''
                       order by s.created_at desc, s.id desc limit 1) l on true
    where c.handoff_mode = 'human' and c.handoff_at is not null and c.project_id = any (%(projects)s)
      and (not h.answered or m.since is not null)
    order by since limit %(most)s
), documents as (
    select d.kb_id, kb.name, d.error_code as code, count(*)::int as count, min(d.name) as example,
        min(coalesce(d.processing_completed_at, d.updated_at)) as since,
        case when count(distinct d.error_message) = 1 then min(d.error_message) end as message
    from veraz.document d join veraz.knowledge_base kb on kb.id = d.kb_id
    where (kb.project_id is null or kb.project_id = any (%(projects)s)) and kb.kind = 'global'
      and d.kb_id in (select veraz.kbs_with('write'))
      and d.error_code is not null and d.error_code <> all (%(settled)s) and d.superseded_by is null
    group by d.kb_id, kb.name, d.error_code order by since desc limit %(most)s
), exams as (
    select distinct on (r.agent_id) r.agent_id, a.name, r.failed, r.created_at as since,
        array(select x ->> 'question' from jsonb_array_elements(r.results) x where not (x ->> 'passed')::boolean limit 3)
            as examples
    from veraz.exam_run r
    join veraz.agent a on a.id = r.agent_id
    left join veraz.agent_change c on c.id = r.change_id
    where a.project_id = any (%(projects)s) and coalesce(c.status, 'applied') = 'applied'
    order by r.agent_id, r.id desc
), numbers as (
    select n.id, n.agent_id, n.name, count(m.id)::int as count, coalesce(min(m.failed_at), n.error_at) as since,
        coalesce(n.error_text, max(m.error_text)) as message
    from veraz.whatsapp_number n
    left join veraz.whatsapp_message m on m.number_id = n.id and m.direction = 'out' and m.state = 'failed'
        and m.failed_at > now() - make_interval(days => %(days)s)
    where n.active and n.project_id = any (%(projects)s)
    group by n.id having count(m.id) > 0 or n.error_code is not null
    limit %(most)s
), credits as (
    -- who is no administrator sees the balance, and not what it was spent on
    select b.credits, t.plan, least(1.0, b.credits::float8 / nullif(p.credits, 0)) as share, e.since,
        b.credits / nullif(e.a_day, 0) as days
    from veraz.credit_balance b
    join veraz.tenant t on t.id = b.tenant_id
    join veraz.plan p on p.code = t.plan
    cross join lateral (
        select -sum(e.credits) / %(days)s::int::float8 as a_day, max(e.created_at) as since from veraz.credit_entry e
        where e.credits < 0 and e.created_at > now() - make_interval(days => %(days)s)) e
    where cardinality(%(projects)s::uuid[]) > 0
)
select 'waiting' as kind, 1 as count, since, name, said as detail, null as code, array[agent_name] as examples,
    null::uuid as kb_id, agent_id, conversation_id, null::float8 as share_left, null::float8 as days_left
from waiting
union all
select 'credits', credits, coalesce(since, now()), plan, null, null, '{}', null, null, null, share, days
from credits where days < %(low_days)s or (share < %(low_share)s and (days is null or days < %(enough_days)s))
union all
select 'documents', count, since, name, message, code, array[example], kb_id, null, null, null, null from documents
union all
select 'whatsapp', count, since, name, message, null, '{}', null, agent_id, null, null, null from numbers
union all
select 'exam', failed, since, name, null, null, examples, null, agent_id, null, null, null from exams where failed > 0

-- name: failed_documents
select d.id, d.kb_id, d.name, d.source_url, d.error_code, d.error_message,
    coalesce(d.processing_completed_at, d.updated_at) as failed_at
from veraz.document d
where d.kb_id = %(kb_id)s and d.error_code = %(code)s and d.superseded_by is null
order by d.id desc limit %(most)s

-- name: agents
select id, name from veraz.agent where project_id = any (%(projects)s)
