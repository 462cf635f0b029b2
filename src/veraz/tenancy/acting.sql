-- name: end_user
select id, disabled from veraz.end_user(%(id)s, %(external_id)s)

-- name: licence_status
select status from veraz.licence where machine_id = %(machine_id)s
