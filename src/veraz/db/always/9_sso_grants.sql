-- After 9_grants.sql, which starts from nothing: who somebody outside is here is for the role that looks credentials up.
revoke all on veraz.identity_provider from veraz_worker;
revoke select on veraz.identity_provider from veraz_app, veraz_search;
grant select (id, tenant_id, name, issuer, client_id, has_secret, scopes, domains, links_users, creates_users, shows_factor,
    groups_claim, groups, listed, enabled, created_at, updated_at) on veraz.identity_provider to veraz_app;
revoke all on veraz.identity_link from veraz_app, veraz_worker, veraz_search;
grant select on veraz.identity_provider to veraz_keeper;
grant select, insert, delete on veraz.identity_link to veraz_keeper;
revoke execute on function veraz.provider_for_sign_in(uuid), veraz.listed_providers(), veraz.provider_of_session(bytea),
    veraz.linked_user(uuid, text), veraz.user_of_email(text), veraz.link_user(uuid, text, uuid), veraz.forget_links(uuid),
    veraz.role_from_groups(uuid, text)
    from veraz_app, veraz_worker;
grant execute on function veraz.provider_for_sign_in(uuid), veraz.listed_providers(), veraz.provider_of_session(bytea),
    veraz.linked_user(uuid, text), veraz.user_of_email(text), veraz.link_user(uuid, text, uuid), veraz.forget_links(uuid),
    veraz.role_from_groups(uuid, text)
    to veraz_signin;
