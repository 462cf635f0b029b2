-- name: begin
select veraz.begin_forgetting(%(kind)s, %(subjects)s::text[])

-- name: forgetting
select id, kind, subjects, status, removed, created_by, created_at, finished_at from veraz.forgetting where id = %(id)s

-- name: forgettings
select id, kind, subjects, status, removed, created_by, created_at, finished_at from veraz.forgetting
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: machine_there
select exists (select from veraz.licence where machine_id = %(machine_id)s)
    or exists (select from veraz.document where machine_id = %(machine_id)s)
    or exists (select from veraz.conversation where machine_id = %(machine_id)s)
    or exists (select from veraz.query_log where machine_id = %(machine_id)s)

-- name: unnamed
update veraz.licence set user_name = '', metadata = '{}' where machine_id = %(machine_id)s
