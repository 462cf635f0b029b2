-- Each table by pages: its key and the words that may repeat what was forgotten; then what becomes of rows that do. Of what
-- stands «beside» only telling words count: it may use the same words as what was forgotten, and was not made from it.
-- Answers that stand on evidence went with their documents, or stand on others: there a name is all that can be repeated.

-- name: message_rows
select id::text as key, case when m.stands then '[]' else said end as words, case when m.stands then said else '[]' end as beside
from (
    select m.id, jsonb_build_array(m.text, m.claims, m.held_back, m.error) as said,
        m.role = 'assistant' and exists (
            select from jsonb_array_elements(m.evidence) e where (e ->> 'cited')::boolean) as stands
    from veraz.message m where m.forgotten_at is null) m
where %(after)s::text is null or id > %(after)s::text::uuid
order by id limit 500

-- name: message_forget
with blanked as (
    update veraz.message set text = veraz.forgotten_mark(%(kind)s), claims = '[]', evidence = '[]', held_back = '[]', error = null,
        forgotten_at = now(), forgotten_why = %(kind)s
    where id = any (%(keys)s::text[]::uuid[])
    returning conversation_id
)
update veraz.conversation set forgotten_at = clock_timestamp() where id in (select conversation_id from blanked)

-- name: conversation_rows
select id::text as key, jsonb_build_array(title) as words from veraz.conversation
where %(after)s::text is null or id > %(after)s::text::uuid order by id limit 500

-- name: conversation_forget
update veraz.conversation set title = '[olvidado]' where id = any (%(keys)s::text[]::uuid[])

-- name: feedback_rows
select id::text as key, jsonb_build_array(reason) as words from veraz.feedback
where reason <> '' and (%(after)s::text is null or id > %(after)s::text::uuid) order by id limit 500

-- name: feedback_forget
update veraz.feedback set reason = '' where id = any (%(keys)s::text[]::uuid[])

-- name: query_log_rows
select id::text as key, jsonb_build_array(question, rewrites, stages, scores) as words from veraz.query_log
where %(after)s::text is null or id > %(after)s::text::uuid order by id limit 500

-- name: query_log_forget
update veraz.query_log set question = '[olvidado]', rewrites = '{}', scores = '[]'
where id = any (%(keys)s::text[]::uuid[])

-- name: query_trace_rows
select query_id::text as key, jsonb_build_array(trace - 'calls') as words, trace -> 'calls' as beside from veraz.query_trace
where %(after)s::text is null or query_id > %(after)s::text::uuid order by query_id limit 50

-- name: query_trace_forget
delete from veraz.query_trace where query_id = any (%(keys)s::text[]::uuid[])

-- name: exam_question_rows
select id::text as key, jsonb_build_array(question, expected_text) as words from veraz.exam_question q
where (%(after)s::text is null or id > %(after)s::text::uuid)
  and not exists (select from veraz.document d where d.id = q.expected_document_id)
order by id limit 500

-- name: exam_question_forget
delete from veraz.exam_question where id = any (%(keys)s::text[]::uuid[])

-- name: domain_intelligence_rows
select kb_id::text as key, jsonb_build_array(user_input, interpreted_intent, subdomains, source_categories, critical_variables,
    validation_queries, known_debates, recommended_config, (
        select k.description from veraz.knowledge_base k where k.id = d.kb_id and k.described_by_domain)) as words
from veraz.domain_intelligence d
where %(after)s::text is null or kb_id > %(after)s::text::uuid order by kb_id limit 500

-- name: domain_intelligence_forget
delete from veraz.domain_intelligence where kb_id = any (%(keys)s::text[]::uuid[])

-- name: whatsapp_message_rows
select id::text as key, jsonb_build_array(text, error_text) as words from veraz.whatsapp_message
where %(after)s::text is null or id > %(after)s::text::uuid order by id limit 500

-- name: whatsapp_message_forget
update veraz.whatsapp_message set text = '[olvidado]', error_text = null,
    state = case when direction = 'out' and state in ('waiting', 'ready') then 'kept' else state end
where id = any (%(keys)s::text[]::uuid[])

-- name: webhook_delivery_rows
select id::text as key, jsonb_build_array(data, error) as words from veraz.webhook_delivery
where %(after)s::text is null or id > %(after)s::text::uuid order by id limit 500

-- name: webhook_delivery_forget
delete from veraz.webhook_delivery where id = any (%(keys)s::text[]::uuid[])

-- name: audit_entry_rows
select id::text as key, jsonb_build_array(changes) as words from veraz.audit_entry
where %(after)s::text is null or id > %(after)s::text::bigint order by id limit 500

-- name: audit_entry_forget
select veraz.forget_in_audit(%(forgetting_id)s, %(keys)s::text[]::bigint[], '', '{}')

-- Those keep their shape: only the strings that repeat it are blanked.

-- name: exam_run_rows
select id::text as key, results as words from veraz.exam_run
where %(after)s::text is null or id > %(after)s::text::uuid order by id limit 50

-- name: exam_run_keep
update veraz.exam_run set results = %(words)s::jsonb where id = %(key)s::text::uuid

-- name: agent_change_rows
select id::text as key, message as words from veraz.agent_change
where message is not null and (%(after)s::text is null or id > %(after)s::text::uuid) order by id limit 500

-- name: agent_change_keep
update veraz.agent_change set message = %(words)s::jsonb where id = %(key)s::text::uuid

-- name: event_rows
select id::text as key, payload as words from veraz.event
where payload <> '{}' and (%(after)s::text is null or id > %(after)s::text::bigint) order by id limit 500

-- name: event_keep
update veraz.event set payload = %(words)s::jsonb where id = %(key)s::text::bigint

-- Jobs that wait or run are left to their work.
-- name: job_rows
select id::text as key, jsonb_build_array(payload, error_message, stage) as words from veraz.job
where status not in ('PENDING', 'RUNNING') and (%(after)s::text is null or id > %(after)s::text::uuid) order by id limit 500

-- name: job_keep
update veraz.job set payload = %(words)s::jsonb -> 0, error_message = %(words)s::jsonb ->> 1
where id = %(key)s::text::uuid and status not in ('PENDING', 'RUNNING')

-- name: job_history_rows
select id::text as key, jsonb_build_array(payload, error_message, stage) as words from veraz.job_history
where %(after)s::text is null or id > %(after)s::text::uuid order by id limit 500

-- name: job_history_keep
update veraz.job_history set payload = %(words)s::jsonb -> 0, error_message = %(words)s::jsonb ->> 1
where id = %(key)s::text::uuid

-- name: typed_by_others
with typed as materialized (select t.text, veraz.plain(t.text) as said from unnest(%(texts)s::text[]) t(text)),
others as materialized (
    select veraz.plain(q.question) as said from veraz.query_log q
    where q.origin in ('person', 'program') and veraz.plain(q.question) in (select said from typed)
    union
    select veraz.plain(m.text) from veraz.message m where m.role = 'user' and veraz.plain(m.text) in (select said from typed)
)
select t.text from typed t join others o using (said)

-- name: languages
select distinct left(lower(language), 2) from veraz.knowledge_base
