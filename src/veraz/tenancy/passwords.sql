-- name: hashes
select password_hash from veraz.users_for_login(%(email)s) limit 1

-- name: own_password
select veraz.own_password()

-- name: set_password
select veraz.set_password(%(id)s, %(password_hash)s, %(must_change)s, %(keep)s)

-- name: email
select email from veraz.app_user where id = %(id)s

-- name: tenant_name
select name from veraz.tenant where id = %(id)s
