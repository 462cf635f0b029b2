-- name: widget
select w.id, w.tenant_id, w.project_id, w.agent_id, w.public_id, w.enabled, w.origins, w.title, w.greeting, w.colour,
       w.position, w.language, w.suggestions, w.sources, w.visitor_per_minute, w.per_minute, w.per_day,
       case when w.used_on = (now() at time zone 'utc')::date then w.used else 0 end as used_today
from veraz.widget w where w.agent_id = %(agent_id)s

-- name: add
insert into veraz.widget (id, project_id, agent_id, public_id, title, created_by)
values (%(id)s, %(project_id)s, %(agent_id)s, %(public_id)s, %(title)s, %(created_by)s)
on conflict (tenant_id, agent_id) do nothing

-- name: change
update veraz.widget set
    enabled = %(enabled)s, origins = %(origins)s, title = %(title)s, greeting = %(greeting)s, colour = %(colour)s,
    position = %(position)s, language = %(language)s, suggestions = %(suggestions)s, sources = %(sources)s,
    visitor_per_minute = %(visitor_per_minute)s, per_minute = %(per_minute)s, per_day = %(per_day)s
where id = %(id)s

-- name: delete
delete from veraz.widget where agent_id = %(agent_id)s
