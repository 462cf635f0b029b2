-- THE SEEDS' FUNCTIONS, by the names, parameters and columns that programs written for them use. They run with the
-- caller's rights and stand on the functions below, which compute what the caller may read from the transaction's
-- settings like every other search. Thresholds and similarities are calibrated: 0.7 means the same for every model.

-- What is usual for a model until a knowledge base has been measured; the same figures as ask/calibration.py.
create or replace function veraz.usual_curve(p_space text) returns float8[] language sql immutable parallel safe
return case split_part(p_space, '@', 1)
    when 'local:use-multilingual-v3' then array[0.07, 0.59]
    when 'openai:text-embedding-3-small' then array[0.12, 0.65]
    when 'openai:text-embedding-3-large' then array[0.10, 0.65]
    when 'openai:text-embedding-ada-002' then array[0.71, 0.89]
    when 'gemini:text-embedding-004' then array[0.40, 0.78]
    when 'gemini:gemini-embedding-001' then array[0.52, 0.82]
    else array[0.15, 0.65] end::float8[];

-- A cosine on the scale people set thresholds on: unrelated texts 0.05, halfway to a passage's own sentences 0.7.
create or replace function veraz.similarity(p_cosine float8, p_space text, p_calibration jsonb) returns float8
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
begin atomic
    select case when p_cosine is not null then 1 / (1 + exp(-(ln(0.05 / 0.95) + (ln(0.7 / 0.3) - ln(0.05 / 0.95)) * 2 *
        least(greatest((p_cosine - c.unrelated) / greatest(c.own - c.unrelated, 0.05), -0.5), 1.5)))) end
    from (select coalesce((p_calibration ->> 'unrelated')::float8, (veraz.usual_curve(p_space))[1]) as unrelated,
                 coalesce((p_calibration ->> 'own')::float8, (veraz.usual_curve(p_space))[2]) as own) c;
end;

-- Knowledge bases for callers that name no agent: those that an agent of theirs reads for them and, with p_unassigned,
-- those they may look into themselves.
create or replace function veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    with seen as materialized (
        select k.id from veraz.kbs_with('read') k(id)
        where p_unassigned and (p_kb_ids is null or k.id = any (p_kb_ids))
    )
    select s.id from seen s
    union
    select r.kb_id from (
        select distinct a.agent_id from veraz.assignment a
        where a.tenant_id = (select veraz.current_tenant()) and (p_kb_ids is null or a.kb_id = any (p_kb_ids))
          and a.kb_id not in (select s.id from seen s)) g
    cross join lateral veraz.reading_set(g.agent_id) r
    where p_kb_ids is null or r.kb_id = any (p_kb_ids);
end;

-- The chunks nearest to a vector, each with its calibrated similarity. With an agent: in its reading set. Without: in
-- veraz.open_set. Only embedding spaces of the vector's size can be meant; when there is none, that is an error.
create or replace function veraz.nearest(
    p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit int, p_filters jsonb,
    p_machine text default null)
returns table (chunk_id uuid, document_id uuid, content text, page_number int, title text, document_name text,
               source text, metadata jsonb, similarity float8)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    size constant int := vector_dims(p_vector);
    most constant int := least(greatest(coalesce(p_limit, 5), 0), 1000);
    machine constant text := veraz.machine_named(p_machine);
    editions bigint[];
    sizes text;
    documents uuid[];
    part record;
    near uuid[] := '{}';
