-- name: parcel
select d.id, d.webhook_id, w.url, w.secret_sealed, w.enabled, d.kind, d.data, d.status, d.happened_at,
    case when w.previous_until > now() then w.previous_sealed end as previous_sealed
from veraz.webhook_delivery d join veraz.webhook w on w.id = d.webhook_id
where d.id = %(id)s

-- name: attempted
update veraz.webhook_delivery set attempts = attempts + 1, attempted_at = now(),
    status = case when %(delivered)s then 'delivered' else status end,
    response_status = %(response_status)s, response_ms = %(response_ms)s, error = %(error)s
where id = %(id)s

-- name: arrived
update veraz.webhook set failures = 0 where id = %(id)s and failures > 0

-- name: given_up
update veraz.webhook_delivery set status = 'failed', error = %(error)s
where id = %(id)s and status = 'pending' returning webhook_id

-- name: count
update veraz.webhook set failures = failures + 1,
    enabled = enabled and failures + 1 < %(limit)s,
    note = case when enabled and failures + 1 >= %(limit)s then %(note)s else note end
where id = %(id)s
