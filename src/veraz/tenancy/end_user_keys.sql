-- name: keys
select id, name, algorithm, created_by, created_at, ends_at from veraz.end_user_key order by id desc limit 500

-- name: add
insert into veraz.end_user_key (id, name, algorithm, secret_sealed, public_key, created_by)
values (%(id)s, %(name)s, %(algorithm)s, %(sealed)s, %(public_key)s, %(created_by)s)
returning id, name, algorithm, created_by, created_at, ends_at

-- name: end
update veraz.end_user_key
set ends_at = least(coalesce(ends_at, 'infinity'), now() + make_interval(mins => %(minutes)s))
where id = %(id)s
