-- name: questions
select q.id, q.agent_id, q.question, q.expected_text, q.expected_document_id, d.name as expected_document_name,
    q.must_refuse, q.origin, q.created_at
from veraz.exam_question q left join veraz.document d on d.id = q.expected_document_id
where q.agent_id = %(agent_id)s and (%(after)s::uuid is null or q.id > %(after)s)
order by q.id limit %(limit)s

-- name: question
select q.id, q.agent_id, q.question, q.expected_text, q.expected_document_id, d.name as expected_document_name,
    q.must_refuse, q.origin, q.created_at
from veraz.exam_question q left join veraz.document d on d.id = q.expected_document_id
where q.agent_id = %(agent_id)s and q.id = %(id)s

-- name: still_asked
select q.id::text from veraz.exam_question q where q.id = any (%(ids)s::text[]::uuid[])

-- name: change
update veraz.exam_question set question = %(question)s, expected_text = %(expected_text)s,
    expected_document_id = %(expected_document_id)s, must_refuse = %(must_refuse)s
where id = %(id)s and agent_id = %(agent_id)s

-- name: add
insert into veraz.exam_question (id, agent_id, question, expected_text, expected_document_id, must_refuse, origin)
values (%(id)s, %(agent_id)s, %(question)s, %(expected_text)s, %(expected_document_id)s, %(must_refuse)s, %(origin)s)

-- name: remove
delete from veraz.exam_question where id = %(id)s and agent_id = %(agent_id)s

-- name: runs
select id, agent_id, model, passed, failed, results, change_id, created_at from veraz.exam_run
where agent_id = %(agent_id)s and (%(after)s::uuid is null or id < %(after)s)
order by id desc limit %(limit)s

-- name: keep
insert into veraz.exam_run (id, agent_id, model, passed, failed, results, change_id)
values (%(id)s, %(agent_id)s, %(model)s, %(passed)s, %(failed)s, %(results)s::jsonb, %(change_id)s)
returning id, agent_id, model, passed, failed, results, change_id, created_at

-- name: last_live
select r.id, r.agent_id, r.model, r.passed, r.failed, r.results, r.change_id, r.created_at
from veraz.exam_run r left join veraz.agent_change c on c.id = r.change_id
where r.agent_id = %(agent_id)s and coalesce(c.status, 'applied') = 'applied'
order by r.id desc limit 1

-- name: changes
select id, agent_id, changes, status, message, run_id, created_at, decided_at from veraz.agent_change
where agent_id = %(agent_id)s and (%(after)s::uuid is null or id < %(after)s)
order by id desc limit %(limit)s
