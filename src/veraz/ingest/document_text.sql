-- name: remove_text
delete from veraz.document_text where document_id = %(document_id)s and version = %(version)s

-- name: add_text
insert into veraz.document_text (tenant_id, kb_id, document_id, machine_id, version, start_char, end_char, text, blocks, lines)
values (%(tenant_id)s, %(kb_id)s, %(document_id)s, %(machine_id)s, %(version)s, %(start)s, %(end)s, %(text)s,
    %(blocks)s::json, %(lines)s::json)
