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

-- How somebody outside is known: to the API, to WhatsApp, to KAIRO, as a visitor of a website, or by one conversation with them.
-- name: end_user
with known as (
    select c.id, c.user_id, c.channel, c.key_id from veraz.conversation c
    where c.id::text = %(name)s or c.external_id = %(name)s or (c.channel = 'widget' and c.key_id::text = %(name)s)
)
select u.id::text as id from veraz.app_user u
where u.email is null and (u.external_id = %(name)s or u.id in (select k.user_id from known k))
union
select k.id::text from veraz.whatsapp_contact k
where k.phone = ltrim(%(name)s, '+') or k.bsuid = %(name)s or k.conversation_id in (select c.id from known c)
    or exists (select from veraz.whatsapp_message m where m.contact_id = k.id and m.conversation_id in (select c.id from known c))
union
select c.id::text from veraz.conversation c
where (c.id in (select k.id from known k) and (c.user_id is null or c.channel in ('whatsapp', 'kairo')))
   or (c.channel = 'widget' and c.key_id in (select k.key_id from known k where k.channel = 'widget'))

-- name: machine_there
select exists (select from veraz.licence where machine_id = %(machine_id)s)
    or exists (select from veraz.document where machine_id = %(machine_id)s)
    or exists (select from veraz.conversation where machine_id = %(machine_id)s)
    or exists (select from veraz.query_log where machine_id = %(machine_id)s)

-- name: unnamed
update veraz.licence set user_name = '', metadata = '{}' where machine_id = %(machine_id)s
