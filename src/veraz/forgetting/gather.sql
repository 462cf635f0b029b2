-- A machine: its memory, what was said and searched in front of it, whom it greets.

-- name: machine_words
insert into veraz.forgetting_source (forgetting_id, text)
select %(id)s::uuid, w.text from (
    select m.text from veraz.message m join veraz.conversation c on c.id = m.conversation_id
    where c.machine_id = any (%(subjects)s) and m.role = 'user'
    union all
    select q.question from veraz.query_log q where q.machine_id = any (%(subjects)s)
    union all
    select concat_ws(E'\n', l.user_name, l.metadata::text) from veraz.licence l where l.machine_id = any (%(subjects)s)
) w where btrim(w.text) <> '' and w.text <> '[olvidado]'

-- name: machine_documents
delete from veraz.document where machine_id = any (%(subjects)s)

-- name: machine_conversations
delete from veraz.conversation where machine_id = any (%(subjects)s)

-- name: machine_queries
update veraz.query_log set question = '[olvidado]', rewrites = '{}', scores = '[]'
where machine_id = any (%(subjects)s) and question <> '[olvidado]'

-- name: machine_traces
delete from veraz.query_trace t using veraz.query_log q where q.id = t.query_id and q.machine_id = any (%(subjects)s)

-- name: machine_audit
select veraz.forget_in_audit(%(id)s, '{}', 'licence', array(
    select a.thing_id from veraz.audit_entry a where a.thing = 'licence'
      and a.changes -> 'machine_id' ?| %(subjects)s::text[]))

-- An end user of a channel: their contact on WhatsApp with everything said, their conversations. Users of the API are rows of
-- app_user, whose own trigger gathers what is theirs.

-- name: end_user_words
insert into veraz.forgetting_source (forgetting_id, text)
select %(id)s::uuid, w.text from (
    select concat_ws(E'\n', k.name, k.phone, k.bsuid) as text from veraz.whatsapp_contact k where k.id::text = any (%(subjects)s)
    union all
    select m.text from veraz.whatsapp_message m where m.contact_id::text = any (%(subjects)s) and m.direction = 'in'
    union all
    select m.text from veraz.message m join veraz.conversation c on c.id = m.conversation_id
    where c.id::text = any (%(subjects)s) and m.role = 'user'
    union all
    select c.external_id from veraz.conversation c where c.id::text = any (%(subjects)s)
) w where btrim(w.text) <> ''

-- name: end_user_talks
select t.query_id::text from veraz.message t where t.query_id is not null and t.conversation_id in (
    select c.id from veraz.conversation c where c.id::text = any (%(subjects)s)
    union select w.conversation_id from veraz.whatsapp_message w where w.contact_id::text = any (%(subjects)s)
    union select k.conversation_id from veraz.whatsapp_contact k where k.id::text = any (%(subjects)s))

-- name: end_user_queries
update veraz.query_log set question = '[olvidado]', rewrites = '{}', scores = '[]' where id::text = any (%(queries)s)

-- name: end_user_traces
delete from veraz.query_trace where query_id::text = any (%(queries)s)

-- name: end_user_conversations
delete from veraz.conversation where id in (
    select c.id from veraz.conversation c where c.id::text = any (%(subjects)s)
    union select w.conversation_id from veraz.whatsapp_message w where w.contact_id::text = any (%(subjects)s)
    union select k.conversation_id from veraz.whatsapp_contact k where k.id::text = any (%(subjects)s))

-- name: end_user_rows
select veraz.remove_end_users(%(id)s, %(subjects)s::text[])

-- name: end_user_contacts
delete from veraz.whatsapp_contact where id::text = any (%(subjects)s)
