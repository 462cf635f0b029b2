-- name: seen_document
select document_id, kb_id, kind, machine_id, name, title, file_type, version, storage_key, indexed_at, pages_count,
       chunk_id, content, start_char, end_char, page_number, part, row_number, headers, language, corrected
from veraz.seen_document(veraz.as_caller(%(caller)s, %(chunk_id)s::uuid), %(document_id)s::uuid)

-- name: seen_text
select document_id, start_char, end_char, text, blocks, lines
from veraz.seen_text(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(version)s, %(start)s, %(end)s)

-- name: seen_corrections
select id, content, original, start_char, end_char
from veraz.seen_corrections(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(start)s, %(end)s)

-- name: seen_chunks
select id from veraz.seen_chunks(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(start)s, %(end)s) chunk(id)

-- name: links_open
select links_open from veraz.tenant where id = veraz.current_tenant()

-- name: is_there
select exists (select from veraz.document where id = %(document_id)s)
