-- name: lock_content
select pg_advisory_xact_lock(hashtextextended('veraz.content:' || %(kb_id)s || %(digest)s, 0))

-- name: reserve
select veraz.settle_credits(%(job_id)s, %(credits)s, 'reserve')

-- name: to_reprocess
select id, file_type, size_bytes from veraz.document where kb_id = %(kb_id)s and (%(ids)s::uuid[] is null or id = any (%(ids)s)) order by id

-- name: same_address
select id, name from veraz.document
where kb_id = %(kb_id)s and source_url = %(url)s and machine_id = %(machine_id)s and origin = 'url' and status <> 'failed'
limit 1
