-- The query log's functions.

-- Notes, at most once a minute, that knowledge bases were asked: whoever may ask may not change them otherwise.
create or replace function veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    update veraz.knowledge_base set last_queried_at = now()
    where id = any (p_kb_ids) and tenant_id = (select veraz.current_tenant())
      and (last_queried_at is null or last_queried_at < now() - interval '1 minute')
      and id in (select s.kb_id from veraz.search_set(p_agent_id, p_kb_ids) s);
end;
alter function veraz.note_query(uuid, uuid[]) owner to veraz_ledger;

-- The agent if it is still there, whether or not the caller may still see it.
create or replace function veraz.agent_if_there(p_agent_id uuid) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select a.id from veraz.agent a where a.id = p_agent_id and a.tenant_id = (select veraz.current_tenant());
end;
alter function veraz.agent_if_there(uuid) owner to veraz_search;

-- One line of the log. It is not worth waiting for the disk; that of an agent deleted meanwhile goes with the agent.
create or replace function veraz.log_query(
    p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb,
    p_latency_ms float8, p_chunks_searched bigint, p_chunks_retrieved int, p_reranked_count int, p_scores jsonb,
    p_best_relevance float8, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text,
    p_input_tokens int, p_output_tokens int, p_cost_usd numeric, p_credits int, p_quoted_ids uuid[])
returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true), veraz.note_query(p_agent_id, p_kb_ids);
    if veraz.agent_if_there(p_agent_id) is not distinct from p_agent_id then
        insert into veraz.query_log (id, kind, agent_id, project_id, kb_ids, user_id, key_id, machine_id, question, rewrites,
            stages, latency_ms, chunks_searched, chunks_retrieved, reranked_count, scores, best_relevance, refused, channel,
            turn, origin, outcome, model, input_tokens, output_tokens, cost_usd, credits, quoted_ids)
        values (p_id, p_kind, p_agent_id, (select a.project_id from veraz.agent a where a.id = p_agent_id), p_kb_ids,
            (select veraz.current_user_id()), (select veraz.current_key()), nullif((select veraz.current_machine()), 'global'),
            p_question, p_rewrites, p_stages, p_latency_ms, p_chunks_searched, p_chunks_retrieved, p_reranked_count,
            p_scores, p_best_relevance, p_refused, p_channel, p_turn, p_origin, p_outcome, p_model, p_input_tokens,
            p_output_tokens, p_cost_usd, p_credits, p_quoted_ids)
        on conflict do nothing;
    end if;
exception when foreign_key_violation then  -- the agent went between the look and the line
    null;
end $$;

-- How a question was answered, beside its line.
create or replace function veraz.keep_trace(
    p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb)
returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    insert into veraz.query_trace (query_id, project_id, conversation_id, user_id, personal, trace)
    select p_query_id, a.project_id, p_conversation_id, (select veraz.current_user_id()), p_personal, p_trace
    from veraz.agent a where a.id = p_agent_id;
exception when foreign_key_violation then  -- agent or conversation went meanwhile
    null;
end $$;

-- How a knowledge base is used by people and programs, not by exams and tests: numbers only, no questions, for whoever may look into it.
create or replace function veraz.kb_use(p_kb_id uuid, p_days int)
returns table (queries bigint, refused bigint, users bigint, p50_ms float8, p95_ms float8, mean_relevance float8,
               last_queried_at timestamptz, by_day jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    with used as (
        select q.* from veraz.query_log q
        where q.tenant_id = (select veraz.current_tenant()) and q.kb_ids @> array[p_kb_id]
          and p_kb_id in (select veraz.kbs_with('read'))
          and q.origin in ('person', 'program')
          and q.created_at > now() - make_interval(days => p_days)
    )
    select count(*), count(*) filter (where u.refused), count(distinct u.user_id),
           percentile_cont(0.5) within group (order by u.latency_ms),
           percentile_cont(0.95) within group (order by u.latency_ms),
           avg(u.best_relevance),
           (select kb.last_queried_at from veraz.knowledge_base kb
            where kb.id = p_kb_id and kb.id in (select veraz.kbs_with('read'))),
           coalesce((select jsonb_object_agg(d.day, d.n) from
               (select u2.created_at::date as day, count(*) as n from used u2 group by 1) d), '{}')
    from used u;
end;
alter function veraz.kb_use(uuid, int) owner to veraz_search;

-- For the operators: the log forgets what is older than so many days.
create or replace function veraz.forget_queries(p_days int) returns bigint language sql volatile
set search_path = pg_catalog, pg_temp
begin atomic
    with gone as (
        delete from veraz.query_log where created_at < now() - make_interval(days => p_days) returning 1)
    select count(*) from gone;
end;
