-- name: history
select role, text, turn from veraz.message
where conversation_id = %(id)s and error is null and (%(before)s::uuid is null or id < %(before)s)
order by id desc limit %(limit)s

-- name: unanswered
select m.id, m.text from veraz.message m
where m.conversation_id = %(id)s and m.role = 'user' and not exists (
    select from veraz.message later
    where later.conversation_id = m.conversation_id and later.id > m.id and (later.role <> 'assistant' or later.error is null))
order by m.id desc limit 1

-- name: forget_failed
delete from veraz.message where conversation_id = %(id)s and id > %(after)s and role = 'assistant' and error is not null
