-- name: end_user_by_external_id
select id, disabled_at is not null as disabled from veraz.app_user where external_id = %(external_id)s

-- name: add_end_user
insert into veraz.app_user (id, external_id, display_name, role) values (%(id)s, %(external_id)s, '', 'member')
on conflict (tenant_id, external_id) do update set external_id = excluded.external_id
returning id

-- name: licence_status
select status from veraz.licence where machine_id = %(machine_id)s
