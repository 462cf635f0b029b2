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
delete from veraz.correction where document_id = %(document_id)s and start_char < %(end)s and end_char > %(start)s

-- name: drop_chunks
with gone as (
    delete from veraz.chunk
    where document_id = %(document_id)s and (id = %(id)s or start_char < %(end)s and end_char > %(start)s)
    returning content_hash)
delete from veraz.embedding_cache
where document_id = %(document_id)s and content_hash in (select g.content_hash from gone g)

-- name: count
update veraz.document d set chunks_count = (
    select count(*) from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = d.id)
where d.id = %(document_id)s
