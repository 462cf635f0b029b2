-- name: user_for_login
select id, tenant_id, password_hash, disabled from veraz.user_for_login(%(email)s)

-- name: add_session
with old as (delete from veraz.session where user_id = %(user_id)s and expires_at < now())
insert into veraz.session (id, user_id, token_hash, expires_at) values (%(id)s, %(user_id)s, %(token_hash)s, %(expires_at)s)

-- name: signed_in
update veraz.app_user set last_login_at = now() where id = %(user_id)s

-- name: end_session
delete from veraz.session where token_hash = %(token_hash)s

-- name: end_sessions_of
delete from veraz.session where user_id = %(user_id)s

-- name: session_by_hash
select session_id, user_id, tenant_id, role, is_platform_admin, expires_at from veraz.session_by_hash(%(token_hash)s)

-- name: key_by_hash
select key_id, tenant_id, scopes, project_id, user_id, user_role, is_platform_admin,
       last_used_at is null or last_used_at < now() - interval '5 minutes' as unmarked
from veraz.key_by_hash(%(token_hash)s)

-- name: mark_key_used
update veraz.api_key set last_used_at = now() where id = %(id)s

-- name: is_installed
select veraz.is_installed()

-- name: lock_installation
select pg_advisory_xact_lock(7283002)

-- name: add_tenant
insert into veraz.tenant (id, name, plan) values (%(id)s, %(name)s, %(plan)s)
returning id, name, plan, features, links_open, created_at

-- name: tenants
select id, name, plan, features, links_open, created_at from veraz.tenant
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: tenant
select id, name, plan, features, links_open, created_at from veraz.tenant where id = %(id)s

-- name: change_tenant
update veraz.tenant set
    name = coalesce(%(name)s, name),
    links_open = coalesce(%(links_open)s, links_open)
where id = %(id)s
returning id, name, plan, features, links_open, created_at

-- name: change_plan
update veraz.tenant set plan = coalesce(%(plan)s, plan), features = features || %(features)s where id = %(id)s

-- name: add_user
insert into veraz.app_user (id, email, external_id, display_name, role, is_platform_admin, password_hash, language)
values (%(id)s, %(email)s, %(external_id)s, %(display_name)s, %(role)s, %(is_platform_admin)s, %(password_hash)s, %(language)s)
returning id, email, external_id, display_name, role, is_platform_admin, language, disabled_at, last_login_at, created_at

-- name: users
select id, email, external_id, display_name, role, is_platform_admin, language, disabled_at, last_login_at, created_at
from veraz.app_user
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: user
select id, email, external_id, display_name, role, is_platform_admin, language, disabled_at, last_login_at, created_at
from veraz.app_user where id = %(id)s

-- name: change_user
update veraz.app_user set
    display_name = coalesce(%(display_name)s, display_name),
    role = coalesce(%(role)s, role),
    language = coalesce(%(language)s, language),
    password_hash = coalesce(%(password_hash)s, password_hash),
    disabled_at = case when %(disabled)s::boolean is null then disabled_at
                       when %(disabled)s then coalesce(disabled_at, now()) end
where id = %(id)s
returning id, email, external_id, display_name, role, is_platform_admin, language, disabled_at, last_login_at, created_at

-- name: delete_user
delete from veraz.app_user where id = %(id)s

-- name: lock_admins
select pg_advisory_xact_lock(hashtextextended('veraz.admins:' || (select veraz.current_tenant()), 0))

-- name: other_admins
select count(*) from veraz.app_user
where role = 'admin' and disabled_at is null and password_hash is not null and id <> %(id)s

-- name: add_first_project
insert into veraz.project (id, name) values (%(id)s, 'General')
