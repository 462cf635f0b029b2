-- name: begin
select veraz.begin_forgetting(%(kind)s, %(subjects)s::text[])

-- name: forgetting
select id, kind, subjects, status, removed, created_by, created_at, finished_at from veraz.forgetting where id = %(id)s

-- name: forgettings
select id, kind, subjects, status, removed, created_by, created_at, finished_at from veraz.forgetting
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: tenant
select name from veraz.tenant where id = %(id)s

-- name: forget_tenant
select veraz.forget_tenant(%(id)s)

-- Somebody outside by the name they have for themselves: with the API, on WhatsApp, as a visitor of a website. Whoever calls
-- may name a conversation as they like, so such a name says nothing about who it is of.
-- name: end_user
select u.id::text as id from veraz.app_user u where u.email is null and u.external_id = %(name)s
union
select k.id::text from veraz.whatsapp_contact k where k.phone = ltrim(%(name)s, '+') or k.bsuid = %(name)s
union
select c.id::text from veraz.conversation c where c.channel = 'widget' and c.key_id::text = %(name)s

-- Or by an id of ours: the user, the contact, or one conversation with them. Each row is one way to read the name.
-- name: end_user_by_id
select array[u.id::text] as ids from veraz.app_user u where u.email is null and u.id::text = %(name)s
union all
select array[k.id::text] from veraz.whatsapp_contact k where k.id::text = %(name)s
union all
select veraz.who_talks(c) from veraz.conversation c where c.id::text = %(name)s

-- Or by the name that a caller gave to a conversation. Without a user it is the caller who tells their talks apart.
-- name: end_user_by_conversation
select c.id::text as conversation, coalesce(c.user_id, c.key_id)::text as whose, veraz.who_talks(c) as ids from veraz.conversation c where c.external_id = %(name)s order by c.id

-- name: machine_there
select exists (select from veraz.licence where machine_id = %(machine_id)s)
    or exists (select from veraz.document where machine_id = %(machine_id)s)
    or exists (select from veraz.conversation where machine_id = %(machine_id)s)
    or exists (select from veraz.query_log where machine_id = %(machine_id)s)

-- name: unnamed
update veraz.licence set user_name = '', metadata = '{}' where machine_id = %(machine_id)s
