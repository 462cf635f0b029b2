-- name: known
select word, chunks from veraz.known_words(%(agent_id)s, %(kb_ids)s::uuid[], %(language)s, %(words)s::text[], %(terms)s::int[])

-- name: standing
select * from veraz.standing_words(%(agent_id)s, %(kb_ids)s::uuid[], %(language)s, %(words)s::text[])
