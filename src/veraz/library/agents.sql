-- name: agents
select id, project_id, name, company_name, description, system_prompt, answer_style, model, fallback_model,
       allows_personal_corpus, language, fallback_message, handoff_on_refusal, retrieval, exam_blocks, judge_model,
       (select count(*) from veraz.agent_change c where c.agent_id = agent.id and c.status = 'waiting') as waiting_changes,
       created_at, updated_at
from veraz.agent
where (%(after)s::uuid is null or id < %(after)s)
  and (%(project_id)s::uuid is null or project_id = %(project_id)s)
  and (%(name)s::text is null or lower(name) = lower(%(name)s))
order by id desc limit %(limit)s

-- name: agent
select id, project_id, name, company_name, description, system_prompt, answer_style, model, fallback_model,
       allows_personal_corpus, language, fallback_message, handoff_on_refusal, retrieval, exam_blocks, judge_model,
       (select count(*) from veraz.agent_change c where c.agent_id = agent.id and c.status = 'waiting') as waiting_changes,
       created_at, updated_at
from veraz.agent where id = %(id)s

-- name: add
insert into veraz.agent (id, project_id, name, company_name, description, system_prompt, answer_style, model,
    fallback_model, allows_personal_corpus, language, fallback_message, handoff_on_refusal, retrieval,
    exam_blocks, judge_model, created_by)
values (%(id)s, %(project_id)s, %(name)s, %(company_name)s, %(description)s, %(system_prompt)s, %(answer_style)s, %(model)s,
    %(fallback_model)s, %(allows_personal_corpus)s, %(language)s, %(fallback_message)s, %(handoff_on_refusal)s,
    %(retrieval)s, %(exam_blocks)s, %(judge_model)s, %(created_by)s)

-- name: change
update veraz.agent set
    name = %(name)s, company_name = %(company_name)s, description = %(description)s, system_prompt = %(system_prompt)s,
    answer_style = %(answer_style)s, model = %(model)s, fallback_model = %(fallback_model)s,
    allows_personal_corpus = %(allows_personal_corpus)s, language = %(language)s,
    fallback_message = %(fallback_message)s, handoff_on_refusal = %(handoff_on_refusal)s, retrieval = %(retrieval)s,
    exam_blocks = %(exam_blocks)s, judge_model = %(judge_model)s
where id = %(id)s

-- name: examined
select exists (select from veraz.exam_question where agent_id = %(id)s)

-- name: examine
insert into veraz.agent_change (id, agent_id, changes, status, decided_at, created_by)
values (%(change_id)s, %(id)s, %(changes)s::jsonb, %(status)s::text, case when %(status)s::text = 'applied' then now() end,
    (select veraz.current_user_id()))

-- name: delete
delete from veraz.agent where id = %(id)s

-- name: own_kb_name
-- The agent's id goes with it only where another knowledge base of the project has that name.
select %(name)s || case when exists (
    select from veraz.knowledge_base kb
    where kb.project_id = a.project_id and lower(kb.name) = lower(%(name)s)) then ' · ' || right(a.id::text, 8) else '' end
from veraz.agent a where a.id = %(id)s

-- name: own_kb
select id from veraz.knowledge_base where agent_id = %(id)s
