-- name: session_by_hash
select session_id, user_id, tenant_id, role, is_platform_admin, must_change_password, unmarked
from veraz.session_by_hash(%(token_hash)s, %(idle)s)

-- name: session_seen
select veraz.session_seen(%(id)s)

-- name: key_by_hash
select key_id, tenant_id, scopes, project_id, user_id, user_role, is_platform_admin, unmarked, signed_end_users
from veraz.key_by_hash(%(token_hash)s)

-- name: key_used
select veraz.key_used(%(id)s)
