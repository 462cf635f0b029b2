-- name: contact_of_talk
select c.id, c.project_id, c.number_id, c.conversation_id, c.last_in_at from veraz.whatsapp_contact c
where c.conversation_id = %(conversation_id)s
   or c.id in (select m.contact_id from veraz.whatsapp_message m where m.conversation_id = %(conversation_id)s)
limit 1

-- name: contact_of_lead
select c.id, c.project_id, c.number_id, c.conversation_id, c.last_in_at from veraz.whatsapp_contact c
where c.project_id = %(project_id)s and %(lead)s::text in (c.id::text, c.phone, c.bsuid)
order by c.last_in_at desc limit 1

-- name: talk
select veraz.whatsapp_conversation_of(%(contact_id)s)

-- name: last_answer
select id, text from veraz.message where conversation_id = %(conversation_id)s and role = 'assistant'
order by id desc limit 1

-- name: put
insert into veraz.whatsapp_message (id, number_id, contact_id, conversation_id, message_id, direction, text, part, state)
values (%(id)s, %(number_id)s, %(contact_id)s, %(conversation_id)s, %(message_id)s, 'out', %(text)s, %(part)s, 'ready')

-- name: deliveries
select id, conversation_id, message_id, direction, kind, state, error_code, error_text, said_at, sent_at, delivered_at,
       read_at, failed_at
from veraz.whatsapp_message
where conversation_id = %(id)s and (%(after)s::uuid is null or id > %(after)s)
order by id limit %(limit)s
