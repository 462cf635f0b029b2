-- name: documents
select document_id, version from veraz.seen_documents(veraz.as_caller(%(caller)s, %(document_ids)s::uuid[]))

-- name: stretches
select document_id, start_char, end_char, text
from veraz.seen_stretches(veraz.as_caller(%(caller)s, %(document_ids)s::uuid[]), %(starts)s::int[], %(ends)s::int[])

-- name: corrections
select document_id, id, content, original, start_char, end_char
from veraz.seen_corrected_chunks(veraz.as_caller(%(caller)s, %(document_ids)s::uuid[]))

-- name: chunks
select document_id, start_char, end_char, content
from veraz.seen_exact_chunks(veraz.as_caller(%(caller)s, %(document_ids)s::uuid[]), %(starts)s::int[], %(ends)s::int[])
