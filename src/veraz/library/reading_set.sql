-- name: of_agent
select kb_id, edition_id, space_id, kind, priority, search_weight from veraz.reading_set(%(agent_id)s)
