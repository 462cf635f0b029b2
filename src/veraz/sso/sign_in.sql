-- name: listed_providers
select id, name from veraz.listed_providers()

-- name: provider_for_sign_in
select id, tenant_id, name, issuer, client_id, secret_sealed, scopes, domains, links_users, creates_users, shows_factor,
       groups_claim, groups
from veraz.provider_for_sign_in(%(id)s)

-- name: provider_of_session
select veraz.provider_of_session(%(token_hash)s)

-- name: linked_user
select id, disabled, is_platform_admin, role from veraz.linked_user(%(provider_id)s, %(subject)s)

-- name: user_of_email
select id, disabled, is_platform_admin, role from veraz.user_of_email(%(email)s)

-- name: link_user
select veraz.link_user(%(provider_id)s, %(subject)s, %(user_id)s)

-- name: add_person
select id from veraz.add_person(%(id)s, %(email)s, %(display_name)s, 'member', 'es', null, false, false)
