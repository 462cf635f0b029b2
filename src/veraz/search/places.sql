-- name: passage_text
select document_id, start_char, end_char, text, blocks, lines
from veraz.passage_text(veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(chunk_ids)s::uuid[], %(with_lines)s)

-- name: passage_originals
select chunk_id, original
from veraz.passage_originals(veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(chunk_ids)s::uuid[])
