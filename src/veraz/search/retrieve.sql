-- name: plan
select kb_id, edition_id, space_id, kind, priority, search_weight::float8 as search_weight, kb_name, language, space,
       dimensions, chunks, shared, calibration
from veraz.search_plan(veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[])

-- name: search
select stats, chunk_id, document_id, kb_id, edition_id, space_id, kind, content, context, headers, page_number, part,
       row_number, ordinal, start_char, end_char, tokens, quality, embedding, cosine, bm25, document_name, title,
       source_url, language, document_language, document_metadata || chunk_metadata as metadata, source_tier,
       authority_score, evidence_level, institution, peer_reviewed
from veraz.search(veraz.as_caller(%(caller)s, %(agent_id)s::uuid), %(kb_ids)s::uuid[], %(space_ids)s::int[],
                  %(vectors)b::vector[], %(languages)s::text[], %(words)s::text[], %(terms)s::int[], %(depth)s, %(filters)s, %(proposed)s::uuid[], %(by)s)
