-- name: sample
select c.content, c.headers, d.name as document, d.file_type, d.tier
from veraz.chunk c
join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
join veraz.document d on d.id = c.document_id
where c.kb_id = %(id)s and c.machine_id = 'global'
order by c.ordinal, c.id limit %(limit)s

-- name: domain
select kb_id, user_input, interpreted_intent, subdomains, source_categories, critical_variables, validation_queries,
       known_debates, recommended_config, model, user_confirmed, created_at
from veraz.domain_intelligence where kb_id = %(id)s

-- name: keep
insert into veraz.domain_intelligence (kb_id, user_input, interpreted_intent, subdomains, source_categories,
    critical_variables, validation_queries, known_debates, recommended_config, model)
values (%(id)s, %(user_input)s, %(interpreted_intent)s, %(subdomains)s::jsonb, %(source_categories)s::jsonb,
    %(critical_variables)s::jsonb, %(validation_queries)s::jsonb, %(known_debates)s::jsonb, %(recommended_config)s::jsonb,
    %(model)s)
on conflict (kb_id) do update set user_input = excluded.user_input, interpreted_intent = excluded.interpreted_intent,
    subdomains = excluded.subdomains, source_categories = excluded.source_categories,
    critical_variables = excluded.critical_variables, validation_queries = excluded.validation_queries,
    known_debates = excluded.known_debates, recommended_config = excluded.recommended_config, model = excluded.model,
    user_confirmed = false, created_at = now()
returning kb_id, user_input, interpreted_intent, subdomains, source_categories, critical_variables, validation_queries,
    known_debates, recommended_config, model, user_confirmed, created_at

-- name: confirm
update veraz.domain_intelligence set user_confirmed = true where kb_id = %(id)s
returning kb_id, user_input, interpreted_intent, subdomains, source_categories, critical_variables, validation_queries,
    known_debates, recommended_config, model, user_confirmed, created_at

-- name: describe
update veraz.knowledge_base set description = %(description)s, described_by_domain = true
where id = %(id)s and description = '' and %(description)s <> ''

-- name: readers
select a.agent_id from veraz.assignment a join veraz.agent g on g.id = a.agent_id
where a.kb_id = %(id)s and g.project_id in (select veraz.projects_with('manager'))
order by a.agent_id
