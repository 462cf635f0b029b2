-- name: entries
select id, at, user_id, key_id, request_id, action, thing, thing_id, changes from veraz.audit_entry
where (%(after)s::bigint is null or id < %(after)s)
  and (%(thing)s::text is null or thing = %(thing)s)
  and (%(thing_id)s::text is null or thing_id = %(thing_id)s)
order by id desc limit %(limit)s
