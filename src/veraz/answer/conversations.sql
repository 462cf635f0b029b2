-- name: all
select c.id, c.agent_id, c.user_id, c.machine_id, c.channel, c.title, c.handoff_mode, c.created_at, c.updated_at,
       coalesce(nullif(u.display_name, ''), u.email, u.external_id, '') as asked_by, veraz.is_unread(c) as unread,
       veraz.is_mine(c) as mine
from veraz.conversation c left join veraz.app_user u on u.id = c.user_id
where (%(moment)s::timestamptz is null or (c.updated_at, c.id) < (%(moment)s, %(after)s::uuid))
  and (%(agent_id)s::uuid is null or c.agent_id = %(agent_id)s)
  and exists (select from veraz.message m where m.conversation_id = c.id)
  and (not %(waiting)s or veraz.is_waiting(c))
  and (not %(mine)s or c.user_id = (select veraz.current_user_id()) or c.user_id is null and (select veraz.current_user_id()) is null
       and c.key_id = (select veraz.current_key()))
  and not exists (
      select from unnest(%(words)s::text[]) w(word)
      where strpos(veraz.plain(c.title), w.word) = 0 and not exists (
          select from veraz.message m where m.conversation_id = c.id and strpos(veraz.plain(m.text), w.word) > 0))
order by c.updated_at desc, c.id desc limit %(limit)s

-- name: conversation
select c.id, c.agent_id, c.user_id, c.machine_id, c.channel, c.title, c.handoff_mode, c.created_at, c.updated_at,
       coalesce(nullif(u.display_name, ''), u.email, u.external_id, '') as asked_by, veraz.is_unread(c) as unread,
       veraz.is_mine(c) as mine
from veraz.conversation c left join veraz.app_user u on u.id = c.user_id where c.id = %(id)s

-- name: passed_on
select veraz.is_passed_on(c) from veraz.conversation c where c.id = %(id)s

-- name: waiting_count
select count(*) from veraz.conversation c
where c.handoff_mode = 'human' and c.project_id in (select veraz.projects_with('manager')) and veraz.is_waiting(c)

-- name: rename
update veraz.conversation set title = %(title)s where id = %(id)s

-- name: entitle
update veraz.conversation set title = %(title)s where id = %(id)s and title = ''

-- name: seen
update veraz.conversation set seen_at = now()
where id = %(id)s and project_id in (select veraz.projects_with('manager'))

-- name: kept
select true from veraz.conversation where id = %(id)s for key share

-- name: start
insert into veraz.conversation (id, agent_id, project_id, user_id, key_id, machine_id, title, channel)
select %(id)s, a.id, a.project_id, (select veraz.current_user_id()), (select veraz.current_key()),
       nullif((select veraz.current_machine()), 'global'), %(title)s, %(channel)s
from veraz.agent a where a.id = %(agent_id)s
returning id, agent_id, user_id, machine_id, channel, title, handoff_mode, created_at, updated_at, '' as asked_by, false as unread,
    true as mine

-- name: hand_over
update veraz.conversation set handoff_mode = %(mode)s, updated_at = now(),
    handoff_at = case when %(mode)s = 'human' then now() end
where id = %(id)s

-- name: give_back
update veraz.conversation set handoff_mode = 'ai', handoff_at = null
where id = %(id)s and handoff_mode = 'human' and handoff_at < now() - make_interval(hours => %(hours)s)

-- name: still_here
update veraz.conversation set seen_at = now(), handoff_at = case when handoff_mode = 'human' then now() end
where id = %(id)s

-- name: event
insert into veraz.event (kind, payload) values ('conversation.handoff', %(payload)s)

-- name: refused
insert into veraz.event (kind, payload)
select 'answer.refused', jsonb_build_object('conversation_id', c.id, 'agent_id', c.agent_id,
    'message_id', %(message_id)s::uuid, 'refusal', %(refusal)s::text)
from veraz.conversation c where c.id = %(id)s

-- name: delete
delete from veraz.conversation where id = %(id)s

-- name: say
with touched as (update veraz.conversation set updated_at = now() where id = %(conversation_id)s)
insert into veraz.message (id, conversation_id, role, text)
values (%(id)s, %(conversation_id)s, %(role)s, %(text)s)

-- name: answer
with touched as (update veraz.conversation set updated_at = now() where id = %(conversation_id)s)
insert into veraz.message (id, conversation_id, role, text, refused, refusal, corrected, model, input_tokens,
    output_tokens, cost_usd, answerability, claims, evidence, latency_ms, error, query_id, personal, turn, degraded,
    held_back)
values (%(id)s, %(conversation_id)s, 'assistant', %(text)s, %(refused)s, %(refusal)s, %(corrected)s, %(model)s,
    %(input_tokens)s, %(output_tokens)s, %(cost_usd)s, %(answerability)s, %(claims)s::jsonb, %(evidence)s::jsonb,
    %(latency_ms)s, %(error)s, %(query_id)s, %(personal)s, %(turn)s, %(degraded)s, %(held_back)s::jsonb)

-- name: messages
select m.id, m.conversation_id, m.role, m.text, m.refused, m.refusal, m.corrected, m.model, m.input_tokens,
       m.output_tokens, m.cost_usd, m.answerability::float8 as answerability, m.claims, m.evidence,
       m.latency_ms::float8 as latency_ms, m.error, m.query_id, m.created_at, m.turn, m.forgotten_at, m.forgotten_why,
       case when c.project_id in (select veraz.projects_with('manager')) then m.degraded end as degraded,
       case when c.project_id in (select veraz.projects_with('manager')) then m.held_back else '[]' end as held_back,
       (select f.rating::int from veraz.feedback f where f.message_id = m.id order by f.created_at desc limit 1) as rating
from veraz.message m join veraz.conversation c on c.id = m.conversation_id
where m.conversation_id = %(id)s and (%(after)s::uuid is null or m.id > %(after)s)
order by m.id limit %(limit)s

-- name: message
select m.id, m.conversation_id, m.role, m.text, m.refused, m.refusal, m.corrected, m.model, m.input_tokens,
       m.output_tokens, m.cost_usd, m.answerability::float8 as answerability, m.claims, m.evidence,
       m.latency_ms::float8 as latency_ms, m.error, m.query_id, m.created_at, m.turn, m.forgotten_at, m.forgotten_why,
       case when c.project_id in (select veraz.projects_with('manager')) then m.degraded end as degraded,
       case when c.project_id in (select veraz.projects_with('manager')) then m.held_back else '[]' end as held_back,
       (select f.rating::int from veraz.feedback f where f.message_id = m.id order by f.created_at desc limit 1) as rating
from veraz.message m join veraz.conversation c on c.id = m.conversation_id where m.id = %(id)s

-- name: rate
insert into veraz.feedback (id, message_id, user_id, rating, reason)
values (%(id)s, %(message_id)s, (select veraz.current_user_id()), %(rating)s, %(reason)s)
on conflict (message_id, user_id) do update set rating = excluded.rating, reason = excluded.reason, created_at = now()
