-- name: known
select word, chunks from veraz.known_words(
    veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(language)s, %(words)s::text[], %(terms)s::int[])

-- name: standing
select word from veraz.standing_words(
    veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(language)s, %(words)s::text[]) word