begin
    perform veraz.need_feature('ai_agents_enabled');
    if p_vector is null or most = 0 or vector_norm(p_vector) = 0 then
        return;
    end if;
    select array_agg(s.edition_id) filter (where es.dimensions = size),
           string_agg(distinct es.dimensions::text, ', ')
    into editions, sizes
    from (select r.edition_id, r.space_id from veraz.reading_set(p_agent_id) r
          where p_agent_id is not null and (p_kb_ids is null or r.kb_id = any (p_kb_ids))
          union all
          select e.id, e.space_id from veraz.open_set(p_kb_ids, p_unassigned) o(id)
          join veraz.knowledge_base kb on kb.id = o.id and kb.status <> 'archived'
          join veraz.edition e on e.id = kb.live_edition_id and e.tenant_id = (select veraz.current_tenant())
          where p_agent_id is null) s
    join veraz.embedding_space es on es.id = s.space_id;
    if editions is null then
        if sizes is not null then
            raise exception 'different vector dimensions: the query has %, the knowledge bases have %', size, sizes
                using errcode = 'data_exception', hint = 'Embed the query with the model of the knowledge base.';
        end if;
        return;
    end if;
    if p_filters <> '{}' then
        documents := veraz.filtered_documents(editions, p_filters);
    end if;
    for part in
        select e.space_id, array_agg(e.id) as editions, sum(veraz.chunks_in(e.id, documents, machine))::bigint as chunks
        from veraz.edition e where e.id = any (editions) group by e.space_id
    loop
        if part.chunks > 0 then
            near := near || coalesce(veraz.nearest_chunks(
                part.space_id, p_vector, part.editions, documents, part.chunks, most, machine), '{}');
        end if;
    end loop;
    return query
    select c.id, c.document_id, c.content, veraz.sure_page(c, d.file_type, d.pages_count), coalesce(d.title, d.name), d.name,
           case d.origin when 'upload' then d.file_type when 'url' then 'website' else 'manual' end,
           d.metadata || (c.metadata - 'on_page') || jsonb_strip_nulls(jsonb_build_object(
               'filename', d.name, 'type', d.file_type, 'page', veraz.sure_page(c, d.file_type, d.pages_count), 'title', d.title,
               'source_url', d.source_url, 'machine_id', c.machine_id, 'chunk_id', c.id, 'document_id', c.document_id,
               'kb_id', c.kb_id)) || veraz.place_words(c.metadata -> 'on_page', c.part, c.row_number, c.headers),
           veraz.similarity(1 - (c.embedding <=> p_vector), es.name, e.calibration) as calibrated
    from veraz.chunk c
    join veraz.document d on d.id = c.document_id and d.indexed_at is not null
    join veraz.edition e on e.id = c.edition_id
    join veraz.embedding_space es on es.id = c.space_id
    where c.id = any (near) and vector_norm(c.embedding) > 0
    order by calibrated desc, c.id limit most;
end $$;


-- Seed 1: what an agent reads. The agent must belong to the project named.
create or replace function public.search_agent_knowledge(
    p_agent_id uuid, p_project_id uuid, p_query_embedding public.vector,
    p_match_count int default 5, p_match_threshold float8 default 0.7)
returns table (id uuid, content text, title text, source text, similarity float8)
language sql stable set search_path = pg_catalog, public, pg_temp
begin atomic
    select n.chunk_id, n.content, n.title, n.source, n.similarity
    from veraz.nearest(
        (select g.id from veraz.agent g where g.id = p_agent_id and g.project_id = p_project_id),
        case when p_agent_id is null or p_project_id is null
                  or not exists (select from veraz.agent g where g.id = p_agent_id and g.project_id = p_project_id)
             then '{}'::uuid[] end,
        false, p_query_embedding, p_match_count, '{}') n
    where n.similarity > coalesce(p_match_threshold, 0.7)
    order by n.similarity desc;
end;

-- Seed 2: named knowledge bases that some agent of the caller's reads; unassigned ones are not consulted.
create schema if not exists ai_agents;
create or replace function ai_agents.search_knowledge_base(
    p_tenant_id uuid, p_kb_ids uuid[], p_query_embedding public.vector,
    p_top_k int default 5, p_similarity_threshold decimal default 0.7)
returns table (chunk_id uuid, document_id uuid, document_name varchar, content text, page_number int,
               similarity_score decimal)
language sql stable set search_path = pg_catalog, public, pg_temp
begin atomic
    select n.chunk_id, n.document_id, n.document_name::varchar, n.content, n.page_number, round(n.similarity::decimal, 6)
    from veraz.nearest(
        null, case when p_tenant_id = (select veraz.current_tenant()) then coalesce(p_kb_ids, '{}') else '{}' end,
        false, p_query_embedding, p_top_k, '{}') n
    where n.similarity >= coalesce(p_similarity_threshold, 0.7)
    order by n.similarity desc;
end;

