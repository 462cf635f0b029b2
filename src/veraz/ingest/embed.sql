-- name: known
select content_hash, embedding, null::uuid as bought_for from veraz.chunk
where tenant_id = %(tenant_id)s and space_id = %(space_id)s and content_hash = any (%(hashes)s) and embedding is not null
union all
select content_hash, embedding, document_id as bought_for from veraz.embedding_cache
where tenant_id = %(tenant_id)s and space_id = %(space_id)s and content_hash = any (%(hashes)s)

-- name: remember
insert into veraz.embedding_cache (tenant_id, space_id, content_hash, document_id, embedding)
values (%(tenant_id)s, %(space_id)s, %(content_hash)s, %(document_id)s, %(embedding)s)
on conflict do nothing
