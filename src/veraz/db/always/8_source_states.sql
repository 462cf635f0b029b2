-- WHAT BECAME OF SOURCES: several stretches of documents at once, for who may look into those documents (veraz.may_look, once
-- for each document).

-- Those of some documents that the caller may look into.
create or replace function veraz.seen_documents(p_document_ids uuid[]) returns table (document_id uuid, version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select d.id, d.version from veraz.document d
    where d.id = any (p_document_ids) and d.tenant_id = (select veraz.current_tenant()) and d.indexed_at is not null
      and veraz.may_look(d.kb_id, d.machine_id);
end $$;
alter function veraz.seen_documents(uuid[]) owner to veraz_search;

-- The segments of their texts that hold the stretches, each once.
create or replace function veraz.seen_stretches(p_document_ids uuid[], p_starts int[], p_ends int[])
returns table (document_id uuid, start_char int, end_char int, text text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    with seen as materialized (select s.document_id, s.version from veraz.seen_documents(p_document_ids) s),
    needed as (
        select distinct t.document_id, t.version, t.start_char
        from unnest(p_document_ids, p_starts, p_ends) w(document_id, first, last)
        join seen s on s.document_id = w.document_id
        join veraz.document_text t on t.document_id = s.document_id and t.version = s.version
            and t.start_char between w.first - 16000 and w.last - 1 and t.end_char > w.first)
    select t.document_id, t.start_char, t.end_char, t.text
    from needed n
    join veraz.document_text t on t.document_id = n.document_id and t.version = n.version and t.start_char = n.start_char
    order by t.document_id, t.start_char;
end $$;
alter function veraz.seen_stretches(uuid[], int[], int[]) owner to veraz_search;

-- Their chunks that people corrected.
create or replace function veraz.seen_corrected_chunks(p_document_ids uuid[])
returns table (document_id uuid, id uuid, content text, original text, start_char int, end_char int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select c.document_id, c.id, c.content, c.original, c.start_char, c.end_char
    from veraz.seen_documents(p_document_ids) s
    join veraz.chunk c on c.document_id = s.document_id and c.original is not null and c.tenant_id = (select veraz.current_tenant())
    join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    order by c.document_id, c.start_char, c.ordinal;
end $$;
alter function veraz.seen_corrected_chunks(uuid[]) owner to veraz_search;

-- Their chunks that stand exactly where a stretch does.
create or replace function veraz.seen_exact_chunks(p_document_ids uuid[], p_starts int[], p_ends int[])
returns table (document_id uuid, start_char int, end_char int, content text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select c.document_id, c.start_char, c.end_char, c.content
    from veraz.seen_documents(p_document_ids) s
    join unnest(p_document_ids, p_starts, p_ends) w(document_id, first, last) on w.document_id = s.document_id
    join veraz.chunk c on c.document_id = s.document_id and c.start_char = w.first and c.end_char = w.last
        and c.tenant_id = (select veraz.current_tenant())
    join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id;
end $$;
alter function veraz.seen_exact_chunks(uuid[], int[], int[]) owner to veraz_search;
