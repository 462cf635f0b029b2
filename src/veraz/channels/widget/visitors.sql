-- name: widget_of
select id, tenant_id, project_id, agent_id, public_id, enabled, origins, title, greeting, colour, position, language,
       suggestions, sources, visitor_per_minute, per_minute, per_day, used_today
from veraz.widget_of(%(public_id)s)

-- Counts a question unless the day's are used up.
-- name: count
update veraz.widget w set used = case when w.used_on = today.date then w.used + 1 else 1 end, used_on = today.date
from (select (now() at time zone 'utc')::date as date) today
where w.id = %(id)s and (w.used_on is distinct from today.date or w.used < w.per_day)

-- name: current
select id, handoff_mode from veraz.conversation
where key_id = %(visitor_id)s and agent_id = %(agent_id)s and channel = 'widget'
order by id desc limit 1

-- The newest ones, oldest first; a turn that failed is not shown.
-- name: messages
select m.id, m.role, m.text, m.claims, m.refused, m.created_at from (
    select id, role, text, claims, refused, created_at from veraz.message
    where conversation_id = %(conversation_id)s and (%(after)s::uuid is null or id > %(after)s) and error is null
    order by id desc limit %(limit)s) m
order by m.id

-- name: claims
select m.claims from veraz.message m join veraz.conversation c on c.id = m.conversation_id
where m.id = %(message_id)s and m.role = 'assistant' and c.key_id = %(visitor_id)s and c.agent_id = %(agent_id)s

-- name: tell
insert into veraz.event (kind, payload) values ('conversation.message', %(payload)s)
