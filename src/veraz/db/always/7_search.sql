-- SEARCH. These functions run as veraz_search, which row level security does not bind: under it the word index would
-- not be used and a small tenant would get nothing from the vector index. They are therefore the wall themselves:
-- each starts from the reading set, which it computes from the caller's settings, and touches no other edition.
-- A plan made for any values serves most of their queries as well and is made once (force_generic_plan); where the best
-- plan depends on the values, queries are put together each time.

-- Refuses a tenant without the feature. Every search starts here, by whatever door it came.
create or replace function veraz.need_feature(p_feature text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    tenant constant uuid := veraz.current_tenant();
begin
    if tenant is not null and not exists (
        select from veraz.tenant t where t.id = tenant and t.features -> p_feature = 'true'::jsonb) then
        raise exception '%', p_feature using errcode = 'VZ403';
    end if;
    return true;
end $$;
alter function veraz.need_feature(text) owner to veraz_search;

-- What a search may look into: an agent's reading set (narrowed to p_kb_ids when given), or without an agent the
-- named knowledge bases as far as the caller may look into them.
create or replace function veraz.search_set(p_agent_id uuid, p_kb_ids uuid[])
returns table (kb_id uuid, edition_id bigint, space_id int, kind text, priority int, search_weight numeric)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select r.kb_id, r.edition_id, r.space_id, r.kind, r.priority, r.search_weight
    from veraz.reading_set(p_agent_id) r
    where p_agent_id is not null and (p_kb_ids is null or r.kb_id = any (p_kb_ids))
      and (select veraz.need_feature('ai_agents_enabled'))
    union all
    select kb.id, e.id, e.space_id, kb.kind, 1, 1.0
    from veraz.knowledge_base kb
    join veraz.edition e on e.id = kb.live_edition_id and e.tenant_id = kb.tenant_id
    where p_agent_id is null and (select veraz.need_feature('ai_agents_enabled'))
      and kb.id = any (p_kb_ids) and kb.tenant_id = (select veraz.current_tenant())
      and kb.status <> 'archived' and kb.id in (select veraz.kbs_with('read'));
end;

-- How an agent searches, for whoever may see the agent.
create or replace function veraz.search_settings(p_agent_id uuid)
returns table (retrieval jsonb, model text, fallback_model text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    return query select a.retrieval, a.model, a.fallback_model from veraz.agent a where a.id = p_agent_id;
end $$;

-- What is searched, with what has to be known before the question is embedded and cut into words.
create or replace function veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[])
returns table (kb_id uuid, edition_id bigint, space_id int, kind text, priority int, search_weight numeric,
               kb_name text, language text, space text, dimensions int, chunks bigint, shared bigint, calibration jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
begin atomic
    select s.kb_id, s.edition_id, s.space_id, s.kind, s.priority, s.search_weight,
           kb.name, kb.language, es.name, es.dimensions,
           counted.chunks, counted.shared, e.calibration
    from veraz.search_set(p_agent_id, p_kb_ids) s
    cross join lateral (
        select coalesce(sum(t.count), 0)::bigint as chunks,
               coalesce(sum(t.count) filter (where t.machine_id = 'global'), 0)::bigint as shared
        from veraz.edition_term t where t.edition_id = s.edition_id and t.term = -1
          and (t.machine_id = 'global' or t.machine_id = (select veraz.current_machine()))) counted
    join veraz.knowledge_base kb on kb.id = s.kb_id
    join veraz.edition e on e.id = s.edition_id
    join veraz.embedding_space es on es.id = s.space_id
    order by s.priority, s.kb_id;
end;

-- What an agent may read for everybody, by the names of documents, oldest first, and how many there are in all. Names of
-- personal documents stand in no reply: others may read the conversation.
create or replace function veraz.readable_titles(p_agent_id uuid, p_limit int)
returns table (title text, documents bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce(nullif(d.title, ''), d.name), count(*) over ()
    from veraz.reading_set(p_agent_id) r
    join veraz.knowledge_base kb on kb.id = r.kb_id and kb.kind = 'global'
    join veraz.document d on d.kb_id = r.kb_id and d.tenant_id = (select veraz.current_tenant()) and d.indexed_at is not null
        and d.machine_id in ('global', coalesce((select veraz.current_machine()), 'global'))
    order by r.priority, d.created_at, d.id limit p_limit;
end;
alter function veraz.readable_titles(uuid, int) owner to veraz_search;

-- Ids of a space's nearest chunks among some editions. p_count: chunks in question. The space's HNSW index also holds the
-- chunks of others, which it has to look at too: to find as surely, it must look at the more candidates the smaller our
-- share of it is. Where that would be more than pgvector allows, every vector is read instead, up to a number of them.
-- Measured with real vectors: docs/benchmarks.md, «Search».
create or replace function veraz.nearest_chunks(
    p_space_id int, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit int,
    p_machine text)
returns uuid[] language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
    most constant int := 1000;       -- pgvector's limit for ef_search
    alone constant int := 400;       -- candidates that find 98 of 100 when all the index is ours
    readable constant int := 50000;
    indexed bigint;
    candidates bigint;
    scan text;
    found uuid[];
    tenant constant uuid := veraz.current_tenant();
    -- «is true»: an edition has one tenant, so the tenant is checked, not looked up in an index of its own
    rest text := $q$ and (c.tenant_id = $3 and (c.machine_id = 'global' or c.machine_id = $4)) is true
        and ($5 is null or c.document_id = any ($5)) $q$;
begin
    select i.reltuples::bigint into indexed from pg_class i join pg_index x on x.indexrelid = i.oid
    where i.relnamespace = 'veraz'::regnamespace and i.relname = 'chunk_space_' || p_space_id and x.indisvalid;
    candidates := greatest(alone, 2 * p_limit) * greatest(indexed, p_count) / greatest(p_count, 1);
    if indexed is null or p_count <= 2000 or (candidates > most and p_count <= readable) then
        execute format('select array_agg(n.id) from (select c.id from veraz.chunk c
                where c.space_id = %s and c.edition_id = any ($2) %s order by c.embedding <=> $1 limit %s) n',
            p_space_id, rest, p_limit)
        into found using p_vector, p_editions, tenant, p_machine, p_documents;
        return found;
    end if;
    perform set_config('hnsw.ef_search', least(candidates, most)::text, true),
            set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true);
    -- One look at the index is a third cheaper than one that could go on, and mostly holds enough of ours.
    foreach scan in array array['off', 'relaxed_order'] loop
        perform set_config('hnsw.iterative_scan', scan, true);
        execute format('select array_agg(n.id) from (select c.id from veraz.chunk c
                where c.space_id = %1$s and c.edition_id = any ($2) %2$s
                order by (c.embedding::halfvec(%3$s)) <=> $1::halfvec(%3$s) limit %4$s) n',
            p_space_id, rest, vector_dims(p_vector), p_limit)
        into found using p_vector, p_editions, tenant, p_machine, p_documents;
        exit when cardinality(found) >= p_limit;
    end loop;
    perform set_config('enable_sort', 'on', true), set_config('enable_bitmapscan', 'on', true);
    return found;
