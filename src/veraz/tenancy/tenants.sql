-- name: is_installed
select veraz.is_installed()

-- name: lock_installation
select pg_advisory_xact_lock(7283002)

-- name: add_tenant
insert into veraz.tenant (id, name, plan) values (%(id)s, %(name)s, %(plan)s)
returning id, name, plan, features, links_open, unknown_machines, signed_end_users, created_at

-- name: tenants
select id, name, plan, features, links_open, unknown_machines, signed_end_users, created_at from veraz.tenant
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: tenant
select id, name, plan, features, links_open, unknown_machines, signed_end_users, created_at from veraz.tenant where id = %(id)s

-- name: change_tenant
update veraz.tenant set
    name = coalesce(%(name)s, name),
    links_open = coalesce(%(links_open)s, links_open),
    unknown_machines = coalesce(%(unknown_machines)s, unknown_machines),
    signed_end_users = coalesce(%(signed_end_users)s, signed_end_users)
where id = %(id)s
returning id, name, plan, features, links_open, unknown_machines, signed_end_users, created_at

-- name: change_plan
update veraz.tenant set plan = coalesce(%(plan)s, plan), features = features || %(features)s where id = %(id)s

-- name: add_first_project
insert into veraz.project (id, name) values (%(id)s, 'General')
