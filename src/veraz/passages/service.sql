-- name: links_open
select links_open from veraz.tenant where id = (select veraz.current_tenant())

-- name: is_there
select exists (select from veraz.document where id = %(document_id)s)
