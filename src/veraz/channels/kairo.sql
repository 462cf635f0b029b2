-- name: answers_there
select exists (select from veraz.whatsapp_contact c join veraz.whatsapp_number n on n.id = c.number_id
               where c.id = %(contact_id)s and n.agent_id = %(agent_id)s)

-- name: contacts_talk
select veraz.whatsapp_conversation_of(%(contact_id)s)

-- name: talk
select id from veraz.conversation
where agent_id = %(agent_id)s and (id = %(id)s::uuid or external_id = %(name)s) and veraz.is_mine(conversation)
order by id desc limit 1

-- name: start
insert into veraz.conversation (id, agent_id, project_id, user_id, key_id, machine_id, title, channel, external_id)
select %(id)s, a.id, a.project_id, (select veraz.current_user_id()), (select veraz.current_key()),
       nullif((select veraz.current_machine()), 'global'), %(title)s, 'kairo', %(name)s
from veraz.agent a where a.id = %(agent_id)s
on conflict do nothing
