-- The row is locked until the transaction ends: a message that arrives now waits, and then finds the contact free or taken.
-- name: take
update veraz.whatsapp_contact c set job_id = %(job)s
where c.id = %(contact_id)s and (c.job_id is null or c.job_id = %(job)s
    or not exists (select from veraz.job j where j.id = c.job_id and j.status in ('PENDING', 'RUNNING')))

-- name: again
update veraz.whatsapp_message set state = case direction when 'in' then 'waiting' else 'ready' end, job_id = null,
    failed_at = null
where job_id = %(job)s and state = 'failed'

-- What is ready to go out goes first: it belongs to what was said before.
-- name: next
select m.id, m.direction, m.kind, m.text, m.state, m.asked_after, m.sending_at, m.conversation_id, v.agent_id,
       v.handoff_mode, a.language, c.id as contact_id, c.phone, c.bsuid, c.last_in_at, n.id as number_id, n.project_id,
       n.phone_number_id, n.answered_by, n.access_token_sealed
from veraz.whatsapp_message m
join veraz.whatsapp_contact c on c.id = m.contact_id
join veraz.whatsapp_number n on n.id = c.number_id
join veraz.conversation v on v.id = m.conversation_id
join veraz.agent a on a.id = v.agent_id
where m.contact_id = %(contact_id)s and m.state in ('waiting', 'ready', 'sending')
order by m.direction desc, m.said_at, m.part, m.id limit 1

-- name: leave
update veraz.whatsapp_contact set job_id = null where id = %(contact_id)s and job_id = %(job)s

-- name: wake
select veraz.wake_whatsapp(%(contact_id)s)

-- name: asking
update veraz.whatsapp_message set asked_after = %(marker)s where id = any (%(ids)s)

-- Seconds since the contact's last message came.
-- name: quiet_since
select extract(epoch from clock_timestamp() - max(m.created_at))::float8 from veraz.whatsapp_message m
where m.contact_id = %(contact_id)s and m.direction = 'in' and m.state = 'waiting'

-- The messages of one turn: those asked together before, else those that wait, up to the first without text.
-- name: together
with waiting as (
    select m.id, m.text, m.said_at, m.part, m.asked_after,
           count(*) filter (where m.text is null) over (order by m.said_at, m.part, m.id) as without_text
    from veraz.whatsapp_message m
    where m.contact_id = %(contact_id)s and m.direction = 'in' and m.state = 'waiting'
)
select w.id, w.text from waiting w
where w.asked_after is not distinct from %(marker)s::uuid and w.without_text = 0
order by w.said_at, w.part, w.id limit 20

-- name: answered
select id, text, refusal from veraz.message
where conversation_id = %(conversation_id)s and id > %(after)s and role = 'assistant' and error is null
  and query_id is not null
order by id limit 1

-- name: forget
delete from veraz.message
where conversation_id = %(conversation_id)s and id > %(after)s
  and ((role = 'user' and text = %(text)s) or (role = 'assistant' and error is not null))

-- name: done
update veraz.whatsapp_message set state = %(state)s, text = null where id = any (%(ids)s)

-- name: just_said
select exists (select from veraz.message where conversation_id = %(conversation_id)s and role = 'assistant'
    and text = %(text)s and created_at > now() - interval '1 minute')

-- name: tell
insert into veraz.event (kind, payload) values ('conversation.message', %(payload)s)