-- A chunk as a number: the first 53 bits of the MD5 of its id, so that it is the same on every call and JavaScript
-- keeps every digit. The id itself is in the metadata.
create or replace function veraz.chunk_number(p_id uuid) returns bigint language sql immutable strict parallel safe
return ('x' || substr(md5(p_id::text), 1, 16))::bit(64)::bigint >> 11 & 9007199254740991;

-- Seed 3: the memory shared by all machines and that of one machine. Who acts for a machine cannot name another; a
-- person who signs in names none. filter: what the document's metadata must hold; "kb_id" and "agent_id" in it narrow
-- the search to one knowledge base or to what one agent reads.
create or replace function public.match_documents(
    query_embedding public.vector, match_threshold float8 default 0.7, match_count int default 5,
    filter_machine_id text default 'global', filter jsonb default '{}')
returns table (id bigint, content text, similarity float8, metadata jsonb)
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
    wanted constant jsonb := coalesce(filter, '{}');
begin
    return query
    select veraz.chunk_number(n.chunk_id), n.content, n.similarity, n.metadata
    from veraz.nearest(
        (wanted ->> 'agent_id')::uuid,
        case when wanted ? 'kb_id' then array[(wanted ->> 'kb_id')::uuid] end,
        true, query_embedding, match_count,
        case when wanted - 'agent_id' - 'kb_id' = '{}' then '{}'
             else jsonb_build_object('metadata', wanted - 'agent_id' - 'kb_id') end,
        filter_machine_id) n
    where n.similarity > coalesce(match_threshold, 0.7)
    order by n.similarity desc;
end $$;

