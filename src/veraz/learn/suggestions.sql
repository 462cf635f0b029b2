-- name: passed
select question from veraz.passed_questions(%(agent_id)s, %(limit)s) asked(question)

-- name: first
select document_id, place, content from veraz.first_chunks(%(agent_id)s, %(documents)s, %(chunks)s)

-- name: beside
select document_id, place, content from veraz.chunks_beside(%(agent_id)s, %(chunk_ids)s::uuid[], %(reach)s)

-- name: asked
select text from veraz.message where conversation_id = %(conversation_id)s and role = 'user' and forgotten_at is null
