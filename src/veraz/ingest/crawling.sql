-- name: same_address
select true from veraz.document where kb_id = %(kb_id)s and source_url = %(url)s and status <> 'failed' limit 1

-- name: reserve
select veraz.settle_credits(%(job_id)s, %(credits)s, 'reserve')
