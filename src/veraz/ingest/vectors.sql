-- name: claim
update veraz.vector_outbox o set lease_until = now() + make_interval(secs => %(lease)s)
from (select chunk_id from veraz.vector_outbox where lease_until is null or lease_until < now()
      order by version limit %(limit)s for update skip locked) due
where o.chunk_id = due.chunk_id
returning o.chunk_id, o.tenant_id, o.space_id, o.version

-- name: chunks
select id, tenant_id, kb_id, edition_id, document_id, machine_id, revision, embedding, bm25
from veraz.chunk where id = any (%(ids)s) and space_id = %(space_id)s

-- name: strike
with done as (select * from unnest(%(ids)s::uuid[], %(versions)s::bigint[]) d(chunk_id, version)
), gone as (
    delete from veraz.vector_outbox o using done d where o.chunk_id = d.chunk_id and o.version = d.version
    returning o.chunk_id)
update veraz.vector_outbox o set lease_until = null from done d
where o.chunk_id = d.chunk_id and o.version <> d.version

-- name: release
update veraz.vector_outbox set lease_until = null where chunk_id = any (%(ids)s)

-- name: be_the_only_one
select pg_try_advisory_xact_lock(7283007, %(space_id)s)

-- name: strike_space
delete from veraz.vector_outbox where space_id = %(space_id)s

-- name: moved
update veraz.vector_home h set state = 'qdrant', since = now()
where h.state = 'filling' and h.filled_to is not null
  and not exists (select from veraz.vector_outbox o where o.space_id = h.space_id and o.version <= h.filled_to)
returning h.space_id

-- name: homes
select s.id as space_id, s.name, s.dimensions, h.state, h.filled_to is not null as filled,
       (select count(*) from veraz.vector_outbox o where o.space_id = s.id) as waiting
from veraz.embedding_space s left join veraz.vector_home h on h.space_id = s.id order by s.id

-- name: tenants
select * from veraz.every_tenant()

-- name: hold_writers
select veraz.hold_chunk_writers()

-- name: set_home
insert into veraz.vector_home (space_id, state) values (%(space_id)s, %(state)s)
on conflict (space_id) do update set state = excluded.state, filled_to = null, since = now()

-- name: filled_to
update veraz.vector_home set filled_to = nextval('veraz.vector_change') where space_id = %(space_id)s and state = 'filling'

-- name: note_all
insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id)
select id, tenant_id, space_id, edition_id from veraz.chunk where space_id = %(space_id)s
on conflict (chunk_id) do update set version = excluded.version

-- name: note_some
insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id)
select id, tenant_id, space_id, edition_id from veraz.chunk where space_id = %(space_id)s and id = any (%(ids)s)
on conflict (chunk_id) do update set version = excluded.version

-- name: note_gone
insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id)
select i.id, '00000000-0000-0000-0000-000000000000', %(space_id)s, 0 from unnest(%(ids)s::uuid[]) i(id)
on conflict (chunk_id) do nothing

-- name: waiting
select chunk_id from veraz.vector_outbox where space_id = %(space_id)s

-- name: marks
select id, tenant_id, kb_id, edition_id, document_id, machine_id, revision from veraz.chunk where space_id = %(space_id)s
