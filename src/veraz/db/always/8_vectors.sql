-- Vectors in an outside engine. PostgreSQL keeps the record: the engine only proposes chunks, and every proposal is read
-- again in the reading set. What the engine has not heard of yet is searched here, so nothing committed is missed.

create or replace function veraz.note_vectors() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    if not exists (select from veraz.vector_home where state <> 'postgres') then
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id)
        select c.id, c.tenant_id, c.space_id, c.edition_id from came c
        join veraz.vector_home h on h.space_id = c.space_id and h.state <> 'postgres'
        order by c.id
        on conflict (chunk_id) do update set version = excluded.version;
    elsif tg_op = 'DELETE' then
        insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id)
        select g.id, g.tenant_id, g.space_id, g.edition_id from gone g
        join veraz.vector_home h on h.space_id = g.space_id and h.state <> 'postgres'
        order by g.id
        on conflict (chunk_id) do update set version = excluded.version;
    else
        insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id)
        select c.id, c.tenant_id, c.space_id, c.edition_id from came c join gone g on g.id = c.id
        join veraz.vector_home h on h.space_id = c.space_id and h.state <> 'postgres'
        where (c.machine_id, c.revision, c.content_hash) is distinct from (g.machine_id, g.revision, g.content_hash)
           or c.embedding is distinct from g.embedding or c.bm25 is distinct from g.bm25
        order by c.id
        on conflict (chunk_id) do update set version = excluded.version;
    end if;
    return null;
end $$;
alter function veraz.note_vectors() owner to veraz_ledger;
create or replace trigger note_vectors_in after insert on veraz.chunk
    referencing new table as came for each statement execute function veraz.note_vectors();
create or replace trigger note_vectors_changed after update on veraz.chunk
    referencing old table as gone new table as came for each statement execute function veraz.note_vectors();
create or replace trigger note_vectors_out after delete on veraz.chunk
    referencing old table as gone for each statement execute function veraz.note_vectors();

-- The queue hands on the changes of every tenant; what they hold is read inside the tenant.
create policy moved on veraz.vector_outbox to veraz_queue using (true) with check (true);
create policy noted on veraz.vector_outbox to veraz_ledger using (true) with check (true);
-- A worker notes chunks of its tenant: what is noted and is there no more is removed from the engine by its id alone.
create policy of_a_chunk on veraz.vector_outbox as restrictive for insert to veraz_worker
    with check (exists (select from veraz.chunk c where c.id = vector_outbox.chunk_id));

-- Of the chunks the engine has not heard of yet, those nearest in meaning and in words.
create or replace function veraz.waiting_chunks(
    p_editions bigint[], p_documents uuid[], p_space_ids int[], p_vectors public.vector[],
    p_languages text[], p_weights public.sparsevec[], p_limit int)
returns uuid[] language sql stable set search_path = pg_catalog, public, pg_temp
begin atomic
    with waiting as materialized (
        select c.id, c.embedding <=> p_vectors[array_position(p_space_ids, c.space_id)] as far,
               c.bm25 <#> p_weights[array_position(p_languages, kb.language)] as unlike
        from veraz.vector_outbox o
        join veraz.chunk c on c.id = o.chunk_id
        join veraz.knowledge_base kb on kb.id = c.kb_id
        where o.edition_id = any (p_editions) and c.edition_id = any (p_editions)
          and c.tenant_id = (select veraz.current_tenant())
          and (c.machine_id = 'global' or c.machine_id = (select veraz.current_machine()))
          and (p_documents is null or c.document_id = any (p_documents))
        limit 20000
    )
    select coalesce(array_agg(w.id), '{}') from (
        (select id from waiting where far is not null order by far limit p_limit)
        union (select id from waiting where unlike < 0 order by unlike limit p_limit)) w;
end;

-- What to ask the engine for a question: per space and language the editions, the words with their idf, the documents
-- that pass the filters (null: all), and of the chunks it has not heard of yet the nearest: looked up before it is asked,
-- so that one it hears of meanwhile is missed by neither. No rows when some of it is searched in PostgreSQL.
create or replace function veraz.engine_plan(
    p_agent_id uuid, p_kb_ids uuid[], p_space_ids int[], p_vectors public.vector[], p_languages text[], p_words text[],
    p_terms int[], p_limit int, p_filters jsonb)
returns table (space_id int, language text, editions bigint[], chunks bigint, weights public.sparsevec,
               documents uuid[], waiting bigint, unheard uuid[], planned_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    every bigint[];
    allowed uuid[];
    machine constant text := veraz.current_machine();
begin
    select array_agg(s.edition_id) into every from veraz.search_set(p_agent_id, p_kb_ids) s;
    if every is null or exists (
        select from veraz.edition e left join veraz.vector_home h on h.space_id = e.space_id
        where e.id = any (every) and h.state is distinct from 'qdrant') then
        return;
    end if;
    if p_filters <> '{}' then
        allowed := veraz.filtered_documents(every, p_filters);
    end if;
    return query
    with part as (
        select e.space_id, kb.language, array_agg(e.id) as editions,
               sum(veraz.chunks_in(e.id, allowed, machine))::bigint as chunks
        from veraz.edition e join veraz.knowledge_base kb on kb.id = e.kb_id where e.id = any (every)
        group by e.space_id, kb.language
    ), spoken as (
        select p.language, q.weights
        from (select part.language, array_agg(x.id) as editions from part cross join lateral unnest(part.editions) x(id)
              group by part.language) p
        cross join lateral (
            select array_agg(w.word order by w.place) as words, array_agg(w.term order by w.place) as terms
            from unnest(p_languages, p_words, p_terms) with ordinality w(language, word, term, place)
            where w.language = p.language) given
        cross join lateral veraz.word_query(given.words, given.terms, p.editions, machine) q
    ), unheard as (
        select veraz.waiting_chunks(every, allowed, p_space_ids, p_vectors, array_agg(s.language),
                                    array_agg(s.weights), p_limit) as ids
        from spoken s
    )
    select part.space_id, part.language, part.editions, part.chunks, spoken.weights, allowed,
           (select count(*) from veraz.vector_outbox o where o.edition_id = any (part.editions)),
           (select ids from unheard), now()
    from part left join spoken on spoken.language = part.language;
end $$;
alter function veraz.engine_plan(uuid, uuid[], int[], public.vector[], text[], text[], int[], int, jsonb) owner to veraz_search;

-- Until the transaction ends nobody writes chunks, and whoever was writing has ended; only workers hold it, for a moment.
create or replace function veraz.hold_chunk_writers() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
begin
    lock table veraz.chunk in share mode;
end $$;
alter function veraz.hold_chunk_writers() owner to veraz_ledger;

-- How many chunks a space holds, of all tenants; for the owner only (see 9_grants).
create or replace function veraz.space_chunks(p_space_id int) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce(sum(t.count), 0)::bigint from veraz.edition e
    join veraz.edition_term t on t.edition_id = e.id and t.term = -1 where e.space_id = p_space_id;
end;
alter function veraz.space_chunks(int) owner to veraz_search;
