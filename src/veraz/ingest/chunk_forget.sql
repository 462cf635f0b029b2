-- name: begin
select veraz.forget_chunk(%(document_id)s, %(chunk_id)s)

-- name: chunk
select c.start_char, c.end_char, coalesce(c.original, c.content) as content, c.edition_id from veraz.chunk c
where c.id = %(id)s and c.document_id = %(document_id)s and c.kb_id = %(kb_id)s

-- name: texts
select version, start_char, text, blocks::text as blocks from veraz.document_text
where document_id = %(document_id)s order by version, start_char

-- name: keep_text
update veraz.document_text set text = %(text)s, blocks = %(blocks)s::json
where document_id = %(document_id)s and version = %(version)s and start_char = %(start)s

-- name: drop_corrections
delete from veraz.correction c using unnest(%(starts)s::int[], %(ends)s::int[]) gone(start_char, end_char)
where c.document_id = %(document_id)s and c.start_char < gone.end_char and c.end_char > gone.start_char

-- name: drop_chunks
with gone as (
    delete from veraz.chunk
    where document_id = %(document_id)s and (id = %(id)s or exists (
        select from unnest(%(starts)s::int[], %(ends)s::int[]) g(first, last) where start_char < g.last and end_char > g.first))
    returning content_hash)
delete from veraz.embedding_cache
where document_id = %(document_id)s and content_hash in (select g.content_hash from gone g)

-- name: count
update veraz.document d set chunks_count = (
    select count(*) from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = d.id)
where d.id = %(document_id)s

-- name: files
select storage_key from veraz.document where id = %(document_id)s and storage_key is not null
union select storage_key from veraz.document_version where document_id = %(document_id)s and storage_key is not null
