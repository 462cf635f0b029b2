-- name: hashes
select password_hash from veraz.users_for_login(%(email)s) limit 1