end $$;

-- The words of a question in one language with their idf among what a machine reads of some editions: N chunks, the sparse query for BM25, and
-- the rarest words (until some 3,000 chunks hold one) as a query for the word index.
create or replace function veraz.word_query(p_words text[], p_terms int[], p_editions bigint[], p_machine text)
returns table (chunks bigint, idf float8[], weights public.sparsevec, rarest tsquery)
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
    budget constant int := 3000;
begin
    select coalesce(sum(t.count), 0) into chunks
    from veraz.edition_term t where t.edition_id = any (p_editions) and t.term = -1
      and (t.machine_id = 'global' or t.machine_id = p_machine);
    return query
    with counted as (
        select w.word, w.term, w.place, least(greatest(coalesce(sum(t.count), 0), 0), chunks) as held
        from unnest(p_words, p_terms) with ordinality w(word, term, place)
        left join veraz.edition_term t on t.edition_id = any (p_editions) and t.term = w.term
            and (t.machine_id = 'global' or t.machine_id = p_machine)
        group by w.word, w.term, w.place
    ), weighed as (
        select c.*, ln(1 + (chunks - c.held + 0.5) / (c.held + 0.5))::float8 as idf,
               sum(c.held) over (order by c.held, c.place) as reached,
               row_number() over (order by c.held, c.place) as rarity,
               '''' || replace(replace(c.word, '\', '\\'), '''', '''''') || '''' as quoted
        from counted c
    ), found as (select * from weighed where held > 0)
    select chunks, (select array_agg(w.idf order by w.place) from weighed w),
           (select ('{' || string_agg(f.term + 1 || ':' || f.weight, ',' order by f.term) || '}/536870912')::sparsevec
            from (select term, max(weighed.idf) as weight from weighed where held > 0 group by term) f),
           -- words so common that even the rarest exceeds the budget must stand together
           coalesce((select string_agg(f.quoted, ' | ') from found f where f.reached <= budget),
                    (select string_agg(f.quoted, ' & ') from found f where f.rarity <= 3))::tsquery;
