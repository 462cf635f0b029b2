-- name: claimed
select storage_key from veraz.document where storage_key = any (%(keys)s)
