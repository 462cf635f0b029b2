-- name: challenge_by_hash
select tenant_id, user_id, needs, provider_id from veraz.challenge_by_hash(%(token_hash)s)

-- name: try_challenge
select veraz.try_challenge(%(token_hash)s)

-- name: end_challenge
select veraz.end_challenge(%(token_hash)s)
