-- name: end_user
select id, disabled from veraz.end_user(%(id)s, %(external_id)s)

-- name: admit
select veraz.admit_machine(%(machine_id)s, %(id)s)
