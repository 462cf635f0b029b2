-- name: user_name
select user_name from veraz.licence where machine_id = (select veraz.current_machine())

-- name: titles
select title, documents from veraz.readable_titles(%(agent_id)s, 3)

-- name: manages
select exists (select from veraz.agent a where a.id = %(agent_id)s
               and a.project_id in (select veraz.projects_with('manager')))

-- name: need_agents
select veraz.need_feature('ai_agents_enabled')
