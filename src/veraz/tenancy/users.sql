-- name: people
select id, email, external_id, display_name, role, is_platform_admin, language, has_password, must_change_password, disabled_at,
       last_login_at, created_at
from veraz.people(%(after)s, %(limit)s)

-- name: person
select id, email, external_id, display_name, role, is_platform_admin, language, has_password, must_change_password, disabled_at,
       last_login_at, created_at
from veraz.person(%(id)s)

-- name: add_person
select id, email, external_id, display_name, role, is_platform_admin, language, has_password, must_change_password, disabled_at,
       last_login_at, created_at
from veraz.add_person(%(id)s, %(email)s, %(display_name)s, %(role)s, %(language)s, %(password_hash)s, %(must_change)s,
    %(platform)s)

-- name: change_person
select id, email, external_id, display_name, role, is_platform_admin, language, has_password, must_change_password, disabled_at,
       last_login_at, created_at
from veraz.change_person(%(id)s, %(display_name)s, %(role)s, %(language)s, %(disabled)s)

-- name: remove_person
select veraz.remove_person(%(id)s)

-- name: revoke_keys_made_by
select veraz.revoke_keys_made_by(%(id)s)
