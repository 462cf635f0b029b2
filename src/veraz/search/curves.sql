-- name: live
select es.name as space, kb.name as kb, e.calibration
from veraz.edition e
join veraz.knowledge_base kb on kb.id = e.kb_id and kb.live_edition_id = e.id
join veraz.embedding_space es on es.id = e.space_id
order by es.name, kb.name
