-- name: required
select signed_end_users from veraz.tenant where id = (select veraz.current_tenant())

-- name: key
select id, algorithm, secret_sealed, public_key from veraz.end_user_key
where id = %(id)s and (ends_at is null or ends_at > now())

-- name: sweep
delete from veraz.end_user_token where until < now()

-- name: use
insert into veraz.end_user_token (tenant_id, key_id, jti_hash, until)
values ((select veraz.current_tenant()), %(key_id)s, %(hash)s, %(until)s)
on conflict do nothing
