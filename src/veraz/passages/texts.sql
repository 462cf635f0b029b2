-- name: seen_document
select document_id, kb_id, kind, machine_id, name, title, file_type, version, storage_key, indexed_at, pages_count,
       chunk_id, content, start_char, end_char, page_number, part, row_number, headers, language, corrected
from veraz.seen_document(veraz.as_caller(%(caller)s, %(chunk_id)s::uuid), %(document_id)s::uuid)

-- name: seen_text
select document_id, start_char, end_char, text, blocks, lines
from veraz.seen_text(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(version)s, %(start)s, %(end)s)

-- name: seen_bars
select start_char, text, blocks from veraz.seen_bars(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(version)s)

-- name: seen_corrections
select id, content, original, start_char, end_char
from veraz.seen_corrections(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(start)s, %(end)s)

-- name: seen_chunks
select id from veraz.seen_chunks(veraz.as_caller(%(caller)s, %(document_id)s::uuid), %(start)s, %(end)s) chunk(id)

-- name: seen_sheets
select name, start_char from veraz.seen_sheets(veraz.as_caller(%(caller)s, %(document_id)s::uuid))

-- name: version_file
select storage_key, file_type, name, created_at from veraz.document_version
where document_id = %(document_id)s and version = %(version)s and status in ('current', 'superseded')

-- name: last_blocks
select blocks from veraz.document_text where document_id = %(document_id)s and version = %(version)s
order by start_char desc limit 1
