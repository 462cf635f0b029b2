-- name: history
select m.role, m.text, m.turn from veraz.message m join veraz.conversation c on c.id = m.conversation_id
where m.conversation_id = %(id)s and m.error is null and (%(before)s::uuid is null or m.id < %(before)s)
  and m.forgotten_at is null and (c.forgotten_at is null or m.created_at > c.forgotten_at)
order by m.id desc limit %(limit)s

-- name: holds_personal
select exists (select from veraz.message where conversation_id = %(id)s and personal)

-- name: cut_at
select forgotten_at from veraz.conversation where id = %(id)s

-- name: still_known
select veraz.still_known(%(documents)s::uuid[])

-- name: stands
select exists (select from veraz.message where id = %(id)s and forgotten_at is null)

-- name: blank
update veraz.message set text = veraz.forgotten_mark('document'), forgotten_at = now(), forgotten_why = 'document'
where id = %(id)s

-- name: unanswered
select m.id, m.text from veraz.message m
where m.conversation_id = %(id)s and m.role = 'user' and not exists (
    select from veraz.message later
    where later.conversation_id = m.conversation_id and later.id > m.id and (later.role <> 'assistant' or later.error is null))
order by m.id desc limit 1

-- name: forget_failed
delete from veraz.message where conversation_id = %(id)s and id > %(after)s and role = 'assistant' and error is not null
