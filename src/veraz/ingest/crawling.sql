-- Whoever ends the job, as a forgetting of its machine does, waits until the page is added, and then sees it.
-- name: still_held
select true from veraz.job where id = %(id)s and status = 'RUNNING' and claims = %(claims)s for share

-- name: same_address
select true from veraz.document where kb_id = %(kb_id)s and source_url = %(url)s and status <> 'failed' limit 1

-- name: reserve
select veraz.settle_credits(%(job_id)s, %(credits)s, 'reserve')
