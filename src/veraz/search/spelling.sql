-- name: known
select term, chunks from veraz.known_terms(
    veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(language)s, %(terms)s::int[])

-- name: standing
select word from veraz.standing_words(
    veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(language)s, %(words)s::text[]) word
