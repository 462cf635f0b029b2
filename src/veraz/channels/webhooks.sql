-- name: webhooks
select id, project_id, name, url, events, enabled, failures, note, secret_changed_at, created_at, updated_at
from veraz.webhook where %(after)s::uuid is null or id < %(after)s
order by id desc limit %(limit)s

-- name: webhook
select id, project_id, name, url, events, enabled, failures, note, secret_changed_at, created_at, updated_at
from veraz.webhook where id = %(id)s

-- name: add
insert into veraz.webhook (id, project_id, name, url, events, secret_sealed, created_by)
values (%(id)s, %(project_id)s, %(name)s, %(url)s, %(events)s, %(sealed)s, %(created_by)s)

-- name: change
update veraz.webhook set
    name = coalesce(%(name)s, name), url = coalesce(%(url)s, url), events = coalesce(%(events)s, events),
    enabled = coalesce(%(enabled)s, enabled),
    failures = case when %(enabled)s then 0 else failures end,
    note = case when %(enabled)s then null else note end
where id = %(id)s

-- The one before it stays good for a day (8_webhooks.sql).
-- name: rotate
update veraz.webhook set secret_sealed = %(sealed)s, secret_changed_at = now() where id = %(id)s

-- name: delete
delete from veraz.webhook where id = %(id)s

-- name: deliveries
select id, webhook_id, kind, data, status, attempts, response_status, response_ms::float8 as response_ms, error,
    happened_at, created_at, attempted_at
from veraz.webhook_delivery
where webhook_id = %(id)s and (%(after)s::uuid is null or id < %(after)s)
  and (%(status)s::text is null or status = %(status)s)
order by id desc limit %(limit)s

-- name: delivery
select id, webhook_id, kind, data, status, attempts, response_status, response_ms::float8 as response_ms, error,
    happened_at, created_at, attempted_at
from veraz.webhook_delivery where id = %(id)s and webhook_id = %(webhook_id)s

-- name: add_delivery
insert into veraz.webhook_delivery (id, webhook_id, kind, data) values (%(id)s, %(webhook_id)s, %(kind)s, %(data)s)

-- name: resend
update veraz.webhook_delivery set status = 'pending', error = null
where id = %(id)s and webhook_id = %(webhook_id)s and status <> 'pending'