-- The machine a search is for: the one the caller acts for, or the one named by a service that acts for none. Null: none.
create or replace function veraz.machine_named(p_machine_id text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    me constant veraz.caller := veraz.scope();
begin
    if btrim(p_machine_id) = '' then
        raise exception 'filter_machine_id is empty: name a machine or send «global»'
            using errcode = 'invalid_parameter_value';
    end if;
    if coalesce(p_machine_id, 'global') = 'global' then
        return me.machine_id;
    end if;
    if me.role = 'service' and coalesce(me.machine_id, 'global') = 'global'
       and exists (select from veraz.tenant t where t.id = me.tenant_id and t.signed_end_users) then
        raise exception 'this account requires the machine signed, in X-Veraz-Acting' using errcode = 'insufficient_privilege';
    end if;
    if me.machine_id is not null then
        return case when me.machine_id = p_machine_id then p_machine_id end;
    end if;
    if not coalesce(me.names_machines, false) then
        return null;
    end if;
    if exists (select from veraz.licence l where l.tenant_id = me.tenant_id
                   and l.machine_id = p_machine_id and l.status <> 'active') then
        raise exception 'the licence of machine % has been revoked', p_machine_id
            using errcode = 'insufficient_privilege';
    end if;
    if exists (select from veraz.tenant t where t.id = me.tenant_id and t.unknown_machines = 'refuse')
       and not exists (select from veraz.licence l where l.tenant_id = me.tenant_id and l.machine_id = p_machine_id) then
        raise exception 'no licence names machine %', p_machine_id using errcode = 'insufficient_privilege';
    end if;
    return p_machine_id;
end $$;

-- Seed 4: words and meaning fused by reciprocal rank, with what is known about each source. target_rag_id is a knowledge
-- base the caller may look into, or an agent (then its reading set is searched). Without an embedding only words count,
-- without text only meaning.
create or replace function public.search_rag_hybrid(
    query_text text, query_embedding public.vector, target_rag_id uuid, match_count int default 10,
    rrf_k int default 60)
returns table (id uuid, content text, subdomain text, source_name text, source_url text, source_tier text,
               evidence_level text, authority_score numeric, metadata jsonb, quality jsonb, similarity float8,
               keyword_rank float8, rrf_score float8)
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
    most constant int := least(greatest(coalesce(match_count, 10), 0), 1000);
    depth constant int := greatest(50, 2 * most);
    k constant int := greatest(coalesce(rrf_k, 60), 1);
    agent constant uuid := (select g.id from veraz.agent g where g.id = target_rag_id);
    kbs constant uuid[] := case when agent is null then array[target_rag_id] end;
    spaces int[];
    sizes text;
    tongues text[];
    words text[];
begin
    select array_agg(distinct p.space_id) filter (where p.dimensions = vector_dims(query_embedding)),
           string_agg(distinct p.dimensions::text, ', ')
    into spaces, sizes from veraz.search_plan(agent, kbs) p;
    if spaces is null and query_embedding is not null and sizes is not null then
        raise exception 'different vector dimensions: the query has %, the knowledge bases have %',
            vector_dims(query_embedding), sizes
            using errcode = 'data_exception', hint = 'Embed the query with the model of the knowledge base.';
    end if;
    if vector_norm(query_embedding) = 0 then
        spaces := null;
    end if;
    select array_agg(l.language order by l.language, w.place), array_agg(w.word order by l.language, w.place)
    into tongues, words
    from (select distinct p.language from veraz.search_plan(agent, kbs) p) l
    cross join lateral unnest(veraz.lexemes(query_text, l.language)) with ordinality w(word, place);
    return query
    with found as (
        select s.*, case when s.cosine = 'NaN' then null else s.cosine end as cos
        from veraz.search(agent, kbs, spaces, array_fill(query_embedding, array[coalesce(cardinality(spaces), 0)]), tongues, words,
                          array(select veraz.lexeme_id(w) from unnest(words) w), depth, '{}') s
        where s.chunk_id is not null
    ), scored as (
        select f.*, veraz.similarity(f.cos, p.space, p.calibration) as near
        from found f join veraz.search_plan(agent, kbs) p on p.edition_id = f.edition_id
    ), ranked as (
        select s.*, rank() over (order by s.near desc nulls last) as near_rank,
               rank() over (order by s.bm25 desc nulls last) as word_rank
        from scored s
    )
    select r.chunk_id, r.content, coalesce(r.chunk_metadata ->> 'subdomain', r.document_metadata ->> 'subdomain', r.headers[1]),
        coalesce(r.title, r.document_name), r.source_url, r.source_tier, r.evidence_level, r.authority_score::numeric(5, 2),
        r.document_metadata || (r.chunk_metadata - 'on_page') || jsonb_strip_nulls(jsonb_build_object(
            'filename', r.document_name, 'page', r.page_number, 'document_id', r.document_id, 'kb_id', r.kb_id,
            'institution', r.institution, 'peer_reviewed', r.peer_reviewed))
            || veraz.place_words(r.chunk_metadata -> 'on_page', r.part, r.row_number, r.headers),
        jsonb_strip_nulls(jsonb_build_object('score', r.quality)), r.near, coalesce(r.bm25, 0),
        fused.score
    from ranked r cross join lateral (
        select coalesce(case when r.near is not null then 1.0 / (k + r.near_rank) end, 0)::float8
             + coalesce(case when r.bm25 > 0 then 1.0 / (k + r.word_rank) end, 0)::float8 as score) fused
    where fused.score > 0
    order by fused.score desc, r.chunk_id limit most;
end $$;

-- Whether the caller may change this knowledge base.
create or replace function public.user_owns_rag_project(target_rag_id uuid) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce(target_rag_id in (select veraz.kbs_with('write')), false);
end;

alter function veraz.open_set(uuid[], boolean) owner to veraz_search;
alter function veraz.nearest(uuid, uuid[], boolean, public.vector, int, jsonb, text) owner to veraz_search;
alter function veraz.machine_named(text) owner to veraz_search;

revoke all on schema ai_agents from public;
grant usage on schema ai_agents to veraz_app, veraz_worker;
do $$
declare f text;
begin
    foreach f in array array[
        'public.search_agent_knowledge(uuid, uuid, public.vector, int, float8)',
        'ai_agents.search_knowledge_base(uuid, uuid[], public.vector, int, decimal)',
        'public.match_documents(public.vector, float8, int, text, jsonb)',
        'public.search_rag_hybrid(text, public.vector, uuid, int, int)', 'public.user_owns_rag_project(uuid)'
    ] loop
        execute format('revoke all on function %s from public', f);
        execute format('grant execute on function %s to veraz_app, veraz_worker', f);
    end loop;
end $$;
