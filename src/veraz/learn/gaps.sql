-- name: missed
select agent_id, question, reason, asked_at from (
select q.agent_id, q.question, 'refused' as reason, q.created_at as asked_at
from veraz.query_log q
where q.agent_id = any (%(agent_ids)s) and q.kind = 'ask' and q.refused and q.turn = 'question' and q.origin = 'person'
  -- answered by hand since
  and not exists (select from veraz.knowledge_base k join veraz.document d on d.kb_id = k.id
                  where k.agent_id = q.agent_id and d.origin = 'manual' and d.created_at > q.created_at
                    and lower(d.name) = lower(q.question))
  and q.created_at > now() - make_interval(days => %(days)s)
union all
select c.agent_id, coalesce((select u.text from veraz.message u where u.conversation_id = m.conversation_id and u.role = 'user'
                 and u.id < m.id order by u.id desc limit 1), '') as question, 'rated', f.created_at
from veraz.feedback f
join veraz.message m on m.id = f.message_id
join veraz.conversation c on c.id = m.conversation_id
where f.rating < 0 and not m.refused and c.agent_id = any (%(agent_ids)s) and m.turn = 'question'
  and c.channel not in ('studio', 'exam', 'eval')
  and f.created_at > now() - make_interval(days => %(days)s)
) missed
-- what it must not answer is no gap, nor what was forgotten
where missed.question not like '[olvidado%%' and not exists (select from veraz.exam_question e
                  where e.agent_id = missed.agent_id and e.must_refuse and e.question = missed.question)
order by asked_at desc limit %(most)s
