-- name: providers
select id, name, issuer, client_id, has_secret, scopes, domains, links_users, creates_users,
       shows_factor, groups_claim, groups, listed, enabled, created_at, updated_at
from veraz.identity_provider
where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: provider
select id, name, issuer, client_id, has_secret, scopes, domains, links_users, creates_users,
       shows_factor, groups_claim, groups, listed, enabled, created_at, updated_at
from veraz.identity_provider where id = %(id)s

-- name: add
insert into veraz.identity_provider (id, name, issuer, client_id, secret_sealed, scopes, domains, links_users, creates_users,
    shows_factor, groups_claim, groups, listed, enabled)
values (%(id)s, %(name)s, %(issuer)s, %(client_id)s, %(secret_sealed)s, %(scopes)s,
    %(domains)s, coalesce(%(links_users)s, false), coalesce(%(creates_users)s, false), coalesce(%(shows_factor)s, false),
    coalesce(%(groups_claim)s, 'groups'), %(groups)s::jsonb, coalesce(%(listed)s, false), coalesce(%(enabled)s, true))

-- name: change
update veraz.identity_provider set
    name = coalesce(%(name)s, name),
    issuer = coalesce(%(issuer)s, issuer),
    client_id = coalesce(%(client_id)s, client_id),
    scopes = coalesce(%(scopes)s::text[], scopes),
    domains = coalesce(%(domains)s::text[], domains),
    links_users = coalesce(%(links_users)s, links_users),
    creates_users = coalesce(%(creates_users)s, creates_users),
    shows_factor = coalesce(%(shows_factor)s, shows_factor),
    groups_claim = coalesce(%(groups_claim)s, groups_claim),
    groups = coalesce(%(groups)s::jsonb, groups),
    listed = coalesce(%(listed)s, listed),
    enabled = coalesce(%(enabled)s, enabled)
where id = %(id)s

-- name: set_secret
update veraz.identity_provider set secret_sealed = %(secret_sealed)s where id = %(id)s

-- name: delete
delete from veraz.identity_provider where id = %(id)s

-- name: forget_links
select veraz.forget_links(%(id)s)

-- name: project_exists
select true from veraz.project where id = %(id)s
