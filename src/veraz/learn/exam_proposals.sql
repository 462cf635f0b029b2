-- name: sample
select c.content, c.document_id
from veraz.reading_set(%(agent_id)s) r
join veraz.chunk c on c.edition_id = r.edition_id and c.kb_id = r.kb_id
where r.kind = 'global' and c.machine_id = 'global'
order by c.ordinal, c.id limit %(limit)s

-- name: known
select question from veraz.exam_question where agent_id = %(agent_id)s
