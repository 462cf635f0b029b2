-- name: licences
select id, machine_id, user_name, metadata, status, created_at from veraz.licence
where (%(after)s::uuid is null or id < %(after)s)
order by id desc limit %(limit)s

-- name: licence
select id, machine_id, user_name, metadata, status, created_at from veraz.licence where id = %(id)s

-- name: closed
select exists (select from veraz.licence
               where lower(machine_id) = lower(%(machine_id)s) and machine_id <> %(machine_id)s and status = 'closed')

-- name: add
insert into veraz.licence (id, machine_id, user_name, metadata)
values (%(id)s, %(machine_id)s, %(user_name)s, %(metadata)s)
returning id, machine_id, user_name, metadata, status, created_at

-- name: change
update veraz.licence set
    user_name = coalesce(%(user_name)s, user_name),
    metadata = coalesce(%(metadata)s, metadata),
    status = coalesce(%(status)s, status)
where id = %(id)s
returning id, machine_id, user_name, metadata, status, created_at

-- name: close
update veraz.licence set status = 'closed', user_name = '', metadata = '{}' where id = %(id)s
returning id, machine_id, user_name, metadata, status, created_at
