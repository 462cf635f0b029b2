-- name: forgetting
select id, kind, subjects, status, removed, created_by, created_at, finished_at from veraz.forgetting where id = %(id)s

-- name: begin
update veraz.forgetting set status = 'running' where id = %(id)s and status = 'pending'

-- name: attach
select set_config('veraz.forgetting', %(id)s::text, true)

-- name: sources
select s.id, s.text from (
    select s.id, s.text, sum(length(s.text)) over (order by s.id) as total
    from veraz.forgetting_source s where s.forgetting_id = %(id)s) s
where s.total - length(s.text) < %(most)s order by s.id

-- name: swept
delete from veraz.forgetting_source where forgetting_id = %(id)s and id <= %(last)s

-- name: count
update veraz.forgetting set removed = (
    select jsonb_object_agg(k, coalesce((removed ->> k)::bigint, 0) + coalesce((%(removed)s::jsonb ->> k)::bigint, 0))
    from (select jsonb_object_keys(removed || %(removed)s::jsonb) as k) keys)
where id = %(id)s and %(removed)s::jsonb <> '{}'

-- name: gone_tenants
select * from veraz.gone_tenants(%(ids)s)

-- name: done
update veraz.forgetting set status = 'done', finished_at = now() where id = %(id)s

-- What hangs on what was forgotten by id, whatever its words are.

-- name: traces
delete from veraz.query_trace t
where t.query_id in (select m.query_id from veraz.message m where m.forgotten_at is not null)

-- name: reasons
update veraz.feedback f set reason = ''
where f.reason <> '' and f.message_id in (select m.id from veraz.message m where m.forgotten_at is not null)

-- name: sent
update veraz.whatsapp_message w set text = '[olvidado]',
    state = case when w.direction = 'out' and w.state in ('waiting', 'ready') then 'kept' else w.state end
where w.text <> '[olvidado]' and w.message_id in (select m.id from veraz.message m where m.forgotten_at is not null)

-- name: expected
delete from veraz.exam_question where expected_document_id::text = any (%(subjects)s)

-- name: asked_by
update veraz.query_log set question = '[olvidado]', rewrites = '{}', user_id = null
where user_id::text = any (%(subjects)s)

-- name: traces_of
delete from veraz.query_trace where user_id::text = any (%(subjects)s)

-- name: rated_by
update veraz.feedback set reason = '', user_id = null where user_id::text = any (%(subjects)s)
