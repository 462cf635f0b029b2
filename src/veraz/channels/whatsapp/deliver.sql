-- name: begin
update veraz.whatsapp_message m set state = 'sending', sending_at = clock_timestamp()
from veraz.job j
where m.id = %(id)s and m.state in ('ready', 'sending')
  and j.id = %(job)s and j.status = 'RUNNING' and j.worker = %(worker)s and j.claims = %(claims)s

-- A report may have been faster than Meta's answer.
-- name: sent
update veraz.whatsapp_message set
    wamid = coalesce(wamid, %(wamid)s), state = case when state = 'sending' then 'sent' else state end,
    sent_at = coalesce(sent_at, clock_timestamp()), text = null, error_code = null, error_text = null
where id = %(id)s

-- name: not_now
update veraz.whatsapp_message set state = %(state)s, error_code = %(code)s, error_text = %(error)s
where id = %(id)s and state = 'sending'

-- Given up for good; whoever listens hears of it.
-- name: failed
with gone as (
    update veraz.whatsapp_message set state = 'failed', failed_at = clock_timestamp(), error_code = %(code)s::int,
        error_text = %(error)s, job_id = %(job)s::uuid
    where id = %(id)s and state in ('waiting', 'ready', 'sending')
    returning id, conversation_id
)
insert into veraz.event (kind, payload)
select 'whatsapp.failed', jsonb_build_object('conversation_id', v.id, 'agent_id', v.agent_id, 'delivery_id', g.id,
    'error_code', %(code)s::int)
from gone g join veraz.conversation v on v.id = g.conversation_id

-- name: number_failed
update veraz.whatsapp_number set error_code = %(code)s, error_text = %(error)s, error_at = clock_timestamp()
where id = %(id)s
