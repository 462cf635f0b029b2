-- name: versions
select v.id, v.agent_id, v.number, v.settings, before.settings as before, v.created_by,
       coalesce(nullif(u.display_name, ''), u.email) as author, v.created_at,
       (select max(o.number) from veraz.agent_version o
        where o.agent_id = v.agent_id and o.number < v.number and o.settings = v.settings) as same_as
from veraz.agent_version v
left join veraz.agent_version before on before.agent_id = v.agent_id and before.number = v.number - 1
left join veraz.app_user u on u.id = v.created_by
where v.agent_id = %(agent_id)s
  and (%(after)s::uuid is null or v.number < (select c.number from veraz.agent_version c where c.id = %(after)s))
order by v.number desc limit %(limit)s

-- name: settings
select settings from veraz.agent_version where agent_id = %(agent_id)s and number = %(number)s
