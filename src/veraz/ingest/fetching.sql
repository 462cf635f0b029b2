-- name: fetched
update veraz.document set storage_key = %(storage_key)s, size_bytes = %(size)s, content_hash = %(content_hash)s,
    file_type = %(file_type)s, name = left(%(name)s, 255)
where id = %(document_id)s

-- name: twin
select d.id, d.name from veraz.document d join veraz.document me on me.id = %(document_id)s
where d.kb_id = me.kb_id and d.machine_id = me.machine_id and d.content_hash = %(content_hash)s
  and d.status <> 'failed' and d.id <> me.id limit 1

