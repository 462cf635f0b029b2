-- What things that stay are called, as far as one of these words stands in it.
-- name: labels
select l.label from (
    select concat_ws(E'\n', d.name, d.title, d.author, d.source_url, d.institution, d.metadata::text) as label from veraz.document d
    union all select k.name from veraz.knowledge_base k
    union all select concat_ws(E'\n', a.name, a.company_name) from veraz.agent a
    union all select p.name from veraz.project p
    union all select t.name from veraz.tenant t where t.id = (select veraz.current_tenant())
    union all select concat_ws(E'\n', u.email, u.external_id, u.display_name) from veraz.app_user u
    union all select concat_ws(E'\n', w.name, w.phone, w.bsuid) from veraz.whatsapp_contact w
    union all select l.user_name from veraz.licence l
) l
where exists (select from unnest(%(heads)s::text[]) h(word) where strpos(veraz.plain(l.label), h.word) > 0)

-- name: living
select query, text from veraz.living_text(%(queries)s::text[], %(patterns)s::text[])
