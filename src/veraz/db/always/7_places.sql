-- PLACES. As the searches of 7_search.sql these functions run as veraz_search and start from what the caller may read.

-- The stretches of documents that some chunks of the reading set stand in, each once; the lines of pages where wanted.
create or replace function veraz.passage_text(
    p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean default false)
returns table (document_id uuid, start_char int, end_char int, text text, blocks json, lines json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
    editions bigint[] := array(select s.edition_id from veraz.search_set(p_agent_id, p_kb_ids) s);
begin
    return query
    with needed as (
        select distinct t.document_id, t.version, t.start_char
        from veraz.chunk c
        join veraz.document d on d.id = c.document_id and d.indexed_at is not null
        -- no segment is longer than 16,000 characters
        join veraz.document_text t on t.document_id = c.document_id and t.version = d.version
            and t.start_char between c.start_char - 16000 and c.end_char - 1 and t.end_char > c.start_char
        where c.id = any (p_chunk_ids) and c.tenant_id = (select veraz.current_tenant()) and c.edition_id = any (editions)
          and (c.machine_id = 'global' or c.machine_id = (select veraz.current_machine()))
    )
    select t.document_id, t.start_char, t.end_char, t.text, t.blocks, case when p_with_lines then t.lines end
    from needed n
    join veraz.document_text t on t.document_id = n.document_id and t.version = n.version and t.start_char = n.start_char
    order by t.document_id, t.start_char;
end $$;
alter function veraz.passage_text(uuid, uuid[], uuid[], boolean) owner to veraz_search;

-- What chunks of the reading set that people corrected said before; null where that was not kept.
create or replace function veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[])
returns table (chunk_id uuid, original text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    editions bigint[] := array(select s.edition_id from veraz.search_set(p_agent_id, p_kb_ids) s);
begin
    return query
    select c.id, c.original
    from veraz.chunk c
    join veraz.document d on d.id = c.document_id and d.indexed_at is not null
    where c.id = any (p_chunk_ids) and c.edited_at is not null and c.tenant_id = (select veraz.current_tenant())
      and c.edition_id = any (editions) and (c.machine_id = 'global' or c.machine_id = (select veraz.current_machine()));
end $$;
alter function veraz.passage_originals(uuid, uuid[], uuid[]) owner to veraz_search;

-- The page of a chunk. One of a PDF that was stored before places were knows where it starts, not where it ends: its page is
-- told where what follows it starts on the same page, or where there is no further page.
create or replace function veraz.sure_page(c veraz.chunk, p_file_type text, p_pages int) returns int
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select case
        when c.page_number is null or p_file_type <> 'pdf' or c.metadata ? 'on_page' or c.page_number = p_pages then c.page_number
        else (select nullif(n.page_number, nullif(n.page_number, c.page_number)) from veraz.chunk n
              where n.edition_id = c.edition_id and n.document_id = c.document_id and n.ordinal > c.ordinal
                and n.start_char >= c.end_char order by n.ordinal limit 1)
    end;
end;

-- Where a chunk stands, in the words that results use.
create or replace function veraz.place_words(p_place jsonb, p_part text, p_row int, p_headers text[]) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
begin atomic
    select jsonb_strip_nulls(jsonb_build_object(
        'pages', p_place -> 'pages', 'bbox', p_place -> 'bbox', 'row', p_row,
        -- a slide, whose title is also a heading, is no sheet
        'sheet', case when p_row is not null and p_part <> 'row ' || p_row
                       and not (p_place ? 'pages' and p_headers[1] is not distinct from p_part) then p_part end,
        'headers', case when cardinality(p_headers) > 0 then to_jsonb(p_headers) end));
end;

-- LOOKING AT A QUOTE. Whoever may be told a sentence may look at it: who reads the knowledge base, and who has an agent that
-- reads it for them; on the same machines on which a search would find it.
create or replace function veraz.may_look(p_kb_id uuid, p_machine_id text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return p_machine_id in ('global', coalesce(veraz.current_machine(), 'global'))
        and (p_kb_id in (select veraz.kbs_with('read')) or p_kb_id in (select veraz.open_set(array[p_kb_id], false)));
end $$;
alter function veraz.may_look(uuid, text) owner to veraz_search;

-- A document the caller may look into, with one of its chunks where that is named.
create or replace function veraz.seen_document(p_chunk_id uuid, p_document_id uuid)
returns table (
    document_id uuid, kb_id uuid, kind text, machine_id text, name text, title text, file_type text, version int,
    storage_key text, indexed_at timestamptz, pages_count int, chunk_id uuid, content text, start_char int, end_char int,
    page_number int, part text, row_number int, headers text[], language text, corrected boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select d.id, d.kb_id, kb.kind, d.machine_id, d.name, d.title, d.file_type, d.version, d.storage_key, d.indexed_at,
           d.pages_count, c.id, c.content, c.start_char, c.end_char, veraz.sure_page(c, d.file_type, d.pages_count), c.part,
           c.row_number, c.headers, kb.language, c.edited_at is not null
    from veraz.document d
    join veraz.knowledge_base kb on kb.id = d.kb_id
    left join veraz.chunk c on c.id = p_chunk_id and c.document_id = d.id and c.edition_id = kb.live_edition_id
    where d.id = coalesce(p_document_id, (select k.document_id from veraz.chunk k where k.id = p_chunk_id))
      and d.tenant_id = (select veraz.current_tenant()) and d.indexed_at is not null
      and (p_chunk_id is null or c.id is not null) and veraz.may_look(d.kb_id, d.machine_id);
end $$;
alter function veraz.seen_document(uuid, uuid) owner to veraz_search;

-- The segments of a document's text between two characters, for who may look into it.
create or replace function veraz.seen_text(p_document_id uuid, p_version int, p_start int, p_end int)
returns table (document_id uuid, start_char int, end_char int, text text, blocks json, lines json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select t.document_id, t.start_char, t.end_char, t.text, t.blocks, t.lines
    from veraz.document_text t
    where t.document_id = p_document_id and t.version = p_version and t.tenant_id = (select veraz.current_tenant())
      and t.start_char between p_start - 16000 and p_end - 1 and t.end_char > p_start
      and veraz.may_look(t.kb_id, t.machine_id)
    order by t.start_char;
end $$;
alter function veraz.seen_text(uuid, int, int, int) owner to veraz_search;

-- The segments of a document's text in which something was forgotten, for who may look into it; one without text where that
-- is not stored, so that it is not known where.
create or replace function veraz.seen_bars(p_document_id uuid, p_version int) returns table (start_char int, text text, blocks json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not exists (
        select from veraz.forgotten_span s where s.document_id = p_document_id and s.tenant_id = (select veraz.current_tenant())
          and veraz.may_look(s.kb_id, s.machine_id)) then
        return;
    end if;
    return query
    select t.start_char, t.text, t.blocks from veraz.document_text t
    where t.document_id = p_document_id and t.version = p_version and t.tenant_id = (select veraz.current_tenant())
      and strpos(t.text, '█') > 0;
    if not found and not exists (
        select from veraz.document_text t where t.document_id = p_document_id and t.version = p_version
          and t.tenant_id = (select veraz.current_tenant())) then
        return query select 0, null::text, null::json;
    end if;
end $$;
alter function veraz.seen_bars(uuid, int) owner to veraz_search;

-- The chunks that people corrected and that have characters between two of a document, for who may look into it.
create or replace function veraz.seen_corrections(p_document_id uuid, p_start int, p_end int)
returns table (id uuid, content text, original text, start_char int, end_char int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select c.id, c.content, c.original, c.start_char, c.end_char
    from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = p_document_id and c.original is not null and c.start_char < p_end and c.end_char > p_start
      and c.tenant_id = (select veraz.current_tenant()) and veraz.may_look(c.kb_id, c.machine_id)
    order by c.start_char, c.ordinal;
end $$;
alter function veraz.seen_corrections(uuid, int, int) owner to veraz_search;

-- The chunks that stand exactly between two characters of a document, for who may look into it.
create or replace function veraz.seen_chunks(p_document_id uuid, p_start int, p_end int) returns setof uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select c.id from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = p_document_id and c.start_char = p_start and c.end_char = p_end
      and c.tenant_id = (select veraz.current_tenant()) and veraz.may_look(c.kb_id, c.machine_id);
end $$;
alter function veraz.seen_chunks(uuid, int, int) owner to veraz_search;

-- The sheets of a document in their order, each with the character it begins at, for who may look into it.
create or replace function veraz.seen_sheets(p_document_id uuid) returns table (name text, start_char int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select c.part, min(c.start_char)
    from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = p_document_id and c.part is not null
      and c.tenant_id = (select veraz.current_tenant()) and veraz.may_look(c.kb_id, c.machine_id)
    group by c.part order by 2;
end $$;
alter function veraz.seen_sheets(uuid) owner to veraz_search;