end $$;

-- Ids of the chunks with the best BM25 among some editions.
create or replace function veraz.best_worded_chunks(
    p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit int)
returns uuid[] language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
    found uuid[];
    readable constant int := 15000;
    rest text := $q$ c.edition_id = any ($2) and (c.tenant_id = $3 and (c.machine_id = 'global' or c.machine_id = $4)) is true
        and ($5 is null or c.document_id = any ($5)) $q$;
begin
    -- Up to a number of them, chunks are quicker read than looked up in an index that other tenants fill too: 10,000
    -- among 1,100,000 took 15 ms instead of 37 ms.
    execute format('select array_agg(n.id) from (select w.id from (select c.id, c.bm25 <#> $1 as score
            from veraz.chunk c where %s %s) w where w.score < 0 order by w.score limit %s) n',
        rest, case when p_count > readable then 'and c.lexemes @@ $6 limit 5000' else '' end, p_limit)
    into found using p_weights, p_editions, veraz.current_tenant(), veraz.current_machine(), p_documents, p_rarest;
    return found;
end $$;

-- One question, both searches, one round trip. p_vectors[i] is the question in space p_space_ids[i]; p_words[i] with
-- dimension p_terms[i] belongs to language p_languages[i]. p_filters: document_ids, metadata, from, until.
-- The first row has no chunk: its stats hold what was searched and each word's idf, in the order given.
-- p_found: what an outside engine proposes instead of the two searches here (see 8_vectors.sql).
-- p_by: 'meaning' or 'words' for one of the two searches alone, so that two connections can share the work.
create or replace function veraz.search(
    p_agent_id uuid, p_kb_ids uuid[], p_space_ids int[], p_vectors public.vector[],
    p_languages text[], p_words text[], p_terms int[], p_limit int, p_filters jsonb, p_found uuid[] default null,
    p_by text default 'both')
returns table (
    stats jsonb, chunk_id uuid, document_id uuid, kb_id uuid, edition_id bigint, space_id int, kind text,
    content text, context text, headers text[], page_number int, part text, row_number int, ordinal int,
    start_char int, end_char int, tokens int, quality int, chunk_metadata jsonb, embedding public.vector,
    cosine float8, bm25 float8, document_name text, title text, source_url text, language text, document_language text,
    document_metadata jsonb, source_tier text, authority_score float8, evidence_level text, institution text,
    peer_reviewed boolean)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
    tenant constant uuid := veraz.current_tenant();
    machine constant text := veraz.current_machine();
    editions bigint[];
    documents uuid[];
    searched bigint;
    part record;
    words record;
    near uuid[] := '{}';
    worded uuid[] := '{}';
    spoken text[] := '{}';
    questions sparsevec[] := '{}';
    idfs float8[] := '{}';
