-- A machine: its memory, what was said and searched in front of it, whom it greets.

-- name: machine_words
insert into veraz.forgetting_source (forgetting_id, what, text)
select %(id)s::uuid, w.what, w.text from (
    select 'name' as what, l.user_name as text from veraz.licence l where l.machine_id = any (%(subjects)s)
    union
    select 'text', l.metadata::text from veraz.licence l where l.machine_id = any (%(subjects)s)
    union
    select 'typed', m.text from veraz.message m join veraz.conversation c on c.id = m.conversation_id
    where c.machine_id = any (%(subjects)s) and m.role = 'user' and m.forgotten_at is null
    union
    select 'typed', q.question from veraz.query_log q where q.machine_id = any (%(subjects)s)
) w where btrim(w.text) <> '' and w.text <> '[olvidado]'

-- Whoever is adding something for it stops, and what they have added so far is seen from here on.
-- name: machine_jobs
update veraz.job set status = 'FAILED', worker = null, lease_until = null, error_code = %(code)s, error_message = %(message)s,
    finished_at = clock_timestamp()
where status in ('PENDING', 'RUNNING') and kind = 'crawl' and payload ->> 'machine_id' = any (%(subjects)s)

-- What was being added when it began. Of a machine that goes on, what came later is new.
-- name: machine_latecomers
delete from veraz.document d using veraz.forgetting f
where f.id = %(id)s and d.machine_id = any (%(subjects)s) and (d.created_at <= f.created_at or exists (
    select from veraz.licence l where l.machine_id = d.machine_id and l.status <> 'active'))

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
insert into veraz.forgetting_source (forgetting_id, what, text)
select %(id)s::uuid, w.what, w.text from (
    select 'name' as what, n.name as text from veraz.whatsapp_contact k, lateral (values (k.name), (k.phone), (k.bsuid)) n(name)
    where k.id::text = any (%(subjects)s)
    union
    select 'typed', m.text from veraz.whatsapp_message m where m.contact_id::text = any (%(subjects)s) and m.direction = 'in'
    union
    select 'typed', m.text from veraz.message m join veraz.conversation c on c.id = m.conversation_id
    where c.id::text = any (%(subjects)s) and m.role = 'user' and m.forgotten_at is null
    union
    select 'name', c.external_id from veraz.conversation c where c.id::text = any (%(subjects)s)
) w where btrim(w.text) <> '' and w.text <> '[olvidado]'

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

-- What a user asked and rated, of either kind: by whose it is.

-- name: asked_by
update veraz.query_log set question = '[olvidado]', rewrites = '{}', scores = '[]', user_id = null
where user_id::text = any (%(subjects)s)

-- name: traces_of
delete from veraz.query_trace where user_id::text = any (%(subjects)s)

-- name: rated_by
update veraz.feedback set reason = '', user_id = null where user_id::text = any (%(subjects)s)

-- What was told of conversations that are gone.
-- name: told_of
delete from veraz.webhook_delivery w
where w.data ? 'message' and not exists (select from veraz.conversation c where c.id::text = w.data ->> 'conversation_id')

-- name: events_of
update veraz.event e set payload = e.payload || '{"message": "[olvidado]"}'
where e.payload ? 'message' and e.payload ->> 'message' <> '[olvidado]'
  and not exists (select from veraz.conversation c where c.id::text = e.payload ->> 'conversation_id')
