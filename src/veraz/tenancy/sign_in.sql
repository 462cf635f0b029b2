-- name: users_for_login
select id, tenant_id, tenant_name, password_hash from veraz.users_for_login(%(email)s)

-- name: open_session
select veraz.open_session(%(id)s, %(token_hash)s, %(expires_at)s, %(address)s, %(device)s)

-- name: end_session
select veraz.end_own_sessions(%(id)s, null)

-- name: person
select id, email, external_id, display_name, role, is_platform_admin, language, has_password, must_change_password, disabled_at,
       last_login_at, created_at
from veraz.person(%(id)s)