begin
    select array_agg(s.edition_id) into editions from veraz.search_set(p_agent_id, p_kb_ids) s;
    if editions is null then
        return;
    end if;
    if p_filters <> '{}' then
        documents := veraz.filtered_documents(editions, p_filters);
    end if;
    for part in
        select e.space_id, array_agg(e.id) as editions, sum(veraz.chunks_in(e.id, documents, machine))::bigint as chunks,
               p_vectors[array_position(p_space_ids, e.space_id)] as vector
        from veraz.edition e where e.id = any (editions) group by e.space_id
    loop
        searched := coalesce(searched, 0) + part.chunks;
        if p_found is null and p_by <> 'words' and part.vector is not null and part.chunks > 0 then
            near := near || coalesce(veraz.nearest_chunks(
                part.space_id, part.vector, part.editions, documents, part.chunks, p_limit, machine), '{}');
        end if;
    end loop;
    for part in
        select kb.language, array_agg(e.id) as editions, sum(veraz.chunks_in(e.id, documents, machine))::bigint as chunks
        from veraz.edition e join veraz.knowledge_base kb on kb.id = e.kb_id where e.id = any (editions)
        group by kb.language
    loop
        select q.* into words
        from (select array_agg(w.word order by w.place) as words, array_agg(w.term order by w.place) as terms
              from unnest(p_languages, p_words, p_terms) with ordinality w(language, word, term, place)
              where w.language = part.language) given
        cross join lateral veraz.word_query(given.words, given.terms, part.editions, machine) q;
        idfs := idfs || coalesce(words.idf, '{}');
        spoken := spoken || part.language;
        questions := questions || words.weights;
        if p_found is null and p_by <> 'meaning' and words.weights is not null then
            worded := worded || coalesce(veraz.best_worded_chunks(
                words.weights, words.rarest, part.editions, documents, part.chunks, p_limit), '{}');
        end if;
    end loop;
    if p_found is not null then
        near := p_found;
    end if;
    return query
    select jsonb_build_object('searched', searched, 'languages', spoken, 'idf', idfs),
        null::uuid, null::uuid, null::uuid, null::bigint, null::int, null::text, null::text, null::text, null::text[],
        null::int, null::text, null::int, null::int, null::int, null::int, null::int, null::int, null::jsonb,
        null::vector, null::float8, null::float8, null::text, null::text, null::text, null::text, null::text,
        null::jsonb, null::text, null::float8, null::text, null::text, null::boolean
    union all
    select null, c.id, c.document_id, c.kb_id, c.edition_id, c.space_id, kb.kind, c.content, c.context, c.headers,
        veraz.sure_page(c, d.file_type, d.pages_count), c.part, c.row_number, c.ordinal, c.start_char, c.end_char, c.tokens, c.quality, c.metadata,
        c.embedding, 1 - (c.embedding <=> p_vectors[array_position(p_space_ids, c.space_id)]),
        -(c.bm25 <#> questions[array_position(spoken, kb.language)]), d.name, d.title, d.source_url, kb.language,
        d.language, d.metadata, d.tier, d.authority_score::float8, d.evidence_level, d.institution, d.peer_reviewed
    from (select distinct unnest(near || worded) as id) hit
    join veraz.chunk c on c.id = hit.id and c.tenant_id = tenant and c.edition_id = any (editions)
        and (c.machine_id = 'global' or c.machine_id = machine)
        and (documents is null or c.document_id = any (documents))
    join veraz.document d on d.id = c.document_id and d.indexed_at is not null
    join veraz.knowledge_base kb on kb.id = c.kb_id;
end $$;

-- The documents of some editions that pass the filters. The date of a document is the one written in it, or else the
-- day it was added.
create or replace function veraz.filtered_documents(p_editions bigint[], p_filters jsonb) returns uuid[]
language sql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
begin atomic
    select coalesce(array_agg(d.id), '{}') from veraz.document d
    where d.tenant_id = (select veraz.current_tenant())
      and d.kb_id in (select e.kb_id from veraz.edition e where e.id = any (p_editions))
      and (p_filters -> 'document_ids' is null
           or d.id in (select i.id::uuid from jsonb_array_elements_text(p_filters -> 'document_ids') i(id)))
      and (p_filters -> 'metadata' is null or d.metadata @> (p_filters -> 'metadata'))
      and (p_filters ->> 'from' is null
           or coalesce(d.created_date, d.created_at::date) >= (p_filters ->> 'from')::date)
      and (p_filters ->> 'until' is null
           or coalesce(d.created_date, d.created_at::date) <= (p_filters ->> 'until')::date);
end;

-- How many chunks a machine reads of an edition, or only of some documents.
create or replace function veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) returns bigint
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select case when p_documents is null
        then (select coalesce(sum(t.count), 0) from veraz.edition_term t
              where t.edition_id = p_edition_id and t.term = -1
                and (t.machine_id = 'global' or t.machine_id = p_machine))
        else (select coalesce(sum(d.chunks_count), 0) from veraz.document d
              join veraz.edition e on e.kb_id = d.kb_id
              where e.id = p_edition_id and d.id = any (p_documents)
                and (d.machine_id = 'global' or d.machine_id = p_machine))
    end::bigint;
