-- name: settings
select retrieval, model, fallback_model from veraz.search_settings(veraz.as_caller(%(caller)s, %(agent_id)s::uuid))
