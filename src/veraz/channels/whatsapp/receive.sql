-- name: token_known
select veraz.whatsapp_token_known(%(hash)s)

-- name: numbers_of
select id, tenant_id, phone_number_id, app_secret_sealed, active from veraz.whatsapp_numbers_of(%(phone_number_ids)s)

-- name: receive
select veraz.receive_whatsapp(%(number_id)s, %(messages)s::jsonb)

-- Reports come in any order, and perhaps before Meta's answer to the sending itself: they only ever lead further.
-- name: report
with told as (
    select m.id, m.state as was, m.contact_id, m.conversation_id from veraz.whatsapp_message m
    where m.number_id = %(number_id)s and m.direction = 'out' and (m.wamid = %(wamid)s or m.id = %(ours)s::uuid)
    for update
), changed as (
    update veraz.whatsapp_message m set
        wamid = coalesce(m.wamid, %(wamid)s),
        state = case when array_position(array['ready', 'sending', 'sent', 'failed', 'delivered', 'read'], m.state)
                        < array_position(array['ready', 'sending', 'sent', 'failed', 'delivered', 'read'], %(status)s::text)
                then %(status)s::text else m.state end,
        sent_at = case %(status)s::text when 'sent' then coalesce(m.sent_at, %(at)s) else m.sent_at end,
        delivered_at = case %(status)s::text when 'delivered' then coalesce(m.delivered_at, %(at)s) else m.delivered_at end,
        read_at = case %(status)s::text when 'read' then coalesce(m.read_at, %(at)s) else m.read_at end,
        failed_at = case %(status)s::text when 'failed' then coalesce(m.failed_at, %(at)s) else m.failed_at end,
        error_code = case %(status)s::text when 'failed' then coalesce(%(code)s::int, m.error_code) else m.error_code end,
        error_text = case %(status)s::text when 'failed' then coalesce(%(error)s::text, m.error_text) else m.error_text end
    from told where m.id = told.id
    returning m.id, m.state, told.was, m.conversation_id
)
insert into veraz.event (kind, payload)
select 'whatsapp.failed', jsonb_build_object('conversation_id', c.conversation_id, 'agent_id', v.agent_id,
    'delivery_id', c.id, 'error_code', %(code)s::int)
from changed c join veraz.conversation v on v.id = c.conversation_id
where c.state = 'failed' and c.was <> 'failed'
