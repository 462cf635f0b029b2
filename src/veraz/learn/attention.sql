-- People who wait for an answer of the team: nobody wrote since they were handed over, or they wrote again after that.
-- name: waiting
select c.id as conversation_id, c.agent_id, a.name as agent_name, coalesce(nullif(u.display_name, ''), u.email, p.name, '') as name,
    c.title, c.channel, case when h.answered then m.since else c.handoff_at end as since
from veraz.conversation c
join veraz.agent a on a.id = c.agent_id
left join veraz.app_user u on u.id = c.user_id
left join veraz.whatsapp_contact p on p.conversation_id = c.id
cross join lateral (select exists (select from veraz.message s where s.conversation_id = c.id and s.role = 'human'
                                   and s.created_at >= c.handoff_at) as answered) h
cross join lateral (select min(s.created_at) as since from veraz.message s
                    where s.conversation_id = c.id and s.role = 'user' and s.created_at > c.handoff_at) m
where c.handoff_mode = 'human' and c.handoff_at is not null and c.project_id = any (%(projects)s)
  and (not h.answered or m.since is not null)
order by since limit %(most)s

-- name: documents
select d.kb_id, kb.name as kb_name, d.error_code as code, count(*)::int as count, min(d.name) as example,
    min(coalesce(d.processing_completed_at, d.updated_at)) as since,
    case when count(distinct d.error_message) = 1 then min(d.error_message) end as message
from veraz.document d join veraz.knowledge_base kb on kb.id = d.kb_id
where (kb.project_id is null or kb.project_id = any (%(projects)s)) and kb.kind = 'global' and d.kb_id in (select veraz.kbs_with('write'))
  and d.error_code is not null and d.error_code <> all (%(settled)s) and d.superseded_by is null
group by d.kb_id, kb.name, d.error_code order by since desc limit %(most)s

-- name: failed_documents
select d.id, d.kb_id, d.name, d.source_url, d.error_code, d.error_message,
    coalesce(d.processing_completed_at, d.updated_at) as failed_at
from veraz.document d
where d.kb_id = %(kb_id)s and d.error_code = %(code)s and d.superseded_by is null
order by d.id desc limit %(most)s

-- name: exams
select * from (
    select distinct on (r.agent_id) r.agent_id, a.name as agent_name, r.failed as count, r.created_at as since,
        array(select x ->> 'question' from jsonb_array_elements(r.results) x where not (x ->> 'passed')::boolean limit 3) as examples
    from veraz.exam_run r
    join veraz.agent a on a.id = r.agent_id
    left join veraz.agent_change c on c.id = r.change_id
    where a.project_id = any (%(projects)s) and coalesce(c.status, 'applied') = 'applied'
    order by r.agent_id, r.id desc) last
where count > 0 order by since desc limit %(most)s

-- Who is no administrator sees the balance, and not what it was spent on.
-- name: credits
select b.credits, p.credits as granted, t.plan,
    (select -sum(e.credits) / %(days)s::float8 from veraz.credit_entry e
     where e.credits < 0 and e.created_at > now() - make_interval(days => %(days)s))::float8 as a_day,
    (select max(e.created_at) from veraz.credit_entry e where e.credits < 0) as since
from veraz.credit_balance b
join veraz.tenant t on t.id = b.tenant_id
join veraz.plan p on p.code = t.plan

-- name: whatsapp
select n.id as number_id, n.agent_id, n.name, count(m.id)::int as count,
    coalesce(min(m.failed_at), n.error_at) as since, coalesce(n.error_text, max(m.error_text)) as message
from veraz.whatsapp_number n
left join veraz.whatsapp_message m on m.number_id = n.id and m.direction = 'out' and m.state = 'failed'
    and m.failed_at > now() - make_interval(days => %(days)s)
where n.active and n.project_id = any (%(projects)s)
group by n.id having count(m.id) > 0 or n.error_code is not null
order by since desc limit %(most)s

-- name: agents
select id, name from veraz.agent where project_id = any (%(projects)s)
