-- name: numbers
select id, project_id, agent_id, name, phone_number_id, answered_by, active, secrets_changed_at, error_code, error_text,
       error_at, created_at
from veraz.whatsapp_number
where (%(after)s::uuid is null or id < %(after)s) and (%(project_id)s::uuid is null or project_id = %(project_id)s)
order by id desc limit %(limit)s

-- name: number
select id, project_id, agent_id, name, phone_number_id, answered_by, active, secrets_changed_at, error_code, error_text,
       error_at, created_at
from veraz.whatsapp_number where id = %(id)s

-- name: add
insert into veraz.whatsapp_number (id, project_id, agent_id, name, phone_number_id, answered_by, access_token_sealed,
    app_secret_sealed, token_hash, created_by)
values (%(id)s, %(project_id)s, %(agent_id)s, %(name)s, %(phone_number_id)s, %(answered_by)s, %(access_token)s,
    %(app_secret)s, %(token_hash)s, %(created_by)s)
on conflict (tenant_id, phone_number_id) do nothing

-- Secrets that are not given stay (8_whatsapp.sql): who changes a number cannot read them.
-- name: change
update veraz.whatsapp_number set
    agent_id = coalesce(%(agent_id)s, agent_id), name = coalesce(%(name)s, name),
    answered_by = coalesce(%(answered_by)s, answered_by), active = coalesce(%(active)s, active),
    access_token_sealed = %(access_token)s, app_secret_sealed = %(app_secret)s, token_hash = %(token_hash)s,
    secrets_changed_at = case when coalesce(%(access_token)s::bytea, %(app_secret)s::bytea, %(token_hash)s::bytea) is null
        then secrets_changed_at else now() end,
    error_code = case when %(access_token)s::bytea is null then error_code end,
    error_text = case when %(access_token)s::bytea is null then error_text end,
    error_at = case when %(access_token)s::bytea is null then error_at end
where id = %(id)s

-- name: delete
delete from veraz.whatsapp_number where id = %(id)s
