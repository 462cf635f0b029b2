-- name: record
select at, key_id, address from veraz.record_security_events(%(events)s::jsonb)

-- name: events
select id, at, kind, outcome, user_id, key_id, about, address, request_id, details from veraz.security_event
where (%(after)s::bigint is null or id < %(after)s)
  and (%(kinds)s::text[] is null or kind = any (%(kinds)s))
  and (%(outcome)s::text is null or outcome = %(outcome)s)
  and (%(user_id)s::uuid is null or user_id = %(user_id)s or about = %(user_id)s)
  and (%(key_id)s::uuid is null or key_id = %(key_id)s or about = %(key_id)s)
  and (%(address)s::text is null or address = %(address)s)
  and (%(since)s::timestamptz is null or at >= %(since)s)
  and (%(until)s::timestamptz is null or at < %(until)s)
order by id desc limit %(limit)s

-- name: installation_events
select id, at, kind, outcome, user_id, key_id, about, address, request_id, details from veraz.installation_events()
where (%(after)s::bigint is null or id < %(after)s)
  and (%(kinds)s::text[] is null or kind = any (%(kinds)s))
  and (%(outcome)s::text is null or outcome = %(outcome)s)
  and (%(user_id)s::uuid is null or user_id = %(user_id)s or about = %(user_id)s)
  and (%(key_id)s::uuid is null or key_id = %(key_id)s or about = %(key_id)s)
  and (%(address)s::text is null or address = %(address)s)
  and (%(since)s::timestamptz is null or at >= %(since)s)
  and (%(until)s::timestamptz is null or at < %(until)s)
order by id desc limit %(limit)s
