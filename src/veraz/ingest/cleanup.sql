-- name: claimed
select storage_key from veraz.document where storage_key = any (%(keys)s)
union select storage_key from veraz.document_version where storage_key = any (%(keys)s)

-- name: gone_tenants
select unnest(f.subjects)::uuid from veraz.forgetting f where f.kind = 'tenant' and f.status = 'done'