end;

do $$
declare f text;
begin
    foreach f in array array[
        'search_set(uuid, uuid[])', 'search_plan(uuid, uuid[])',
        'search(uuid, uuid[], int[], public.vector[], text[], text[], int[], int, jsonb, uuid[], text)'
    ] loop
        execute format('alter function veraz.%s owner to veraz_search', f);
    end loop;
end $$;

-- Which terms are counted in what the caller reads of the reading set's knowledge bases of a language, and in how many chunks. Two words may share
-- a term, so that among hundreds of guesses one may be counted which stands nowhere.
create or replace function veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms int[])
returns table (term int, chunks bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
    editions bigint[] := veraz.editions_in(p_agent_id, p_kb_ids, p_language);
    machine constant text := veraz.current_machine();
begin
    return query
    select t.term, sum(t.count)::bigint from veraz.edition_term t
    where t.edition_id = any (editions) and t.term = any (p_terms)
      and (t.machine_id = 'global' or t.machine_id = machine)
    group by t.term having sum(t.count) > 0;
end $$;
alter function veraz.known_terms(uuid, uuid[], text, int[]) owner to veraz_search;

-- Which of a few words truly stand there. The best plan depends on how many chunks there are, so it is made each time.
create or replace function veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[])
returns setof text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query execute $q$ select w from unnest($1) w where exists (
        select from veraz.chunk c where c.edition_id = any ($2)
          and (c.machine_id = 'global' or c.machine_id = $3)
          and c.lexemes @@ ('''' || replace(replace(w, '\', '\\'), '''', '''''') || '''')::tsquery) $q$
    using p_words, veraz.editions_in(p_agent_id, p_kb_ids, p_language), veraz.current_machine();
end $$;
alter function veraz.standing_words(uuid, uuid[], text, text[]) owner to veraz_search;

-- The editions of the reading set in one language.
create or replace function veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) returns bigint[]
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select array_agg(s.edition_id)
    from veraz.search_set(p_agent_id, p_kb_ids) s join veraz.knowledge_base kb on kb.id = s.kb_id
    where kb.language = p_language;
end;
alter function veraz.editions_in(uuid, uuid[], text) owner to veraz_search;

-- UPKEEP, for the owner only (see 9_grants). Embedding spaces with enough chunks for an index and none that works, or one
-- that was made less carefully than today's.
create or replace function veraz.spaces_without_index(p_chunks bigint) returns table (space_id int, dimensions int)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select s.id, s.dimensions from veraz.embedding_space s
    where not exists (
            select from pg_class i join pg_index x on x.indexrelid = i.oid
            where i.relnamespace = 'veraz'::regnamespace and i.relname = 'chunk_space_' || s.id and x.indisvalid
              and i.reloptions @> array['ef_construction=256'])
      and (select coalesce(sum(t.count), 0) from veraz.edition e
           join veraz.edition_term t on t.edition_id = e.id and t.term = -1
           where e.space_id = s.id) >= p_chunks
      and not exists (select from veraz.vector_home h where h.space_id = s.id and h.state = 'qdrant');
end;
alter function veraz.spaces_without_index(bigint) owner to veraz_search;

-- Adds up the word counts of editions that have gathered many increments; writers go on meanwhile.
create or replace function veraz.fold_terms(p_increments bigint) returns int
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    due record;
    folded int := 0;
begin
    for due in
        select e.id from veraz.edition e
        where (select count(*) from veraz.edition_term t where t.edition_id = e.id and t.term = -1) >= p_increments
    loop
        with gone as (
            delete from veraz.edition_term where edition_id = due.id
            returning tenant_id, edition_id, machine_id, term, count)
        insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
        select tenant_id, edition_id, machine_id, term, sum(count) from gone group by 1, 2, 3, 4 having sum(count) <> 0;
        folded := folded + 1;
    end loop;
    return folded;
end $$;
alter function veraz.fold_terms(bigint) owner to veraz_ledger;
