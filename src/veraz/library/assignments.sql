-- name: of_agent
select a.agent_id, a.kb_id, kb.name as kb_name, kb.kind as kb_kind, a.priority, a.search_weight, a.created_at
from veraz.assignment a join veraz.knowledge_base kb on kb.id = a.kb_id
where a.agent_id = %(agent_id)s order by a.priority, kb.name

-- name: of_kb
select a.agent_id, a.kb_id, kb.name as kb_name, kb.kind as kb_kind, a.priority, a.search_weight, a.created_at
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
