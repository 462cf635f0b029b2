-- name: leave_project
delete from veraz.project_member where project_id = %(project_id)s and user_id = %(user_id)s

-- name: join_project
insert into veraz.project_member (project_id, user_id, role)
select p.id, %(user_id)s, %(role)s from veraz.project p where p.id = %(project_id)s
on conflict (project_id, user_id) do update set role = excluded.role where project_member.role <> excluded.role

-- name: role_from_groups
select veraz.role_from_groups(%(user_id)s, %(role)s)
