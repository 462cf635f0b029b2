-- name: of_agent
select a.agent_id, a.kb_id, kb.name as kb_name, kb.kind as kb_kind, kb.description,
       (select count(*) from veraz.document d where d.kb_id = kb.id) as total_documents,
       a.priority, a.search_weight, a.created_at
from veraz.assignment a join veraz.knowledge_base kb on kb.id = a.kb_id
where a.agent_id = %(agent_id)s
union all
select r.agent_id, r.kb_id, r.name, 'global', r.description, r.total_documents, r.priority, r.search_weight, r.assigned_at
from veraz.read_by_agents() r
where r.agent_id = %(agent_id)s
  and not exists (select from veraz.assignment a join veraz.knowledge_base kb on kb.id = a.kb_id
                  where a.agent_id = r.agent_id and a.kb_id = r.kb_id)
order by priority, kb_name

-- name: of_kb
select a.agent_id, a.kb_id, kb.name as kb_name, kb.kind as kb_kind, kb.description,
       (select count(*) from veraz.document d where d.kb_id = kb.id) as total_documents,
       a.priority, a.search_weight, a.created_at
from veraz.assignment a join veraz.knowledge_base kb on kb.id = a.kb_id
where a.kb_id = %(kb_id)s order by a.created_at

-- name: put
insert into veraz.assignment (id, agent_id, kb_id, project_id, priority, search_weight, assigned_by)
values (%(id)s, %(agent_id)s, %(kb_id)s, %(agent_id)s, %(priority)s, %(search_weight)s, %(assigned_by)s)
on conflict (agent_id, kb_id) do update set priority = excluded.priority, search_weight = excluded.search_weight

-- name: remove
delete from veraz.assignment where agent_id = %(agent_id)s and kb_id = %(kb_id)s

-- name: agents
select id, name, allows_personal_corpus, project_id in (select veraz.projects_with('manager')) as managed
from veraz.agent where id = any (%(ids)s) order by id
