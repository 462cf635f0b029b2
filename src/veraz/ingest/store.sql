-- name: average_words
select coalesce(sum(count) filter (where term = -2)::float8 / nullif(sum(count) filter (where term = -1), 0), 0)
from veraz.edition_term where edition_id = %(edition_id)s and term < 0 and machine_id in ('global', %(machine_id)s)

-- name: remove_chunks
delete from veraz.chunk where document_id = %(document_id)s and edition_id = %(edition_id)s

-- name: add_chunk
insert into veraz.chunk (id, tenant_id, kb_id, edition_id, document_id, space_id, ordinal, machine_id, content,
    content_hash, tokens, words, page_number, part, row_number, start_char, end_char, headers, context, quality,
    metadata, embedding, lexemes, bm25)
values (%(id)s, %(tenant_id)s, %(kb_id)s, %(edition_id)s, %(document_id)s, %(space_id)s, %(ordinal)s, %(machine_id)s,
    %(content)s, %(content_hash)s, %(tokens)s, %(words)s, %(page)s, %(part)s, %(row)s, %(start)s, %(end)s, %(headers)s,
    %(context)s, %(quality)s, %(metadata)s, %(embedding)s, %(lexemes)s, %(bm25)s)

-- name: count_terms
insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
select %(tenant_id)s, %(edition_id)s, %(machine_id)s, t.term, t.count
from unnest(%(terms)s::int[], %(counts)s::bigint[]) t(term, count)

-- name: drop_cache
delete from veraz.embedding_cache where document_id = %(document_id)s and space_id = %(space_id)s

-- name: stored
update veraz.document set
    status = 'completed', stage = null, progress_percent = 100, error_code = %(notice_code)s, error_message = %(notice)s,
    indexed_at = now(), processing_completed_at = now(), chunks_count = %(chunks)s, pages_count = %(pages)s,
    tokens_used = tokens_used + %(tokens)s, word_count = %(words)s, language = %(language)s,
    title = coalesce(case when not %(reread)s or 'title' = any (by_hand) then title end, left(%(title)s, 500)),
    author = coalesce(case when not %(reread)s or 'author' = any (by_hand) then author end, left(%(author)s, 200)),
    created_date = coalesce(case when not %(reread)s then created_date end, %(created_date)s),
    edition_stem = %(edition_stem)s, replaces = %(replaces)s, sketch = %(sketch)s, sketch_bands = %(bands)s
where id = %(document_id)s

-- name: add_event
insert into veraz.event (kind, kb_id, document_id, payload) values (%(kind)s, %(kb_id)s, %(document_id)s, %(payload)s)

