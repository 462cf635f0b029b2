-- name: settings
select retrieval, model, fallback_model, veraz.newest_forgetting(false) as newest_forgetting
from veraz.search_settings(veraz.as_caller(%(caller)s, %(agent_id)s::uuid))
