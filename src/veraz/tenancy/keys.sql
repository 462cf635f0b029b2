-- name: keys
select id, name, prefix, scopes, project_id, user_id, created_at, expires_at, last_used_at, revoked_at from veraz.api_key
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: add
insert into veraz.api_key (id, name, prefix, key_hash, scopes, project_id, user_id, created_by, expires_at)
values (%(id)s, %(name)s, %(prefix)s, %(key_hash)s, %(scopes)s, %(project_id)s, %(user_id)s, %(created_by)s, %(expires_at)s)
returning id, name, prefix, scopes, project_id, user_id, created_at, expires_at, last_used_at, revoked_at

-- name: revoke
update veraz.api_key set revoked_at = now() where id = %(id)s and revoked_at is null

-- name: project_exists
select true from veraz.project where id = %(id)s
