-- name: ensure
with added as (
    insert into veraz.embedding_space (name, dimensions) values (%(name)s, %(dimensions)s)
    on conflict (name) do nothing returning id)
select id from added union all select id from veraz.embedding_space where name = %(name)s limit 1
