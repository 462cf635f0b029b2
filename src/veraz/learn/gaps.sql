-- name: missed
select q.question, 'refused' as reason, q.created_at as asked_at
from veraz.query_log q
where q.agent_id = %(agent_id)s and q.kind = 'ask' and q.refused and q.turn = 'question' and q.origin = 'person'
  and not exists (select from veraz.exam_question e
                  where e.agent_id = q.agent_id and e.must_refuse and e.question = q.question)
  and q.created_at > now() - make_interval(days => %(days)s)
union all
select coalesce((select u.text from veraz.message u where u.conversation_id = m.conversation_id and u.role = 'user'
                 and u.id < m.id order by u.id desc limit 1), '') as question, 'rated', f.created_at
from veraz.feedback f
join veraz.message m on m.id = f.message_id
join veraz.conversation c on c.id = m.conversation_id
where f.rating < 0 and not m.refused and c.agent_id = %(agent_id)s and m.turn = 'question'
  and c.channel not in ('studio', 'exam', 'eval')
  and f.created_at > now() - make_interval(days => %(days)s)
order by asked_at desc limit 2000
