-- name: add_document
insert into veraz.document (id, kb_id, name, origin, file_type, size_bytes, status, indexed_at, chunks_count)
values (%(id)s, %(kb)s, %(name)s, 'text', 'md', 1, 'completed', now(), %(count)s)

-- name: live_edition
select id, space_id from veraz.edition where kb_id = %(kb)s and status = 'live'

-- name: choose_documents
create temp table copied on commit drop as
select id as was, uuidv7() as id from veraz.document where kb_id = %(kb)s and name like '0-%%'

-- name: choose_noise
create temp table beside on commit drop as
select place, (select array_agg(%(noise)s * random_normal()) from generate_series(1, 512) where place > 0)::vector as noise
from generate_series(1, 1000) place

-- name: copy_documents
insert into veraz.document (id, kb_id, name, origin, file_type, size_bytes, status, indexed_at, chunks_count)
select copied.id, kb_id, %(copy)s || substr(name, 2), origin, file_type, size_bytes, status, indexed_at, chunks_count
from copied join veraz.document d on d.id = copied.was

-- name: copy_chunks
insert into veraz.chunk (id, tenant_id, kb_id, edition_id, document_id, space_id, ordinal, machine_id, content,
    content_hash, tokens, words, page_number, part, start_char, end_char, headers, context, embedding, lexemes, bm25)
select uuidv7(), tenant_id, kb_id, edition_id, copied.id, space_id, ordinal, machine_id, content,
    content_hash, tokens, words, page_number, part, start_char, end_char, headers, context,
    l2_normalize(embedding + noise), lexemes, bm25
from copied
join veraz.chunk c on c.document_id = copied.was
join beside on place = 1 + c.ordinal * 7 %% 1000

-- name: copy_counts
insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
select t.tenant_id, edition_id, machine_id, term, sum(count) / %(copy)s
from veraz.edition_term t join veraz.knowledge_base kb on kb.live_edition_id = edition_id
where kb.id = %(kb)s group by 1, 2, 3, 4
