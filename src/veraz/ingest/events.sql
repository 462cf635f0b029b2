-- Ids are given before commits, so an event may appear behind a later one. Only those older than every transaction
-- still open are told: nothing can appear before them any more.
-- name: events
select id, kind, kb_id, document_id, payload, at from veraz.event e
where id > %(after)s and (%(kinds)s::text[] is null or kind = any (%(kinds)s))
  and age(e.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)
order by id limit %(limit)s
