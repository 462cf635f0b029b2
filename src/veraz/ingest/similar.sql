-- name: sketch
select id, name, sketch from veraz.document where id = %(id)s and kb_id = %(kb_id)s and sketch is not null

-- name: candidates
select d.id, d.name, d.sketch from veraz.document d join veraz.document me on me.id = %(id)s
where d.kb_id = %(kb_id)s and d.id <> me.id and d.sketch_bands && me.sketch_bands
order by d.id limit 200
