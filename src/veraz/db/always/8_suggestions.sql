-- SUGGESTIONS. As the searches of 7_search.sql these functions run as veraz_search and start from the caller's reading set.

-- The first chunks of the newest documents that an agent reads for the caller, to find questions in.
create or replace function veraz.first_chunks(p_agent_id uuid, p_documents int, p_chunks int)
returns table (document_id uuid, place int, content text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select d.id, k.ordinal, k.content
    from (select n.id, r.edition_id
          from veraz.reading_set(p_agent_id) r
          cross join lateral (
              select o.id from veraz.document o
              where o.kb_id = r.kb_id and o.tenant_id = (select veraz.current_tenant()) and o.indexed_at is not null
                and o.superseded_by is null and (o.machine_id = 'global' or o.machine_id = (select veraz.current_machine()))
              order by o.id desc limit p_documents) n
          order by r.priority, n.id desc limit p_documents) d
    cross join lateral (
        select c.ordinal, c.content from veraz.chunk c
        where c.document_id = d.id and c.edition_id = d.edition_id and c.tenant_id = (select veraz.current_tenant())
          and (c.machine_id = 'global' or c.machine_id = (select veraz.current_machine()))
        order by c.ordinal limit p_chunks) k;
end $$;
alter function veraz.first_chunks(uuid, int, int) owner to veraz_search;

-- The chunks that stand around some others in the documents that an agent reads for the caller, with how far they are.
create or replace function veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach int)
returns table (document_id uuid, place int, content text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select b.document_id, min(abs(b.ordinal - c.ordinal)), b.content
    from veraz.chunk c
    join veraz.reading_set(p_agent_id) r on r.edition_id = c.edition_id
    join veraz.document d on d.id = c.document_id and d.indexed_at is not null
    join veraz.chunk b on b.document_id = c.document_id and b.edition_id = c.edition_id
        and b.ordinal between c.ordinal - p_reach and c.ordinal + p_reach
        and (b.machine_id = 'global' or b.machine_id = (select veraz.current_machine()))
    where c.id = any (p_chunk_ids) and c.tenant_id = (select veraz.current_tenant())
      and (c.machine_id = 'global' or c.machine_id = (select veraz.current_machine()))
    group by b.id, b.document_id, b.content;
end $$;
alter function veraz.chunks_beside(uuid, uuid[], int) owner to veraz_search;

-- Questions of an agent's exam that went right in its last run and may be shown to the caller: those about a document they are
-- answered from. One that names no document may be about what only its author reads, where the agent reads personal documents.
create or replace function veraz.passed_questions(p_agent_id uuid, p_limit int) returns setof text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    return query
    select q.question
    from veraz.agent a
    join lateral (select r.results from veraz.exam_run r
                  where r.agent_id = a.id and r.tenant_id = a.tenant_id order by r.id desc limit 1) last on true
    join veraz.exam_question q on q.agent_id = a.id and q.tenant_id = a.tenant_id and not q.must_refuse
    where a.id = p_agent_id and a.tenant_id = (select veraz.current_tenant())
      and a.project_id in (select veraz.projects_with('member'))
      and last.results @> jsonb_build_array(jsonb_build_object('question_id', q.id::text, 'passed', true))
      and case when q.expected_document_id is null then not a.allows_personal_corpus
          else exists (select from veraz.document d join veraz.reading_set(p_agent_id) s on s.kb_id = d.kb_id
                       where d.id = q.expected_document_id and d.indexed_at is not null and d.superseded_by is null
                         and (d.machine_id = 'global' or d.machine_id = (select veraz.current_machine()))) end
    order by q.id desc limit p_limit;
end $$;
alter function veraz.passed_questions(uuid, int) owner to veraz_search;
