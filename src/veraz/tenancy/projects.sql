-- name: projects
select id, name, description, created_at from veraz.project
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: project
select id, name, description, created_at from veraz.project where id = %(id)s

-- name: add
insert into veraz.project (id, name, description) values (%(id)s, %(name)s, %(description)s)
returning id, name, description, created_at

-- name: change
update veraz.project set name = coalesce(%(name)s, name), description = coalesce(%(description)s, description)
where id = %(id)s returning id, name, description, created_at

-- name: delete
delete from veraz.project where id = %(id)s

-- name: members
select m.user_id, u.email, u.display_name, m.role, m.created_at
from veraz.project_member m join veraz.app_user u on u.id = m.user_id
where m.project_id = %(project_id)s order by m.created_at, m.user_id

-- name: member
select m.user_id, u.email, u.display_name, m.role, m.created_at
from veraz.project_member m join veraz.app_user u on u.id = m.user_id
where m.project_id = %(project_id)s and m.user_id = %(id)s

-- name: put_member
insert into veraz.project_member (project_id, user_id, role) values (%(project_id)s, %(user_id)s, %(role)s)
on conflict (project_id, user_id) do update set role = excluded.role

-- name: remove_member
delete from veraz.project_member where project_id = %(project_id)s and user_id = %(user_id)s

-- name: colleague_by_email
select veraz.colleague_by_email(%(email)s)

-- name: role_in
select case when %(id)s in (select veraz.projects_with('admin')) then 'admin'
            when %(id)s in (select veraz.projects_with('manager')) then 'manager'
            when %(id)s in (select veraz.projects_with('member')) then 'member' end

-- name: managed
select veraz.projects_with('manager')
