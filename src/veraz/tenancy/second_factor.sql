-- name: needs_of_sign_in
select veraz.needs_of_sign_in(%(user_id)s)

-- name: factor_rule
select second_factor from veraz.tenant where id = %(id)s

-- name: own_password_hash
select veraz.own_password()

-- name: factor_of
select secret_sealed, begun_by, confirmed_at, last_step, codes_left, blocked_seconds from veraz.factor_of(%(user_id)s)

-- name: users_with_factor
select veraz.users_with_factor()

-- name: begin_factor
select veraz.begin_factor(%(sealed)s, %(by)s)

-- name: confirm_factor
select veraz.confirm_factor(%(step)s)

-- name: replace_recovery_codes
select veraz.replace_recovery_codes(%(hashes)s)

-- name: use_factor_step
select veraz.use_factor_step(%(step)s)

-- name: use_recovery_code
select veraz.use_recovery_code(%(code_hash)s)

-- name: try_factor
select veraz.try_factor()

-- name: asked_for_factor
select veraz.asked_for_factor()

-- name: user_exists
select true from veraz.app_user where id = %(id)s

-- name: remove_factor
select veraz.remove_factor(%(user_id)s)

-- name: describe_session
select veraz.describe_session(%(token_hash)s, %(showed)s, %(provider_id)s)

-- name: set_factor_rule
select veraz.set_factor_rule(%(rule)s)

-- name: begin_challenge
select veraz.begin_challenge(%(token_hash)s, %(needs)s, %(provider_id)s, %(seconds)s)

-- name: user_by_email
select id from veraz.app_user where email = %(email)s
