-- name: own_sessions
select id, created_at, last_seen_at, expires_at, address, device from veraz.own_sessions()

-- name: end_own_sessions
select veraz.end_own_sessions(%(id)s, %(keep)s)
