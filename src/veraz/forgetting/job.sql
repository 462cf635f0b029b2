-- name: forgetting
select id, kind, subjects, status, removed, created_by, created_at, finished_at from veraz.forgetting where id = %(id)s

-- name: begin
update veraz.forgetting set status = 'running' where id = %(id)s and status = 'pending'

-- name: attach
select set_config('veraz.forgetting', %(id)s::text, true)

-- name: sources
select s.id, s.text, s.what, s.language, s.document_id from (
    select s.id, s.text, s.what, s.language, s.document_id, sum(length(s.text)) over (order by s.id) as total
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

-- Also of what was asked later in a talk that was cut off: what was said before was read with it.
-- name: traces
delete from veraz.query_trace t
where t.query_id in (select m.query_id from veraz.message m where m.forgotten_at is not null)
   or (t.trace ->> 'history')::int > 0 and exists (
       select from veraz.conversation c where c.id = t.conversation_id and c.forgotten_at >= t.created_at)

-- name: reasons
update veraz.feedback f set reason = ''
where f.reason <> '' and f.message_id in (select m.id from veraz.message m where m.forgotten_at is not null)

-- name: sent
update veraz.whatsapp_message w set text = '[olvidado]',
    state = case when w.direction = 'out' and w.state in ('waiting', 'ready') then 'kept' else w.state end
where w.text <> '[olvidado]' and w.message_id in (select m.id from veraz.message m where m.forgotten_at is not null)

-- What was made from these documents or chunks, as it says itself.

-- name: expected
delete from veraz.exam_question where expected_document_id = any (%(documents)s::uuid[])

-- How a question was answered that read one of them.
-- name: traces_that_read
delete from veraz.query_trace t
where exists (select from jsonb_array_elements(t.trace -> 'passages') p
              where (p ->> 'document_id' = any (%(ids)s::text[]) or p ->> 'chunk_id' = any (%(ids)s::text[]))
                and (p ->> 'number' is not null or (p ->> 'quoted')::boolean))

-- Where it was only found, its place goes.
-- name: traces_that_found
update veraz.query_trace t set trace = jsonb_set(t.trace, '{passages}', (
    select coalesce(jsonb_agg(p.value order by p.ordinality), '[]')
    from jsonb_array_elements(t.trace -> 'passages') with ordinality p
    where (p.value ->> 'document_id' = any (%(ids)s::text[]) or p.value ->> 'chunk_id' = any (%(ids)s::text[])) is not true))
where exists (select from jsonb_array_elements(t.trace -> 'passages') p
              where p ->> 'document_id' = any (%(ids)s::text[]) or p ->> 'chunk_id' = any (%(ids)s::text[]))

-- name: exam_answers
update veraz.exam_run r set results = (
    select jsonb_agg(case when coalesce(e.value -> 'documents', '[]') ?| %(ids)s::text[]
        then e.value || '{"answer": "[olvidado]", "expected_text": null}' else e.value end order by e.ordinality)
    from jsonb_array_elements(r.results) with ordinality e)
where exists (select from jsonb_array_elements(r.results) e
              where coalesce(e -> 'documents', '[]') ?| %(ids)s::text[] and e ->> 'answer' <> '[olvidado]')
