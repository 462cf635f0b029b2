-- name: add_link
select veraz.add_password_link(%(id)s, %(user_id)s, %(token_hash)s, %(expires_at)s)

-- name: link_by_hash
select user_id, tenant_id, tenant_name, email, has_password from veraz.password_link_by_hash(%(token_hash)s)

-- name: use_link
select veraz.use_password_link(%(token_hash)s)

-- name: set_password
select veraz.set_password(%(id)s, %(password_hash)s, false, null)
