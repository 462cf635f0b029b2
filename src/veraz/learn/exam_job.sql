-- name: change
select id, agent_id, changes, status, message, run_id, created_at, decided_at from veraz.agent_change where id = %(id)s

-- name: decide
update veraz.agent_change set run_id = %(run_id)s, status = %(status)s, message = %(message)s,
    decided_at = coalesce(decided_at, now())
where id = %(id)s

-- name: not_examined
update veraz.agent_change set status = case when status = 'waiting' then 'held' else status end, message = %(message)s,
    decided_at = coalesce(decided_at, now())
where id = %(id)s
