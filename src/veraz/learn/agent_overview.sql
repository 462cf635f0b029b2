-- name: overviews
select g.id as agent_id, k.knowledge_bases, k.documents, k.chunks,
       (select count(*) from veraz.exam_question q where q.agent_id = g.id) as questions,
       r.passed, r.failed, r.created_at as examined_at,
       r.id is not null and exists (
           select from veraz.agent_version v
           where v.agent_id = g.id and v.created_at <= r.created_at
             and v.number = (select max(o.number) from veraz.agent_version o
                             where o.agent_id = g.id and o.created_at <= r.created_at)
             and (select jsonb_object_agg(s.key, s.value) from jsonb_each(v.settings) s where s.key = any (%(examined)s))
                 is distinct from
                 (select jsonb_object_agg(s.key, s.value) from jsonb_each(to_jsonb(g)) s where s.key = any (%(examined)s))
       ) as settings_changed,
       r.id is not null and k.changed_at > r.created_at as knowledge_changed,
       exists (select from veraz.query_log q where q.agent_id = g.id and q.channel = 'studio') as tried,
       array(select distinct c.channel from veraz.conversation c
             where c.agent_id = g.id and c.updated_at > now() - interval '30 days' order by 1)
       || array(select 'whatsapp' from veraz.whatsapp_number n where n.agent_id = g.id and n.active limit 1)
       || array(select 'widget' from veraz.widget w where w.agent_id = g.id and w.enabled and cardinality(w.origins) > 0) as channels
from veraz.agent g
cross join lateral (
    select count(distinct a.kb_id) as knowledge_bases, count(d.id) as documents,
           coalesce(sum(d.chunks_count), 0)::bigint as chunks, greatest(max(d.indexed_at), max(a.created_at)) as changed_at
    from veraz.assignment a left join veraz.document d on d.kb_id = a.kb_id and d.status = 'completed'
    where a.agent_id = g.id) k
left join lateral (
    select e.id, e.passed, e.failed, e.created_at
    from veraz.exam_run e left join veraz.agent_change c on c.id = e.change_id
    where e.agent_id = g.id and coalesce(c.status, 'applied') = 'applied'
    order by e.id desc limit 1) r on true
where (%(project_id)s::uuid is null or g.project_id = %(project_id)s)
  and (%(agent_id)s::uuid is null or g.id = %(agent_id)s)

-- name: pages
select a.kb_id, coalesce(sum(d.pages_count), 0)::bigint as pages
from veraz.assignment a join veraz.document d on d.kb_id = a.kb_id and d.status = 'completed'
where a.agent_id = %(agent_id)s group by a.kb_id
