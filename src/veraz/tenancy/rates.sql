-- name: spend
select s from veraz.spend_rates(%(keys)s::bytea[], %(wanted)s::int[], %(seconds_each)s::float8[], %(bursts)s::int[]) s
