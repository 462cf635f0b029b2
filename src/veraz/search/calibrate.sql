-- name: sample
select c.document_id, c.content, c.embedding
from veraz.chunk c where c.edition_id = %(edition_id)s and c.machine_id = 'global' and c.embedding is not null
order by md5(c.id::text) limit %(limit)s

-- name: store
update veraz.edition set calibration = %(calibration)s where id = %(edition_id)s
