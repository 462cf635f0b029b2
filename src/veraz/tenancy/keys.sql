-- name: keys
select id, name, prefix, scopes, project_id, user_id, ends_with_password, created_at, expires_at, last_used_at, revoked_at,
       created_by
from veraz.keys_seen(%(after)s, %(limit)s)

-- name: add
select id, name, prefix, scopes, project_id, user_id, ends_with_password, created_at, expires_at, last_used_at, revoked_at,
       created_by
from veraz.add_key(%(id)s, %(name)s, %(prefix)s, %(key_hash)s, %(scopes)s, %(project_id)s, %(personal)s, %(expires_at)s,
    %(ends_with_password)s)

-- name: revoke
select veraz.revoke_key(%(id)s)

-- name: made_by
select id, name, prefix, scopes, project_id, user_id, ends_with_password, created_at, expires_at, last_used_at, revoked_at,
       created_by
from veraz.keys_made_by(%(user_id)s)
