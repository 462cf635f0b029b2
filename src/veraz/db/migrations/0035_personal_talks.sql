-- An answer that follows one from personal knowledge may repeat it, and so may its other wordings. New ones are marked as they
-- are written; these are those from before.
update veraz.message m set personal = true
where m.role = 'assistant' and not m.personal and exists (
    select from veraz.message b where b.conversation_id = m.conversation_id and b.id < m.id and b.personal);
update veraz.query_log q set rewrites = '{}'
from veraz.message m where m.query_id = q.id and m.personal and q.rewrites <> '{}';
-- Exams that people ran were answered with their own knowledge too: where an agent reads somebody's, the answers go.
update veraz.exam_run r set results = (
    select coalesce(jsonb_agg(x.result || '{"answer": ""}' order by x.place), '[]')
    from jsonb_array_elements(r.results) with ordinality x(result, place))
where r.change_id is null and exists (
    select from veraz.assignment a join veraz.knowledge_base kb on kb.id = a.kb_id
    where a.agent_id = r.agent_id and kb.kind = 'personal');
