-- Generated from migrations/ and always/ by «make schema»; not applied to any database.

CREATE SCHEMA ai_agents;

CREATE SCHEMA veraz;

CREATE TYPE veraz.caller AS (
	login name,
	until timestamp with time zone,
	tenant_id uuid,
	user_id uuid,
	role text,
	machine_id text,
	names_machines boolean,
	key_id uuid,
	key_level text,
	key_project uuid,
	platform boolean
);

CREATE TYPE veraz.known_key AS (
	id uuid,
	name text,
	prefix text,
	scopes text[],
	project_id uuid,
	user_id uuid,
	ends_with_password boolean,
	created_at timestamp with time zone,
	expires_at timestamp with time zone,
	last_used_at timestamp with time zone,
	revoked_at timestamp with time zone,
	created_by uuid
);

CREATE TYPE veraz.person AS (
	id uuid,
	email text,
	external_id text,
	display_name text,
	role text,
	is_platform_admin boolean,
	language text,
	has_password boolean,
	must_change_password boolean,
	disabled_at timestamp with time zone,
	last_login_at timestamp with time zone,
	created_at timestamp with time zone
);

CREATE FUNCTION veraz.scope() RETURNS veraz.caller
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    signed constant text := current_setting('veraz.scope', true);
    key veraz.scope_key;
    me veraz.caller;
begin
    if coalesce(signed, '') = '' then
        return null;
    end if;
    select k.* into key from veraz.scope_key k;
    if key.id is null or left(signed, 64) is distinct from
            encode(sha256(key.outer_key || sha256(key.inner_key || convert_to(substr(signed, 65), 'UTF8'))), 'hex') then
        raise exception 'the scope was not signed by this installation' using errcode = 'VZ010';
    end if;
    me := substr(signed, 65)::veraz.caller;
    if me.login is distinct from session_user then
        raise exception 'the scope was signed for another role' using errcode = 'VZ010';
    end if;
    if me.until is null or me.until < now() then
        raise exception 'the scope has expired' using errcode = 'VZ011';
    end if;
    return me;
end $$;

ALTER FUNCTION veraz.scope() OWNER TO veraz_gate;

CREATE FUNCTION veraz.current_tenant() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (veraz.scope()).tenant_id;

CREATE FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text DEFAULT NULL::text) RETURNS TABLE(chunk_id uuid, document_id uuid, content text, page_number integer, title text, document_name text, source text, metadata jsonb, similarity double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) OWNER TO veraz_search;

CREATE FUNCTION ai_agents.search_knowledge_base(p_tenant_id uuid, p_kb_ids uuid[], p_query_embedding public.vector, p_top_k integer DEFAULT 5, p_similarity_threshold numeric DEFAULT 0.7) RETURNS TABLE(chunk_id uuid, document_id uuid, document_name character varying, content text, page_number integer, similarity_score numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT n.chunk_id,
     n.document_id,
     (n.document_name)::character varying AS document_name,
     n.content,
     n.page_number,
     round((n.similarity)::numeric, 6) AS round
    FROM veraz.nearest(NULL::uuid,
         CASE
             WHEN (search_knowledge_base.p_tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) THEN COALESCE(search_knowledge_base.p_kb_ids, '{}'::uuid[])
             ELSE '{}'::uuid[]
         END, false, search_knowledge_base.p_query_embedding, search_knowledge_base.p_top_k, '{}'::jsonb) n(chunk_id, document_id, content, page_number, title, document_name, source, metadata, similarity)
   WHERE (n.similarity >= (COALESCE(search_knowledge_base.p_similarity_threshold, 0.7))::double precision)
   ORDER BY n.similarity DESC;
END;

CREATE FUNCTION veraz.job_backoff(p_attempt integer) RETURNS interval
    LANGUAGE sql
    RETURN make_interval(secs => LEAST((3600)::double precision, (((15 * (1 << LEAST(p_attempt, 8))))::double precision + (random() * (10)::double precision))));

CREATE TABLE veraz.job (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kind text NOT NULL,
    kb_id uuid,
    document_id uuid,
    stage text,
    status text DEFAULT 'PENDING'::text NOT NULL,
    bulk boolean DEFAULT false NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    lost integer DEFAULT 0 NOT NULL,
    run_after timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone,
    worker text,
    progress_percent integer DEFAULT 0 NOT NULL,
    error_code text,
    error_message text,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    stages jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT job_attempt_check CHECK ((attempt >= 0)),
    CONSTRAINT job_check CHECK (((status = 'RUNNING'::text) = ((worker IS NOT NULL) AND (lease_until IS NOT NULL)))),
    CONSTRAINT job_kind_check CHECK ((kind <> ''::text)),
    CONSTRAINT job_max_attempts_check CHECK ((max_attempts >= 1)),
    CONSTRAINT job_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text)),
    CONSTRAINT job_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 100))),
    CONSTRAINT job_stages_check CHECK ((jsonb_typeof(stages) = 'object'::text)),
    CONSTRAINT job_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'DONE'::text, 'FAILED'::text, 'DLQ'::text])))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='200');

ALTER TABLE ONLY veraz.job FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.job.bulk IS 'Work nobody waits for (a whole kb re-embedded): after the tenant''s other jobs.';

COMMENT ON COLUMN veraz.job.attempt IS 'Tries that count: the one running and those that ended in an error.';

COMMENT ON COLUMN veraz.job.claims IS 'How often it was handed out; with worker, the proof of holding the lease.';

COMMENT ON COLUMN veraz.job.lost IS 'Times a worker vanished while holding it; has its own, larger budget.';

COMMENT ON COLUMN veraz.job.stages IS 'Stage → when it began, of the last attempt; it ends where the next one begins or the job does.';

CREATE FUNCTION public.mark_job_retry(job_id uuid, err text DEFAULT NULL::text) RETURNS text
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.job j SET status =
         CASE
             WHEN (j.attempt >= j.max_attempts) THEN 'DLQ'::text
             ELSE 'PENDING'::text
         END, run_after = (now() + veraz.job_backoff(j.attempt)), finished_at =
         CASE
             WHEN (j.attempt >= j.max_attempts) THEN now()
             ELSE NULL::timestamp with time zone
         END, error_code = 'retry'::text, error_message = mark_job_retry.err, worker = NULL::text, lease_until = NULL::timestamp with time zone
   WHERE ((j.id = mark_job_retry.job_id) AND (j.status = 'RUNNING'::text))
   RETURNING j.status;
END;

CREATE FUNCTION public.match_documents(query_embedding public.vector, match_threshold double precision DEFAULT 0.7, match_count integer DEFAULT 5, filter_machine_id text DEFAULT 'global'::text, filter jsonb DEFAULT '{}'::jsonb) RETURNS TABLE(id bigint, content text, similarity double precision, metadata jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE TABLE veraz.job_history (
    id uuid CONSTRAINT job_id_not_null NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() CONSTRAINT job_tenant_id_not_null NOT NULL,
    kind text CONSTRAINT job_kind_not_null NOT NULL,
    kb_id uuid,
    document_id uuid,
    stage text,
    status text DEFAULT 'PENDING'::text CONSTRAINT job_status_not_null NOT NULL,
    bulk boolean DEFAULT false CONSTRAINT job_bulk_not_null NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb CONSTRAINT job_payload_not_null NOT NULL,
    attempt integer DEFAULT 0 CONSTRAINT job_attempt_not_null NOT NULL,
    max_attempts integer DEFAULT 5 CONSTRAINT job_max_attempts_not_null NOT NULL,
    claims integer DEFAULT 0 CONSTRAINT job_claims_not_null NOT NULL,
    lost integer DEFAULT 0 CONSTRAINT job_lost_not_null NOT NULL,
    run_after timestamp with time zone DEFAULT now() CONSTRAINT job_run_after_not_null NOT NULL,
    lease_until timestamp with time zone,
    worker text,
    progress_percent integer DEFAULT 0 CONSTRAINT job_progress_percent_not_null NOT NULL,
    error_code text,
    error_message text,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() CONSTRAINT job_created_at_not_null NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    archived_at timestamp with time zone DEFAULT now() NOT NULL,
    stages jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE ONLY veraz.job_history FORCE ROW LEVEL SECURITY;

CREATE FUNCTION veraz.purge_done_jobs(p_kb_id uuid) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH gone AS (
          DELETE FROM veraz.job
           WHERE ((job.status = 'DONE'::text) AND ((purge_done_jobs.p_kb_id IS NULL) OR (job.kb_id = purge_done_jobs.p_kb_id)))
           RETURNING job.id,
             job.tenant_id,
             job.kind,
             job.kb_id,
             job.document_id,
             job.stage,
             job.status,
             job.bulk,
             job.payload,
             job.attempt,
             job.max_attempts,
             job.claims,
             job.lost,
             job.run_after,
             job.lease_until,
             job.worker,
             job.progress_percent,
             job.error_code,
             job.error_message,
             job.created_by,
             job.created_at,
             job.started_at,
             job.finished_at,
             job.stages
         ), kept AS (
          INSERT INTO veraz.job_history (id, tenant_id, kind, kb_id, document_id, stage, status, bulk, payload, attempt, max_attempts, claims, lost, run_after, progress_percent, error_code, error_message, created_by, created_at, started_at, finished_at, stages)  SELECT gone.id,
                     gone.tenant_id,
                     gone.kind,
                     gone.kb_id,
                     gone.document_id,
                     gone.stage,
                     gone.status,
                     gone.bulk,
                     gone.payload,
                     gone.attempt,
                     gone.max_attempts,
                     gone.claims,
                     gone.lost,
                     gone.run_after,
                     gone.progress_percent,
                     gone.error_code,
                     gone.error_message,
                     gone.created_by,
                     gone.created_at,
                     gone.started_at,
                     gone.finished_at,
                     gone.stages
                    FROM gone
           RETURNING 1 AS "?column?"
         )
  SELECT (count(*))::integer AS count
    FROM kept;
END;

CREATE FUNCTION public.purge_completed_jobs(target_rag_id uuid) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (target_rag_id IS NULL) THEN 0
             ELSE veraz.purge_done_jobs(target_rag_id)
         END AS purge_done_jobs;
END;

CREATE TABLE veraz.agent (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid NOT NULL,
    name text NOT NULL,
    company_name text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    system_prompt text DEFAULT ''::text NOT NULL,
    answer_style text DEFAULT 'strict'::text NOT NULL,
    model text,
    fallback_model text,
    allows_personal_corpus boolean DEFAULT false NOT NULL,
    language text DEFAULT 'auto'::text NOT NULL,
    fallback_message text,
    handoff_on_refusal boolean DEFAULT false NOT NULL,
    retrieval jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    exam_blocks boolean DEFAULT false NOT NULL,
    judge_model text,
    CONSTRAINT agent_answer_style_check CHECK ((answer_style = ANY (ARRAY['strict'::text, 'evidence'::text, 'chat'::text]))),
    CONSTRAINT agent_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT agent_retrieval_check CHECK ((jsonb_typeof(retrieval) = 'object'::text))
);

ALTER TABLE ONLY veraz.agent FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.agent.exam_blocks IS 'Changes of model, prompt or thresholds wait until the exam has passed with them.';

COMMENT ON COLUMN veraz.agent.judge_model IS 'provider:model that says which claims follow from the passages; the writing model without it.';

CREATE FUNCTION public.search_agent_knowledge(p_agent_id uuid, p_project_id uuid, p_query_embedding public.vector, p_match_count integer DEFAULT 5, p_match_threshold double precision DEFAULT 0.7) RETURNS TABLE(id uuid, content text, title text, source text, similarity double precision)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT n.chunk_id,
     n.content,
     n.title,
     n.source,
     n.similarity
    FROM veraz.nearest(( SELECT g.id
            FROM veraz.agent g
           WHERE ((g.id = search_agent_knowledge.p_agent_id) AND (g.project_id = search_agent_knowledge.p_project_id))),
         CASE
             WHEN ((search_agent_knowledge.p_agent_id IS NULL) OR (search_agent_knowledge.p_project_id IS NULL) OR (NOT (EXISTS ( SELECT
                FROM veraz.agent g
               WHERE ((g.id = search_agent_knowledge.p_agent_id) AND (g.project_id = search_agent_knowledge.p_project_id)))))) THEN '{}'::uuid[]
             ELSE NULL::uuid[]
         END, false, search_agent_knowledge.p_query_embedding, search_agent_knowledge.p_match_count, '{}'::jsonb) n(chunk_id, document_id, content, page_number, title, document_name, source, metadata, similarity)
   WHERE (n.similarity > COALESCE(search_agent_knowledge.p_match_threshold, (0.7)::double precision))
   ORDER BY n.similarity DESC;
END;

CREATE FUNCTION public.search_rag_hybrid(query_text text, query_embedding public.vector, target_rag_id uuid, match_count integer DEFAULT 10, rrf_k integer DEFAULT 60) RETURNS TABLE(id uuid, content text, subdomain text, source_name text, source_url text, source_tier text, evidence_level text, authority_score numeric, metadata jsonb, quality jsonb, similarity double precision, keyword_rank double precision, rrf_score double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION veraz.level_at_least(held text, wanted text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (array_position(ARRAY['member'::text, 'manager'::text, 'admin'::text], held) >= array_position(ARRAY['member'::text, 'manager'::text, 'admin'::text], wanted));

CREATE TABLE veraz.project (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT project_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY veraz.project FORCE ROW LEVEL SECURITY;

CREATE TABLE veraz.project_member (
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT project_member_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'manager'::text, 'member'::text])))
);

ALTER TABLE ONLY veraz.project_member FORCE ROW LEVEL SECURITY;

CREATE FUNCTION veraz.projects_with(p_level text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT p.id
    FROM (veraz.scope() me(login, until, tenant_id, user_id, role, machine_id, names_machines, key_id, key_level, key_project, platform)
      JOIN veraz.project p ON ((p.tenant_id = me.tenant_id)))
   WHERE
         CASE me.role
             WHEN 'admin'::text THEN true
             WHEN 'worker'::text THEN true
             WHEN 'service'::text THEN (veraz.level_at_least(me.key_level, projects_with.p_level) AND (COALESCE(me.key_project, p.id) = p.id))
             WHEN 'member'::text THEN ((EXISTS ( SELECT
                FROM veraz.project_member m
               WHERE ((m.project_id = p.id) AND (m.user_id = me.user_id) AND veraz.level_at_least(m.role, projects_with.p_level)))) AND ((me.key_level IS NULL) OR veraz.level_at_least(me.key_level, projects_with.p_level)) AND (COALESCE(me.key_project, p.id) = p.id))
             ELSE false
         END;
END;

ALTER FUNCTION veraz.projects_with(p_level text) OWNER TO veraz_search;

CREATE FUNCTION veraz.uses_shared_kbs(p_right text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE p_right
             WHEN 'read'::text THEN (EXISTS ( SELECT veraz.projects_with('manager'::text) AS projects_with))
             ELSE COALESCE(( SELECT ((me.role = 'service'::text) AND (me.key_project IS NULL) AND veraz.level_at_least(me.key_level, 'manager'::text))
                FROM veraz.scope() me(login, until, tenant_id, user_id, role, machine_id, names_machines, key_id, key_level, key_project, platform)), false)
         END AS "coalesce";
END;

ALTER FUNCTION veraz.uses_shared_kbs(p_right text) OWNER TO veraz_search;

CREATE TABLE veraz.knowledge_base (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid,
    kind text NOT NULL,
    owner_id uuid,
    agent_id uuid,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    language text DEFAULT 'es'::text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    live_edition_id bigint,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    last_queried_at timestamp with time zone,
    described_by_domain boolean DEFAULT false NOT NULL,
    CONSTRAINT knowledge_base_check CHECK (((agent_id IS NULL) OR (project_id IS NOT NULL))),
    CONSTRAINT knowledge_base_check1 CHECK (((kind = 'personal'::text) = (owner_id IS NOT NULL))),
    CONSTRAINT knowledge_base_check2 CHECK (((kind = 'global'::text) OR ((project_id IS NULL) AND (agent_id IS NULL)))),
    CONSTRAINT knowledge_base_kind_check CHECK ((kind = ANY (ARRAY['global'::text, 'personal'::text]))),
    CONSTRAINT knowledge_base_language_check CHECK (((length(language) >= 2) AND (length(language) <= 10))),
    CONSTRAINT knowledge_base_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT knowledge_base_status_check CHECK ((status = ANY (ARRAY['active'::text, 'processing'::text, 'archived'::text])))
);

ALTER TABLE ONLY veraz.knowledge_base FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.knowledge_base.project_id IS 'Null for a global kb: it serves the whole tenant.';

COMMENT ON COLUMN veraz.knowledge_base.agent_id IS 'Set: the agent''s own kb of manual entries.';

CREATE FUNCTION veraz.kbs_with(p_right text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT kb.id
    FROM (veraz.scope() me(login, until, tenant_id, user_id, role, machine_id, names_machines, key_id, key_level, key_project, platform)
      JOIN veraz.knowledge_base kb ON ((kb.tenant_id = me.tenant_id)))
   WHERE
         CASE
             WHEN (kb.kind = 'personal'::text) THEN ((kb.owner_id = me.user_id) OR (me.role = 'worker'::text))
             WHEN (me.role = ANY (ARRAY['admin'::text, 'worker'::text])) THEN true
             WHEN (kb.project_id IS NOT NULL) THEN (kb.project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))
             ELSE ( SELECT veraz.uses_shared_kbs(kbs_with.p_right) AS uses_shared_kbs)
         END;
END;

ALTER FUNCTION veraz.kbs_with(p_right text) OWNER TO veraz_search;

CREATE FUNCTION public.user_owns_rag_project(target_rag_id uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT COALESCE((target_rag_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)), false) AS "coalesce";
END;

CREATE FUNCTION veraz.add_key(p_id uuid, p_name text, p_prefix text, p_hash bytea, p_scopes text[], p_project_id uuid, p_personal boolean, p_expires timestamp with time zone, p_ends_with_password boolean) RETURNS SETOF veraz.known_key
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    me constant uuid := veraz.current_user_id();
begin
    if not veraz.is_tenant_admin() and not (p_personal and veraz.current_role_name() = 'member') then
        raise exception 'make service keys' using errcode = 'VZ004';
    end if;
    if p_project_id is not null and p_project_id not in (select veraz.projects_with('member')) then
        raise exception 'no such project' using errcode = 'foreign_key_violation', table = 'project';
    end if;
    return query insert into veraz.api_key as k (id, name, prefix, key_hash, scopes, project_id, user_id, created_by,
        expires_at, ends_with_password)
    values (p_id, p_name, p_prefix, p_hash, p_scopes, p_project_id, case when p_personal then me end, me, p_expires,
        p_ends_with_password)
    returning (veraz.as_known_key(k)).*;
end $$;

CREATE FUNCTION veraz.add_password_link(p_id uuid, p_user_id uuid, p_hash bytea, p_expires timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'invite or reset users' using errcode = 'VZ004';
    end if;
    if exists (select from veraz.app_user u where u.id = p_user_id and u.is_platform_admin)
        and not veraz.may_touch_platform_admin(p_user_id) then
        raise exception 'change a platform administrator' using errcode = 'VZ004';
    end if;
    delete from veraz.password_link where user_id = p_user_id and tenant_id = veraz.current_tenant();
    insert into veraz.password_link (id, user_id, token_hash, created_by, expires_at)
    values (p_id, p_user_id, p_hash, veraz.current_user_id(), p_expires);
end $$;

CREATE FUNCTION veraz.add_person(p_id uuid, p_email text, p_display_name text, p_role text, p_language text, p_password_hash text, p_must_change boolean, p_platform boolean) RETURNS SETOF veraz.person
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'add users' using errcode = 'VZ004';
    end if;
    if p_role = 'admin' and veraz.current_key() is not null then
        raise exception 'change roles' using errcode = 'VZ004';
    end if;
    return query insert into veraz.app_user as u (id, email, display_name, role, language, password_hash, must_change_password,
        is_platform_admin, password_changed_at)
    values (p_id, p_email, p_display_name, p_role, p_language, p_password_hash, p_must_change, p_platform,
        case when p_password_hash is not null then now() end)
    returning (veraz.as_person(u)).*;
end $$;

CREATE FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    tenant constant uuid := veraz.current_tenant();
    known text;
begin
    select l.status into known from veraz.licence l where l.tenant_id = tenant and l.machine_id = p_machine_id;
    if known is null then
        -- a machine that was shut out does not come back in other letters
        select l.status into known from veraz.licence l
        where l.tenant_id = tenant and lower(l.machine_id) = lower(p_machine_id) and l.status <> 'active'
        order by l.status limit 1;
        if known is not null then
            return known;
        end if;
        if (select t.unknown_machines from veraz.tenant t where t.id = tenant) is distinct from 'create' then
            return 'unknown';
        end if;
        perform pg_advisory_xact_lock(hashtextextended('veraz.machines:' || tenant, 0));
        if (select count(*) from veraz.licence l where l.tenant_id = tenant and l.admitted_at > now() - interval '1 hour') >= 100
        then
            return 'many';
        end if;
        insert into veraz.licence (id, tenant_id, machine_id, admitted_at) values (p_id, tenant, p_machine_id, now())
        on conflict (tenant_id, machine_id) do nothing;
        return case when found then 'created' else 'active' end;
    end if;
    return known;
end $$;

ALTER FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.agent_if_there(p_agent_id uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT a.id
    FROM veraz.agent a
   WHERE ((a.id = agent_if_there.p_agent_id) AND (a.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));
END;

ALTER FUNCTION veraz.agent_if_there(p_agent_id uuid) OWNER TO veraz_search;

CREATE FUNCTION veraz.announce() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into veraz.webhook_delivery (id, tenant_id, webhook_id, event_id, kind, data, happened_at)
    select veraz.new_id(), w.tenant_id, w.id, e.id, e.kind,
        e.payload || jsonb_strip_nulls(jsonb_build_object('kb_id', e.kb_id, 'document_id', e.document_id)), e.at
    from added e
    join veraz.webhook w on w.tenant_id = e.tenant_id and w.enabled and e.kind = any (w.events)
    left join veraz.knowledge_base kb on kb.id = e.kb_id and kb.tenant_id = e.tenant_id
    left join veraz.agent a on a.id::text = e.payload ->> 'agent_id' and a.tenant_id = e.tenant_id
    where (e.kb_id is null or kb.kind = 'global')
      and (w.project_id is null or w.project_id = coalesce(kb.project_id, a.project_id));
    return null;
end $$;

ALTER FUNCTION veraz.announce() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) RETURNS anyelement
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_caller is null then
        return p_value; -- inside a transaction that goes on as whom it began
    end if;
    perform veraz.leave_nothing();
    perform set_config('veraz.' || s.key, s.value, true) from jsonb_each_text(p_caller) s;
    return p_value;
end $$;

CREATE TABLE veraz.api_key (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    key_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    project_id uuid,
    user_id uuid,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    ends_with_password boolean DEFAULT false NOT NULL,
    CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT api_key_scopes_check CHECK ((cardinality(scopes) > 0))
);

ALTER TABLE ONLY veraz.api_key FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.api_key.user_id IS 'Set: the key acts as this user. Null: a service key of the tenant.';

COMMENT ON COLUMN veraz.api_key.ends_with_password IS 'A personal key that is revoked when its owner gets another password.';

CREATE FUNCTION veraz.as_known_key(k veraz.api_key) RETURNS veraz.known_key
    LANGUAGE sql IMMUTABLE
    RETURN ROW((k).id, (k).name, (k).prefix, (k).scopes, (k).project_id, (k).user_id, (k).ends_with_password, (k).created_at, (k).expires_at, (k).last_used_at, (k).revoked_at, (k).created_by)::veraz.known_key;

CREATE TABLE veraz.app_user (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    email text,
    external_id text,
    display_name text DEFAULT ''::text NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    is_platform_admin boolean DEFAULT false NOT NULL,
    password_hash text,
    language text DEFAULT 'es'::text NOT NULL,
    disabled_at timestamp with time zone,
    last_login_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    must_change_password boolean DEFAULT false NOT NULL,
    password_changed_at timestamp with time zone,
    CONSTRAINT app_user_check CHECK (((email IS NOT NULL) OR (external_id IS NOT NULL))),
    CONSTRAINT app_user_display_name_check CHECK ((length(display_name) <= 200)),
    CONSTRAINT app_user_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 320)))),
    CONSTRAINT app_user_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 200))),
    CONSTRAINT app_user_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);

ALTER TABLE ONLY veraz.app_user FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.app_user IS 'People who sign in (email) and end users a service key acts for (external_id).';

CREATE FUNCTION veraz.as_person(u veraz.app_user) RETURNS veraz.person
    LANGUAGE sql IMMUTABLE
    RETURN ROW((u).id, (u).email, (u).external_id, (u).display_name, (u).role, (u).is_platform_admin, (u).language, ((u).password_hash IS NOT NULL), (u).must_change_password, (u).disabled_at, (u).last_login_at, (u).created_at)::veraz.person;

CREATE FUNCTION veraz.current_user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (veraz.scope()).user_id;

CREATE TABLE veraz.tenant (
    id uuid NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    features jsonb DEFAULT '{"ai_agents_enabled": true}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    links_open boolean DEFAULT false NOT NULL,
    second_factor text DEFAULT 'optional'::text NOT NULL,
    unknown_machines text DEFAULT 'create'::text NOT NULL,
    signed_end_users boolean DEFAULT false NOT NULL,
    CONSTRAINT tenant_features_check CHECK ((jsonb_typeof(features) = 'object'::text)),
    CONSTRAINT tenant_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT tenant_second_factor_check CHECK ((second_factor = ANY (ARRAY['optional'::text, 'rights'::text, 'everyone'::text]))),
    CONSTRAINT tenant_unknown_machines_check CHECK ((unknown_machines = ANY (ARRAY['refuse'::text, 'create'::text])))
);

ALTER TABLE ONLY veraz.tenant FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.tenant.second_factor IS 'Who must have a second factor. rights: administrators, and whoever manages a project.';

CREATE FUNCTION veraz.owes_factor(p_tenant_id uuid, p_user_id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE t.second_factor
             WHEN 'optional'::text THEN false
             WHEN 'everyone'::text THEN true
             ELSE ((u.role = 'admin'::text) OR u.is_platform_admin OR (EXISTS ( SELECT
                FROM veraz.project_member m
               WHERE ((m.user_id = u.id) AND (m.role = ANY (ARRAY['admin'::text, 'manager'::text]))))))
         END AS "case"
    FROM (veraz.tenant t
      JOIN veraz.app_user u ON ((u.tenant_id = t.id)))
   WHERE ((t.id = owes_factor.p_tenant_id) AND (u.id = owes_factor.p_user_id));
END;

CREATE FUNCTION veraz.asked_for_factor() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN veraz.owes_factor(veraz.current_tenant(), veraz.current_user_id());

CREATE FUNCTION veraz.assignment_rules() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    agent veraz.agent;
    kb veraz.knowledge_base;
begin
    select * into agent from veraz.agent where id = new.agent_id and tenant_id = new.tenant_id;
    select * into kb from veraz.knowledge_base where id = new.kb_id and tenant_id = new.tenant_id;
    if agent.id is null or kb.id is null then
        raise exception 'no such agent or knowledge base' using errcode = 'foreign_key_violation';
    end if;
    if kb.kind = 'personal' and not agent.allows_personal_corpus then
        raise exception '%', agent.name using errcode = 'VZ001';
    end if;
    if kb.project_id is not null and kb.project_id <> agent.project_id then
        raise exception 'agent and knowledge base belong to different projects' using errcode = 'VZ002';
    end if;
    if kb.agent_id is not null and kb.agent_id <> agent.id then
        raise exception 'the knowledge base belongs to another agent' using errcode = 'VZ002';
    end if;
    new.project_id := agent.project_id;
    new.owner_id := kb.owner_id;
    return new;
end $$;

ALTER FUNCTION veraz.assignment_rules() OWNER TO veraz_search;

CREATE FUNCTION veraz.audit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
    now_is jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
    secret text[] := array['password_hash', 'key_hash', 'token_hash', 'updated_at', 'last_used_at', 'last_login_at',
                           'last_queried_at', 'content_hash', 'storage_key', 'calibration', 'sketch', 'sketch_bands'];
    -- What is in somebody's personal knowledge base is not for the tenant's admins, who read this log.
    private text[] := array['name', 'description', 'title', 'author', 'metadata', 'source_url', 'institution', 'replaces',
                            'edition_stem', 'before', 'after', 'prefix', 'suffix'];
    row_now jsonb := coalesce(now_is, was);
    personal boolean := veraz.is_personal(tg_table_name, row_now);
    changes jsonb;
begin
    select coalesce(jsonb_object_agg(k, case when personal and k = any (private) then '["…", "…"]'
                                        else jsonb_build_array(was -> k, now_is -> k) end), '{}') into changes
    from jsonb_object_keys(row_now) k
    where was -> k is distinct from now_is -> k
      and k <> all (secret) and k not like '%\_sealed' and (tg_nargs = 0 or k = any (tg_argv) or tg_op <> 'UPDATE');
    if tg_op = 'UPDATE' and changes = '{}' and was -> 'password_hash' is not distinct from now_is -> 'password_hash' then
        return null;
    end if;
    insert into veraz.audit_entry (tenant_id, user_id, key_id, request_id, action, thing, thing_id, changes)
    values (
        case tg_table_name when 'plan' then (select veraz.current_tenant())
            else coalesce(row_now ->> 'tenant_id', row_now ->> 'id')::uuid end,
        (select veraz.current_user_id()),
        (select veraz.current_key()),
        nullif(current_setting('veraz.request_id', true), ''),
        lower(tg_op), tg_table_name,
        coalesce(row_now ->> 'id', row_now ->> 'code', concat_ws('/', row_now ->> 'project_id', row_now ->> 'user_id')),
        changes);
    return null;
end $$;

ALTER FUNCTION veraz.audit() OWNER TO veraz_ledger;

CREATE TABLE veraz.sign_in_challenge (
    token_hash bytea NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    user_id uuid NOT NULL,
    needs text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    provider_id uuid,
    CONSTRAINT sign_in_challenge_needs_check CHECK ((needs = ANY (ARRAY['code'::text, 'enrolment'::text])))
);

ALTER TABLE ONLY veraz.sign_in_challenge FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.sign_in_challenge IS 'Somebody half signed in: the password was right, the second factor is still to be shown.';

CREATE FUNCTION veraz.begin_challenge(p_hash bytea, p_needs text, p_provider_id uuid, p_seconds integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 DELETE FROM veraz.sign_in_challenge
   WHERE ((sign_in_challenge.user_id = veraz.current_user_id()) AND (sign_in_challenge.expires_at < now()));
 INSERT INTO veraz.sign_in_challenge (token_hash, user_id, needs, provider_id, expires_at)
   VALUES (begin_challenge.p_hash, veraz.current_user_id(), begin_challenge.p_needs, begin_challenge.p_provider_id, (now() + make_interval(secs => (begin_challenge.p_seconds)::double precision)));
END;

CREATE TABLE veraz.second_factor (
    user_id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    secret_sealed bytea NOT NULL,
    begun_by bytea,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY veraz.second_factor FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.second_factor.begun_by IS 'The challenge whose page shows this secret: the same one when it is shown again, and to nobody else.';

COMMENT ON COLUMN veraz.second_factor.last_step IS 'The half minute of the last code taken; older ones, and that one, are refused.';

CREATE FUNCTION veraz.begin_factor(p_sealed bytea, p_by bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO veraz.second_factor (user_id, secret_sealed, begun_by)
   VALUES (veraz.current_user_id(), begin_factor.p_sealed, begin_factor.p_by) ON CONFLICT(user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed, begun_by = excluded.begun_by
   WHERE (second_factor.confirmed_at IS NULL)
   RETURNING true;
END;

CREATE FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    begun uuid;
begin
    if not veraz.is_tenant_admin() or p_kind is null or p_kind not in ('machine', 'end_user') then
        raise exception 'forget' using errcode = 'VZ004';
    end if;
    perform set_config('veraz.forgetting', '', true);
    begun := veraz.open_forgetting((select veraz.current_tenant()), p_kind);
    update veraz.forgetting f set subjects = p_subjects where f.id = begun;
    return begun;
end $$;

ALTER FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.belongs_forever() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    column_name text;
begin
    foreach column_name in array tg_argv loop
        if to_jsonb(new) -> column_name is distinct from to_jsonb(old) -> column_name then
            raise exception '% of % cannot change', column_name, tg_table_name using errcode = 'VZ003';
        end if;
    end loop;
    return new;
end $$;

CREATE FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
end $_$;

CREATE FUNCTION veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    blanked bigint;
begin
    with said as (
        update veraz.message m set text = veraz.forgotten_mark(p_why), claims = '[]', evidence = '[]', held_back = '[]',
            forgotten_at = now(), forgotten_why = p_why
        where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && p_documents
          and exists (select from jsonb_array_elements(m.evidence) e
                      where (e ->> 'document_id')::uuid = any (p_documents) and (e ->> 'cited')::boolean)
        returning m.conversation_id
    ), cut as (
        update veraz.conversation c set forgotten_at = clock_timestamp()
        where c.tenant_id = p_tenant_id and c.id in (select s.conversation_id from said s)
    )
    select count(*) into blanked from said;
    update veraz.message m set held_back = '[]', evidence = (
            select jsonb_agg(case when (e.value ->> 'document_id')::uuid = any (p_documents)
                then e.value || '{"document_name": "[olvidado]", "place": [], "url": null}' else e.value end order by e.ordinality)
            from jsonb_array_elements(m.evidence) with ordinality e)
    where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && p_documents;
    update veraz.forgetting f set removed = f.removed || jsonb_build_object('answers',
        coalesce((f.removed ->> 'answers')::int, 0) + blanked) where f.id = p_forgetting_id;
end $$;

ALTER FUNCTION veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.blank_repeats(p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts integer[], p_ends integer[], p_chunk_id uuid DEFAULT NULL::uuid) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    runs constant text[] := array(select distinct r from unnest(p_texts) t cross join veraz.word_runs(t) r);
    wholes constant text[] := array(select veraz.words_alone(t) from unnest(p_texts) t);
    blanked bigint;
begin
    with quote as (
        select m.id, q ->> 'text' as text, (q ->> 'start_char')::int as start_char, (q ->> 'end_char')::int as end_char
        from veraz.message m cross join jsonb_array_elements(m.claims) l cross join jsonb_array_elements(l -> 'quotes') q
        where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && array[p_document_id]
          and q ->> 'document_id' = p_document_id::text
    ), repeating as (
        select m.id from veraz.message m cross join veraz.words_alone(m.text) said
        where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && array[p_document_id]
          and (exists (select from unnest(runs) r where strpos(said, r) > 0)
               or exists (select from jsonb_array_elements(m.evidence) e
                          where e ->> 'chunk_id' = p_chunk_id::text and (e ->> 'cited')::boolean))
        union
        select q.id from quote q cross join veraz.words_alone(q.text) said
        where btrim(said) <> '' and exists (select from unnest(wholes) w where strpos(w, said) > 0)
           or exists (select from unnest(runs) r where strpos(said, r) > 0)
           or exists (select from unnest(p_starts, p_ends) gone(first, last)
                      where q.start_char < gone.last and q.end_char > gone.first)
    ), said as (
        update veraz.message m set text = veraz.forgotten_mark('chunk'), claims = '[]', evidence = '[]', held_back = '[]',
            forgotten_at = now(), forgotten_why = 'chunk'
        where m.tenant_id = p_tenant_id and m.id in (select r.id from repeating r)
        returning m.conversation_id
    ), cut as (
        update veraz.conversation t set forgotten_at = clock_timestamp()
        where t.tenant_id = p_tenant_id and t.id in (select s.conversation_id from said s)
    )
    select count(*) into blanked from said;
    update veraz.message m set held_back = '[]', evidence = (
            select jsonb_agg(case when e.value ->> 'document_id' = p_document_id::text
                    and exists (select from unnest(p_starts, p_ends) gone(first, last)
                                where (e.value ->> 'start_char')::int < gone.last and (e.value ->> 'end_char')::int > gone.first)
                then e.value || '{"place": [], "url": null}' else e.value end order by e.ordinality)
            from jsonb_array_elements(m.evidence) with ordinality e)
    where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && array[p_document_id];
    return blanked;
end $$;

ALTER FUNCTION veraz.blank_repeats(p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts integer[], p_ends integer[], p_chunk_id uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.book_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    tenant uuid := (select veraz.current_tenant());
    left_over bigint;
begin
    insert into veraz.credit_balance (tenant_id, credits) values (tenant, 0) on conflict do nothing;
    select credits into left_over from veraz.credit_balance where tenant_id = tenant for update;
    if p_key is not null and exists (
        select from veraz.credit_entry where tenant_id = tenant and idempotency_key = p_key) then
        return left_over;
    end if;
    if left_over + p_credits < 0 then
        raise exception '%', left_over using errcode = 'VZ402', detail = (-p_credits)::text;
    end if;
    update veraz.credit_balance set credits = credits + p_credits where tenant_id = tenant;
    insert into veraz.credit_entry (tenant_id, credits, balance, reason, idempotency_key, model, tokens, cost_usd, about)
    values (tenant, p_credits, left_over + p_credits, p_reason, p_key, p_model, p_tokens, p_cost, p_about);
    return left_over + p_credits;
end $$;

ALTER FUNCTION veraz.book_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.challenge_by_hash(p_hash bytea) RETURNS TABLE(tenant_id uuid, user_id uuid, needs text, provider_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT c.tenant_id,
     c.user_id,
     c.needs,
     c.provider_id
    FROM (veraz.sign_in_challenge c
      JOIN veraz.app_user u ON (((u.id = c.user_id) AND (u.tenant_id = c.tenant_id))))
   WHERE ((c.token_hash = challenge_by_hash.p_hash) AND (c.expires_at > now()) AND (c.tries < 5) AND (u.disabled_at IS NULL));
END;

CREATE FUNCTION veraz.change_person(p_id uuid, p_display_name text, p_role text, p_language text, p_disabled boolean) RETURNS SETOF veraz.person
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.may_change_person(p_id) then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    -- A key that was found makes nobody an administrator, who would stay when it is revoked.
    if veraz.current_key() is not null and exists (
            select from veraz.app_user u where u.id = p_id and u.role is distinct from coalesce(p_role, u.role)) then
        raise exception 'change roles' using errcode = 'VZ004';
    end if;
    if p_disabled or p_role = 'member' then
        perform veraz.keep_an_admin(p_id);
    end if;
    return query update veraz.app_user u set
        display_name = coalesce(p_display_name, u.display_name),
        role = coalesce(p_role, u.role),
        language = coalesce(p_language, u.language),
        disabled_at = case when p_disabled is null then u.disabled_at when p_disabled then coalesce(u.disabled_at, now()) end
    where u.id = p_id and u.tenant_id = veraz.current_tenant()
    returning (veraz.as_person(u)).*;
    if p_disabled then
        perform veraz.end_ways_in(p_id, null, true);
    end if;
end $$;

CREATE FUNCTION veraz.chunk_number(p_id uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ((((('x'::text || substr(md5((p_id)::text), 1, 16)))::bit(64))::bigint >> 11) & '9007199254740991'::bigint);

CREATE FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) RETURNS TABLE(document_id uuid, place integer, content text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) OWNER TO veraz_search;

CREATE TABLE veraz.document (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kb_id uuid NOT NULL,
    name text NOT NULL,
    origin text NOT NULL,
    source_url text,
    file_type text NOT NULL,
    size_bytes bigint NOT NULL,
    storage_key text,
    content_hash bytea,
    machine_id text DEFAULT 'global'::text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    stage text,
    progress_percent integer DEFAULT 0 NOT NULL,
    error_code text,
    error_message text,
    indexed_at timestamp with time zone,
    processing_started_at timestamp with time zone,
    processing_completed_at timestamp with time zone,
    chunks_count integer DEFAULT 0 NOT NULL,
    pages_count integer,
    tokens_used bigint DEFAULT 0 NOT NULL,
    word_count integer,
    title text,
    author text,
    created_date date,
    language text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    tier text,
    authority_score numeric(5,2) DEFAULT 0 NOT NULL,
    evidence_level text,
    institution text,
    peer_reviewed boolean DEFAULT false NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    superseded_by uuid,
    edition_stem text,
    replaces text,
    sketch integer[],
    sketch_bands integer[],
    by_hand text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT document_authority_score_check CHECK (((authority_score >= (0)::numeric) AND (authority_score <= (100)::numeric))),
    CONSTRAINT document_by_hand_check CHECK ((by_hand <@ ARRAY['title'::text, 'author'::text])),
    CONSTRAINT document_check CHECK ((superseded_by IS DISTINCT FROM id)),
    CONSTRAINT document_evidence_level_check CHECK ((evidence_level = ANY (ARRAY['meta_analysis'::text, 'rct'::text, 'cohort'::text, 'case_study'::text, 'opinion'::text, 'guideline'::text]))),
    CONSTRAINT document_machine_id_check CHECK (((length(machine_id) >= 1) AND (length(machine_id) <= 200))),
    CONSTRAINT document_machine_named CHECK ((machine_id ~ '\S'::text)),
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
    CONSTRAINT document_origin_check CHECK ((origin = ANY (ARRAY['upload'::text, 'text'::text, 'url'::text, 'manual'::text]))),
    CONSTRAINT document_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 100))),
    CONSTRAINT document_size_bytes_check CHECK ((size_bytes >= 0)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text]))),
    CONSTRAINT document_storage_key CHECK ((starts_with(storage_key, ((((tenant_id)::text || '/'::text) || (kb_id)::text) || '/'::text)) AND (storage_key ~ '/[0-9A-Za-z][0-9A-Za-z_.-]*$'::text))),
    CONSTRAINT document_tier_check CHECK ((tier = ANY (ARRAY['tier1_gold'::text, 'tier2_silver'::text, 'tier3_bronze'::text]))),
    CONSTRAINT document_version_check CHECK ((version >= 1))
);

ALTER TABLE ONLY veraz.document FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.document.version IS 'The version that is read; a newer one may be waiting in document_version.';

COMMENT ON COLUMN veraz.document.superseded_by IS 'The document that took its place: this one is kept and no longer read.';

COMMENT ON COLUMN veraz.document.edition_stem IS 'Its name without version and date, see veraz/text/editions.py; shared by editions.';

COMMENT ON COLUMN veraz.document.replaces IS 'What it says, in its first blocks, about the document it replaces.';

COMMENT ON COLUMN veraz.document.sketch IS 'MinHash of its word shingles; nearly equal texts have nearly equal sketches.';

COMMENT ON COLUMN veraz.document.sketch_bands IS 'The sketch in hashed bands: texts that share none are not nearly equal.';

COMMENT ON COLUMN veraz.document.by_hand IS 'Which of title and author a person gave it; the others are its file''s own.';

CREATE TABLE veraz.edition (
    id bigint NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kb_id uuid NOT NULL,
    space_id integer NOT NULL,
    chunking jsonb NOT NULL,
    embedding jsonb NOT NULL,
    status text NOT NULL,
    calibration jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    switched_at timestamp with time zone,
    CONSTRAINT edition_chunking_check CHECK ((jsonb_typeof(chunking) = 'object'::text)),
    CONSTRAINT edition_embedding_check CHECK ((jsonb_typeof(embedding) = 'object'::text)),
    CONSTRAINT edition_status_check CHECK ((status = ANY (ARRAY['building'::text, 'live'::text, 'retired'::text])))
);

ALTER TABLE ONLY veraz.edition FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.edition IS 'One way of cutting and embedding a kb. The live one is searched; another can be built beside it and switched in.';

CREATE TABLE veraz.edition_term (
    tenant_id uuid NOT NULL,
    edition_id bigint NOT NULL,
    term integer NOT NULL,
    count bigint NOT NULL,
    machine_id text NOT NULL
);

ALTER TABLE ONLY veraz.edition_term FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.edition_term IS 'How many chunks hold a term, as increments that are summed when read and folded together now and then, so that parallel writers never wait for each other. Term -1 counts chunks, term -2 their words.';

CREATE FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (
         CASE
             WHEN (p_documents IS NULL) THEN ( SELECT COALESCE(sum(t.count), (0)::numeric) AS "coalesce"
                FROM veraz.edition_term t
               WHERE ((t.edition_id = chunks_in.p_edition_id) AND (t.term = '-1'::integer) AND ((t.machine_id = 'global'::text) OR (t.machine_id = chunks_in.p_machine))))
             ELSE (( SELECT COALESCE(sum(d.chunks_count), (0)::bigint) AS "coalesce"
                FROM (veraz.document d
                  JOIN veraz.edition e ON ((e.kb_id = d.kb_id)))
               WHERE ((e.id = chunks_in.p_edition_id) AND (d.id = ANY (chunks_in.p_documents)) AND ((d.machine_id = 'global'::text) OR (d.machine_id = chunks_in.p_machine)))))::numeric
         END)::bigint AS "coalesce";
END;

CREATE FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean DEFAULT false) RETURNS SETOF veraz.job
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
    turn record;
    taken veraz.job;
    served int := 0;
begin
    for turn in
        with recursive waiting as (
            (select j.tenant_id from veraz.job j where j.status = 'PENDING' order by j.tenant_id limit 1)
            union all
            select (select j.tenant_id from veraz.job j
                    where j.status = 'PENDING' and j.tenant_id > w.tenant_id order by j.tenant_id limit 1)
            from waiting w where w.tenant_id is not null
        ), share as (
            select w.tenant_id,
                (select count(*) from veraz.job r where r.tenant_id = w.tenant_id and r.status = 'RUNNING') as running,
                (select max(s.started_at) from veraz.job s where s.tenant_id = w.tenant_id) as last_served
            from waiting w where w.tenant_id is not null
        )
        select s.tenant_id from share s, generate_series(0, p_limit - 1) as n
        where not p_newcomers or (s.running = 0 and n = 0)
        order by s.running + n, s.last_served nulls first, s.tenant_id, n
    loop
        exit when served >= p_limit;
        update veraz.job set
            status = 'RUNNING', worker = p_worker, lease_until = clock_timestamp() + p_lease,
            claims = claims + 1, attempt = attempt + 1, started_at = clock_timestamp(), finished_at = null, stages = '{}'
        where id = coalesce(
            (select j.id from veraz.job j
             where j.tenant_id = turn.tenant_id and not j.bulk and j.status = 'PENDING'
               and j.run_after <= now() and j.kind = any (p_kinds)
             order by j.run_after, j.id limit 1 for update skip locked),
            (select j.id from veraz.job j
             where j.tenant_id = turn.tenant_id and j.bulk and j.status = 'PENDING'
               and j.run_after <= now() and j.kind = any (p_kinds)
             order by j.run_after, j.id limit 1 for update skip locked))
        returning * into taken;
        if found then
            served := served + 1;
            return next taken;
        end if;
    end loop;
end $$;

ALTER FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.is_tenant_admin() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT COALESCE(((me.tenant_id IS NOT NULL) AND (me.role = ANY (ARRAY['admin'::text, 'worker'::text]))), false) AS "coalesce"
    FROM veraz.scope() me(login, until, tenant_id, user_id, role, machine_id, names_machines, key_id, key_level, key_project, platform);
END;

CREATE FUNCTION veraz.colleague_by_email(p_email text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.id
    FROM veraz.app_user u
   WHERE ((u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (u.email = lower(colleague_by_email.p_email)) AND (( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (EXISTS ( SELECT veraz.projects_with('admin'::text) AS projects_with))));
END;

ALTER FUNCTION veraz.colleague_by_email(p_email text) OWNER TO veraz_search;

CREATE FUNCTION veraz.confirm_factor(p_step bigint) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.second_factor SET confirmed_at = now(), last_step = confirm_factor.p_step, failures = 0, failed_at = NULL::timestamp with time zone
   WHERE ((second_factor.user_id = veraz.current_user_id()) AND (second_factor.confirmed_at IS NULL))
   RETURNING true;
END;

CREATE FUNCTION veraz.current_machine() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (veraz.scope()).machine_id;

CREATE TABLE veraz.assignment (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    agent_id uuid NOT NULL,
    kb_id uuid NOT NULL,
    project_id uuid NOT NULL,
    owner_id uuid,
    priority integer DEFAULT 1 NOT NULL,
    search_weight numeric(3,2) DEFAULT 1.0 NOT NULL,
    assigned_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT assignment_priority_check CHECK (((priority >= 1) AND (priority <= 1000))),
    CONSTRAINT assignment_search_weight_check CHECK ((search_weight > (0)::numeric))
);

ALTER TABLE ONLY veraz.assignment FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.assignment IS 'project_id (the agent''s) and owner_id (the kb''s) are filled by a trigger.';

CREATE FUNCTION veraz.read_by_agents() RETURNS TABLE(agent_id uuid, kb_id uuid, project_id uuid, name text, description text, language text, status text, kb_agent_id uuid, total_documents bigint, priority integer, search_weight numeric, assigned_at timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT a.agent_id,
     kb.id,
     kb.project_id,
     kb.name,
     kb.description,
     kb.language,
     kb.status,
     kb.agent_id,
     ( SELECT count(*) AS count
            FROM veraz.document d
           WHERE ((d.kb_id = kb.id) AND (d.tenant_id = kb.tenant_id) AND (d.indexed_at IS NOT NULL) AND ((d.machine_id = 'global'::text) OR (d.machine_id = ( SELECT veraz.current_machine() AS current_machine))))) AS count,
     a.priority,
     a.search_weight,
     a.created_at,
     kb.created_at,
     kb.updated_at
    FROM ((veraz.assignment a
      JOIN veraz.agent g ON (((g.id = a.agent_id) AND (g.tenant_id = a.tenant_id))))
      JOIN veraz.knowledge_base kb ON (((kb.id = a.kb_id) AND (kb.tenant_id = a.tenant_id))))
   WHERE ((a.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (g.project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with)) AND (kb.kind = 'global'::text) AND (kb.status <> 'archived'::text));
END;

ALTER FUNCTION veraz.read_by_agents() OWNER TO veraz_search;

CREATE FUNCTION veraz.listable_kb(p_kb_id uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT kb.name
    FROM veraz.knowledge_base kb
   WHERE ((kb.id = listable_kb.p_kb_id) AND (kb.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (kb.kind = 'global'::text) AND ((kb.id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)) OR (kb.id IN ( SELECT r.kb_id
            FROM veraz.read_by_agents() r(agent_id, kb_id, project_id, name, description, language, status, kb_agent_id, total_documents, priority, search_weight, assigned_at, created_at, updated_at)))));
END;

ALTER FUNCTION veraz.listable_kb(p_kb_id uuid) OWNER TO veraz_search;

CREATE FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) RETURNS TABLE(id uuid, name text, title text, file_type text, version integer, status text, created_date date, created_at timestamp with time zone, indexed_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT d.id,
     d.name,
     d.title,
     d.file_type,
     d.version,
     d.status,
     d.created_date,
     d.created_at,
     d.indexed_at
    FROM veraz.document d
   WHERE ((d.kb_id = contents_of.p_kb_id) AND (d.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (veraz.listable_kb(contents_of.p_kb_id) IS NOT NULL) AND (d.superseded_by IS NULL) AND ((d.machine_id = 'global'::text) OR (d.machine_id = ( SELECT veraz.current_machine() AS current_machine))) AND ((contents_of.p_after IS NULL) OR (d.id < contents_of.p_after)))
   ORDER BY d.id DESC
  LIMIT contents_of.p_limit;
END;

ALTER FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.current_key() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (veraz.scope()).key_id;

CREATE FUNCTION veraz.current_role_name() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN COALESCE((veraz.scope()).role, ''::text);

CREATE FUNCTION veraz.describe_by_hand() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    new.described_by_domain := new.described_by_domain and not old.described_by_domain;
    return new;
end $$;

CREATE TABLE veraz.session (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    device text DEFAULT ''::text NOT NULL,
    second_factor boolean DEFAULT false NOT NULL,
    provider_id uuid,
    CONSTRAINT session_address_check CHECK ((length(address) <= 60)),
    CONSTRAINT session_device_check CHECK ((length(device) <= 300))
);

ALTER TABLE ONLY veraz.session FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.session.second_factor IS 'Whether this sign-in showed a second factor, to us or to the issuer that is trusted with it.';

CREATE FUNCTION veraz.describe_session(p_token_hash bytea, p_second_factor boolean, p_provider_id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.session SET second_factor = (session.second_factor OR describe_session.p_second_factor), provider_id = COALESCE(session.provider_id, describe_session.p_provider_id)
   WHERE ((session.token_hash = describe_session.p_token_hash) AND (session.user_id = veraz.current_user_id()));
END;

CREATE FUNCTION veraz.documents_of(p_evidence jsonb) RETURNS uuid[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN ARRAY(SELECT DISTINCT ((e.value ->> 'document_id'::text))::uuid AS uuid FROM jsonb_array_elements(documents_of.p_evidence) e(value) WHERE (e.value ? 'document_id'::text));

CREATE FUNCTION veraz.need_feature(p_feature text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    tenant constant uuid := veraz.current_tenant();
begin
    if tenant is not null and not exists (
        select from veraz.tenant t where t.id = tenant and t.features -> p_feature = 'true'::jsonb) then
        raise exception '%', p_feature using errcode = 'VZ403';
    end if;
    return true;
end $$;

ALTER FUNCTION veraz.need_feature(p_feature text) OWNER TO veraz_search;

CREATE FUNCTION veraz.reading_set(p_agent_id uuid) RETURNS TABLE(kb_id uuid, edition_id bigint, space_id integer, kind text, priority integer, search_weight numeric)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT kb.id,
     e.id,
     e.space_id,
     kb.kind,
     a.priority,
     a.search_weight
    FROM (((veraz.assignment a
      JOIN veraz.agent g ON (((g.id = a.agent_id) AND (g.tenant_id = a.tenant_id))))
      JOIN veraz.knowledge_base kb ON (((kb.id = a.kb_id) AND (kb.tenant_id = a.tenant_id))))
      JOIN veraz.edition e ON (((e.id = kb.live_edition_id) AND (e.kb_id = kb.id) AND (e.tenant_id = a.tenant_id))))
   WHERE ((a.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (a.agent_id = reading_set.p_agent_id) AND (g.project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with)) AND (kb.status <> 'archived'::text) AND ((kb.kind = 'global'::text) OR ((kb.owner_id = ( SELECT veraz.current_user_id() AS current_user_id)) AND g.allows_personal_corpus)))
   ORDER BY a.priority, kb.id;
END;

ALTER FUNCTION veraz.reading_set(p_agent_id uuid) OWNER TO veraz_search;

CREATE FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) RETURNS TABLE(kb_id uuid, edition_id bigint, space_id integer, kind text, priority integer, search_weight numeric)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT r.kb_id,
     r.edition_id,
     r.space_id,
     r.kind,
     r.priority,
     r.search_weight
    FROM veraz.reading_set(search_set.p_agent_id) r(kb_id, edition_id, space_id, kind, priority, search_weight)
   WHERE ((search_set.p_agent_id IS NOT NULL) AND ((search_set.p_kb_ids IS NULL) OR (r.kb_id = ANY (search_set.p_kb_ids))) AND ( SELECT veraz.need_feature('ai_agents_enabled'::text) AS need_feature))
 UNION ALL
  SELECT kb.id,
     e.id,
     e.space_id,
     kb.kind,
     1,
     1.0
    FROM (veraz.knowledge_base kb
      JOIN veraz.edition e ON (((e.id = kb.live_edition_id) AND (e.tenant_id = kb.tenant_id))))
   WHERE ((search_set.p_agent_id IS NULL) AND ( SELECT veraz.need_feature('ai_agents_enabled'::text) AS need_feature) AND (kb.id = ANY (search_set.p_kb_ids)) AND (kb.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (kb.status <> 'archived'::text) AND (kb.id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));
END;

ALTER FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) RETURNS bigint[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT array_agg(s.edition_id) AS array_agg
    FROM (veraz.search_set(editions_in.p_agent_id, editions_in.p_kb_ids) s(kb_id, edition_id, space_id, kind, priority, search_weight)
      JOIN veraz.knowledge_base kb ON ((kb.id = s.kb_id)))
   WHERE (kb.language = editions_in.p_language);
END;

ALTER FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) OWNER TO veraz_search;

CREATE FUNCTION veraz.end_challenge(p_hash bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 DELETE FROM veraz.sign_in_challenge
   WHERE ((sign_in_challenge.token_hash = end_challenge.p_hash) AND (sign_in_challenge.user_id = veraz.current_user_id()))
   RETURNING true;
END;

CREATE FUNCTION veraz.end_links_of_maker() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    delete from veraz.password_link where created_by = old.id and tenant_id = old.tenant_id;
    return null;
end $$;

CREATE FUNCTION veraz.end_own_sessions(p_id uuid, p_keep uuid) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH gone AS (
          DELETE FROM veraz.session s
           WHERE ((s.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (s.user_id = ( SELECT veraz.current_user_id() AS current_user_id)) AND ((end_own_sessions.p_id IS NULL) OR (s.id = end_own_sessions.p_id)) AND (s.id IS DISTINCT FROM end_own_sessions.p_keep))
           RETURNING s.id
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE FUNCTION veraz.end_sessions_of_provider() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    delete from veraz.session where provider_id = old.id and tenant_id = old.tenant_id;
    delete from veraz.sign_in_challenge where provider_id = old.id and tenant_id = old.tenant_id;
    return null;
end $$;

CREATE FUNCTION veraz.end_user(p_id uuid, p_external_id text) RETURNS TABLE(id uuid, disabled boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if veraz.current_role_name() <> 'worker' then
        raise exception 'add users' using errcode = 'VZ004';
    end if;
    return query select u.id, u.disabled_at is not null from veraz.app_user u
    where u.tenant_id = veraz.current_tenant() and u.external_id = p_external_id;
    if not found then
        return query insert into veraz.app_user as u (id, external_id) values (p_id, p_external_id)
        on conflict (tenant_id, external_id) do update set external_id = excluded.external_id
        returning u.id, u.disabled_at is not null;
    end if;
end $$;

CREATE FUNCTION veraz.end_ways_in(p_user_id uuid, p_keep uuid, p_every_key boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    delete from veraz.session where user_id = p_user_id and tenant_id = veraz.current_tenant() and id is distinct from p_keep;
    delete from veraz.sign_in_challenge where user_id = p_user_id and tenant_id = veraz.current_tenant();
    delete from veraz.password_link where user_id = p_user_id and tenant_id = veraz.current_tenant();
    update veraz.api_key set revoked_at = now()
    where user_id = p_user_id and tenant_id = veraz.current_tenant() and revoked_at is null
      and (p_every_key or ends_with_password);
end $$;

CREATE FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) RETURNS TABLE(space_id integer, language text, editions bigint[], chunks bigint, weights public.sparsevec, documents uuid[], waiting bigint, unheard uuid[], planned_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) OWNER TO veraz_search;

CREATE FUNCTION veraz.every_tenant() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT t.id
    FROM veraz.tenant t
   ORDER BY t.id;
END;

ALTER FUNCTION veraz.every_tenant() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.examine_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into veraz.job (id, tenant_id, kind, payload, max_attempts, created_by)
    values (veraz.new_id(), new.tenant_id, 'run_exam', jsonb_build_object('change_id', new.id), 3, new.created_by);
    return null;
end $$;

ALTER FUNCTION veraz.examine_change() OWNER TO veraz_ledger;

CREATE TABLE veraz.recovery_code (
    user_id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    code_hash bytea NOT NULL,
    used_at timestamp with time zone
);

ALTER TABLE ONLY veraz.recovery_code FORCE ROW LEVEL SECURITY;

CREATE FUNCTION veraz.factor_of(p_user_id uuid) RETURNS TABLE(secret_sealed bytea, begun_by bytea, confirmed_at timestamp with time zone, last_step bigint, codes_left bigint, blocked_seconds integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT f.secret_sealed,
     f.begun_by,
     f.confirmed_at,
     f.last_step,
     ( SELECT count(*) AS count
            FROM veraz.recovery_code c
           WHERE ((c.user_id = f.user_id) AND (c.used_at IS NULL))) AS count,
         CASE
             WHEN (f.failures >= 10) THEN (GREATEST((0)::numeric, ceil(EXTRACT(epoch FROM ((f.failed_at + '00:15:00'::interval) - now())))))::integer
             ELSE 0
         END AS "case"
    FROM veraz.second_factor f
   WHERE ((f.user_id = factor_of.p_user_id) AND (f.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));
END;

CREATE FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    BEGIN ATOMIC
 SELECT COALESCE(array_agg(d.id), '{}'::uuid[]) AS "coalesce"
    FROM veraz.document d
   WHERE ((d.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (d.kb_id IN ( SELECT e.kb_id
            FROM veraz.edition e
           WHERE (e.id = ANY (filtered_documents.p_editions)))) AND (((filtered_documents.p_filters -> 'document_ids'::text) IS NULL) OR (d.id IN ( SELECT (i.id)::uuid AS id
            FROM jsonb_array_elements_text((filtered_documents.p_filters -> 'document_ids'::text)) i(id)))) AND (((filtered_documents.p_filters -> 'metadata'::text) IS NULL) OR (d.metadata @> (filtered_documents.p_filters -> 'metadata'::text))) AND (((filtered_documents.p_filters ->> 'from'::text) IS NULL) OR (COALESCE(d.created_date, (d.created_at)::date) >= ((filtered_documents.p_filters ->> 'from'::text))::date)) AND (((filtered_documents.p_filters ->> 'until'::text) IS NULL) OR (COALESCE(d.created_date, (d.created_at)::date) <= ((filtered_documents.p_filters ->> 'until'::text))::date)));
END;

CREATE FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) RETURNS TABLE(document_id uuid, place integer, content text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.fold_terms(p_increments bigint) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.fold_terms(p_increments bigint) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    c veraz.chunk;
begin
    select k.* into c from veraz.chunk k
    where k.id = p_chunk_id and k.document_id = p_document_id and k.tenant_id = (select veraz.current_tenant())
      and k.kb_id in (select veraz.kbs_with('write'))
      and ((select veraz.current_machine()) is null or k.machine_id in ('global', (select veraz.current_machine())));
    if c.id is null then
        return null;
    end if;
    return veraz.take_chunk(c);
end $$;

ALTER FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_description() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    said constant text := (select k.description from veraz.knowledge_base k
        where k.tenant_id = old.tenant_id and k.id = old.kb_id and k.described_by_domain);
begin
    if said is not null then
        update veraz.knowledge_base k set description = '', described_by_domain = false
        where k.tenant_id = old.tenant_id and k.id = old.kb_id;
        update veraz.audit_entry a set changes = a.changes || '{"description": ["…", "…"]}'
        where a.tenant_id = old.tenant_id and a.thing = 'knowledge_base' and a.thing_id = old.kb_id::text
          and a.changes -> 'description' ? said;
    end if;
    return null;
end $$;

ALTER FUNCTION veraz.forget_description() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_documents() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    whose uuid;
    ids uuid[];
    begun uuid;
    why text;
begin
    for whose, ids in select g.tenant_id, array_agg(g.id) from gone g group by g.tenant_id loop
        begun := veraz.open_forgetting(whose, 'document');
        continue when begun is null;
        perform pg_advisory_xact_lock(hashtextextended('veraz.forgetting ' || whose, 0));
        update veraz.forgetting f set removed = f.removed || jsonb_build_object('documents',
                coalesce((f.removed ->> 'documents')::int, 0) + cardinality(ids)),
            subjects = case f.kind when 'document' then f.subjects || ids::text[] else f.subjects end
        where f.id = begun returning f.kind into why;
        perform veraz.blank_answers(whose, begun, ids, why);
        update veraz.audit_entry a set changes = veraz.without_words(a.changes)
        where a.tenant_id = whose and a.thing = 'document' and a.thing_id = any (ids::text[]);
    end loop;
    return null;
end $$;

ALTER FUNCTION veraz.forget_documents() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_files() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into veraz.job (id, tenant_id, kind, payload)
    select gen_random_uuid(), g.tenant_id, 'forget_files', jsonb_build_object('keys', jsonb_agg(g.storage_key))
    from gone g
    where g.storage_key is not null and exists (select from veraz.tenant t where t.id = g.tenant_id)
    group by g.tenant_id;
    return null;
end $$;

ALTER FUNCTION veraz.forget_files() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    blanked bigint;
begin
    if not veraz.is_forgetting(p_forgetting_id) then
        raise exception 'forget' using errcode = 'VZ004';
    end if;
    update veraz.audit_entry a set changes = case when a.id = any (p_entries)
        then (select coalesce(jsonb_object_agg(k, '["…", "…"]'::jsonb), '{}') from jsonb_object_keys(a.changes) k)
        else veraz.without_words(a.changes) end
    where a.tenant_id = (select veraz.current_tenant())
      and (a.id = any (p_entries) or a.thing = p_thing and a.thing_id = any (p_things));
    get diagnostics blanked = row_count;
    return blanked;
end $$;

ALTER FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_links(p_provider_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change how people sign in' using errcode = 'VZ004';
    end if;
    delete from veraz.identity_link where provider_id = p_provider_id and tenant_id = veraz.current_tenant();
end $$;

CREATE FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    gone bigint := 0;
    n bigint;
begin
    delete from veraz.query_log where created_at < now() - make_interval(days => p_queries);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.query_trace where created_at < now() - make_interval(days => p_traces);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.edition where status = 'retired' and switched_at < now() - make_interval(days => p_editions);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.event where at < now() - make_interval(days => p_events);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.webhook_delivery where created_at < now() - make_interval(days => p_events);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.job where status = 'DONE' and finished_at < now() - make_interval(days => p_jobs);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.job_history where archived_at < now() - make_interval(days => p_jobs);
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.session where expires_at < now() - interval '1 day';
    get diagnostics n = row_count; gone := gone + n;
    delete from veraz.password_link where expires_at < now() - interval '1 day';
    get diagnostics n = row_count; gone := gone + n;
    return gone;
end $$;

ALTER FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) OWNER TO veraz_ledger;

CREATE TABLE veraz.query_log (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kind text NOT NULL,
    agent_id uuid,
    project_id uuid,
    kb_ids uuid[] NOT NULL,
    user_id uuid,
    key_id uuid,
    machine_id text,
    question text NOT NULL,
    rewrites text[] DEFAULT '{}'::text[] NOT NULL,
    stages jsonb NOT NULL,
    latency_ms real NOT NULL,
    chunks_searched bigint DEFAULT 0 NOT NULL,
    chunks_retrieved integer DEFAULT 0 NOT NULL,
    reranked_count integer DEFAULT 0 NOT NULL,
    scores jsonb DEFAULT '[]'::jsonb NOT NULL,
    best_relevance real,
    refused boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    turn text DEFAULT 'question'::text NOT NULL,
    origin text DEFAULT 'person'::text NOT NULL,
    outcome text,
    model text,
    input_tokens integer DEFAULT 0 NOT NULL,
    output_tokens integer DEFAULT 0 NOT NULL,
    cost_usd numeric,
    credits integer DEFAULT 0 NOT NULL,
    quoted_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    CONSTRAINT query_log_kind_check CHECK ((kind = ANY (ARRAY['search'::text, 'ask'::text]))),
    CONSTRAINT query_log_origin_check CHECK ((origin = ANY (ARRAY['person'::text, 'program'::text, 'test_search'::text, 'studio'::text, 'exam'::text, 'eval'::text]))),
    CONSTRAINT query_log_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'refused'::text, 'handed_over'::text, 'failed'::text]))),
    CONSTRAINT query_log_scores_check CHECK ((jsonb_typeof(scores) = 'array'::text)),
    CONSTRAINT query_log_stages_check CHECK ((jsonb_typeof(stages) = 'object'::text))
);

ALTER TABLE ONLY veraz.query_log FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.query_log IS 'Every question with its times and scores. Kept for VERAZ_QUERY_LOG_DAYS. project_id: the agent''s, filled at insert.';

COMMENT ON COLUMN veraz.query_log.origin IS 'person: somebody asked an agent, by whatever channel · program: a search over HTTP, MCP or SQL · the rest are tests of our own.';

COMMENT ON COLUMN veraz.query_log.outcome IS 'Of a question to an agent; none for a search.';

COMMENT ON COLUMN veraz.query_log.quoted_ids IS 'The documents the answer quotes.';

CREATE FUNCTION veraz.forget_queries(p_days integer) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH gone AS (
          DELETE FROM veraz.query_log
           WHERE (query_log.created_at < (now() - make_interval(days => forget_queries.p_days)))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE FUNCTION veraz.forget_rates() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    gone bigint;
begin
    delete from veraz.rate r where r.full_at < clock_timestamp();
    get diagnostics gone = row_count;
    return gone;
end $$;

ALTER FUNCTION veraz.forget_rates() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_security_events(p_days integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare gone bigint;
begin
    delete from veraz.security_event where at < now() - make_interval(days => p_days);
    get diagnostics gone = row_count;
    return gone;
end $$;

ALTER FUNCTION veraz.forget_security_events(p_days integer) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_tenant(p_tenant_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    home constant uuid := (select veraz.current_tenant());
    begun uuid;
begin
    if not veraz.is_platform_admin() or home is null or home = p_tenant_id then
        raise exception 'delete a tenant' using errcode = 'VZ004';
    end if;
    delete from veraz.tenant t where t.id = p_tenant_id;
    if not found then
        return null;
    end if;
    delete from veraz.audit_entry a where a.tenant_id = p_tenant_id;
    delete from veraz.security_event e where e.tenant_id = p_tenant_id;
    begun := veraz.open_forgetting(home, 'tenant');
    update veraz.forgetting f set subjects = array[p_tenant_id::text], removed = '{"tenants": 1}' where f.id = begun;
    return begun;
end $$;

ALTER FUNCTION veraz.forget_tenant(p_tenant_id uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forget_users() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    update veraz.audit_entry a set changes = veraz.without_words(a.changes)
    from gone g
    where a.tenant_id = g.tenant_id and a.thing = 'app_user' and a.thing_id = g.id::text;
    return null;
end $$;

ALTER FUNCTION veraz.forget_users() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.forgotten_mark(p_kind text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN format('[olvidado el %s: %s]'::text, to_char((now() AT TIME ZONE 'utc'::text), 'YYYY-MM-DD'::text), CASE p_kind WHEN 'document'::text THEN 'se borró el documento'::text WHEN 'chunk'::text THEN 'se borró el fragmento'::text WHEN 'machine'::text THEN 'se borró la licencia'::text WHEN 'end_user'::text THEN 'se borró el usuario'::text WHEN 'person'::text THEN 'se borró la persona'::text ELSE 'se borró'::text END);

CREATE FUNCTION veraz.gather_document() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    begun constant uuid := veraz.open_forgetting(old.tenant_id, 'document');
    language constant text := coalesce(
        (select k.language from veraz.knowledge_base k where k.id = old.kb_id and k.tenant_id = old.tenant_id), old.language);
begin
    if begun is null then
        return old;
    end if;
    insert into veraz.forgetting_source (tenant_id, forgetting_id, document_id, language, what, text)
    select old.tenant_id, begun, old.id, language, w.what, w.text from (
        select 'name' as what, n.name as text from (values (old.name), (old.title)) n(name)
        union all
        select 'text', concat_ws(E'\n', old.author, old.source_url, old.institution, old.replaces)
        union all
        select 'text', string_agg(v.value, E'\n') from jsonb_each_text(old.metadata) v
        union all
        select 'text', t.text from veraz.document_text t where t.tenant_id = old.tenant_id and t.document_id = old.id
        union all
        select 'text', c.content from veraz.chunk c
        where c.tenant_id = old.tenant_id and c.document_id = old.id
          and not exists (select from veraz.document_text t where t.tenant_id = old.tenant_id and t.document_id = old.id)
        union all
        select 'text', c.after from veraz.correction c where c.tenant_id = old.tenant_id and c.document_id = old.id
        union all
        select 'name', v.name from veraz.document_version v where v.tenant_id = old.tenant_id and v.document_id = old.id
    ) w where btrim(w.text) <> '';
    update veraz.audit_entry a set changes = veraz.without_words(a.changes)
    from veraz.correction c
    where c.tenant_id = old.tenant_id and c.document_id = old.id
      and a.tenant_id = old.tenant_id and a.thing = 'correction' and a.thing_id = c.id::text;
    return old;
end $$;

ALTER FUNCTION veraz.gather_document() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.gather_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    begun constant uuid := veraz.open_forgetting(old.tenant_id, case when old.email is null then 'end_user' else 'person' end);
begin
    if begun is null then
        return old;
    end if;
    update veraz.forgetting f set subjects = f.subjects || old.id::text
    where f.id = begun and f.kind in ('end_user', 'person') and not old.id::text = any (f.subjects);
    insert into veraz.forgetting_source (tenant_id, forgetting_id, what, text)
    select old.tenant_id, begun, w.what, w.text from (
        select 'name' as what, n.name as text from (values (old.email), (old.external_id), (old.display_name)) n(name)
        union
        select 'typed', m.text from veraz.message m
        join veraz.conversation c on c.id = m.conversation_id and c.tenant_id = m.tenant_id
        where c.tenant_id = old.tenant_id and c.user_id = old.id and m.role = 'user' and m.forgotten_at is null
        union
        select 'typed', q.question from veraz.query_log q where q.tenant_id = old.tenant_id and q.user_id = old.id
    ) w where btrim(w.text) <> '' and w.text <> '[olvidado]';
    return old;
end $$;

ALTER FUNCTION veraz.gather_user() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.gone_tenants(p_ids text[]) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (said.id)::uuid AS id
    FROM unnest(gone_tenants.p_ids) said(id)
   WHERE
         CASE
             WHEN (said.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text) THEN (NOT (EXISTS ( SELECT
                FROM veraz.tenant t
               WHERE (t.id = (said.id)::uuid))))
             ELSE false
         END;
END;

ALTER FUNCTION veraz.gone_tenants(p_ids text[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (((j).status = 'RUNNING'::text) AND ((j).lease_until < now()) AND ((pg_postmaster_start_time() + p_lease) < now()));

CREATE FUNCTION veraz.hold_chunk_writers() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    AS $$
begin
    lock table veraz.chunk in share mode;
end $$;

ALTER FUNCTION veraz.hold_chunk_writers() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) RETURNS SETOF veraz.job
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT j.id,
     j.tenant_id,
     j.kind,
     j.kb_id,
     j.document_id,
     j.stage,
     j.status,
     j.bulk,
     j.payload,
     j.attempt,
     j.max_attempts,
     j.claims,
     j.lost,
     j.run_after,
     j.lease_until,
     j.worker,
     j.progress_percent,
     j.error_code,
     j.error_message,
     j.created_by,
     j.created_at,
     j.started_at,
     j.finished_at,
     j.stages
    FROM veraz.job j
   WHERE (veraz.has_lost_worker(j.*, hopeless_jobs.p_lease) AND ((j.lost + 1) >= (hopeless_jobs.p_lost_per_attempt * j.max_attempts)));
END;

ALTER FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.is_platform_admin() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN COALESCE((veraz.scope()).platform, false);

CREATE TABLE veraz.security_event (
    id bigint NOT NULL,
    tenant_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    user_id uuid,
    key_id uuid,
    about uuid,
    address text,
    request_id text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT security_event_address_check CHECK ((length(address) <= 64)),
    CONSTRAINT security_event_details_check CHECK (((jsonb_typeof(details) = 'object'::text) AND (pg_column_size(details) <= 2000))),
    CONSTRAINT security_event_kind_check CHECK ((length(kind) <= 60)),
    CONSTRAINT security_event_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text]))),
    CONSTRAINT security_event_request_id_check CHECK ((length(request_id) <= 64))
);

ALTER TABLE ONLY veraz.security_event FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.security_event IS 'Ids, an address and a few words; never a secret, a name or anything people wrote.';

CREATE FUNCTION veraz.installation_events() RETURNS SETOF veraz.security_event
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT e.id,
     e.tenant_id,
     e.at,
     e.kind,
     e.outcome,
     e.user_id,
     e.key_id,
     e.about,
     e.address,
     e.request_id,
     e.details
    FROM veraz.security_event e
   WHERE ((e.tenant_id = '00000000-0000-0000-0000-000000000000'::uuid) AND ( SELECT veraz.is_platform_admin() AS is_platform_admin));
END;

ALTER FUNCTION veraz.installation_events() OWNER TO veraz_search;

CREATE TABLE veraz.forgetting (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kind text NOT NULL,
    subjects text[] DEFAULT '{}'::text[] NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    removed jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT forgetting_kind_check CHECK ((kind = ANY (ARRAY['document'::text, 'chunk'::text, 'machine'::text, 'end_user'::text, 'person'::text, 'tenant'::text]))),
    CONSTRAINT forgetting_removed_check CHECK ((jsonb_typeof(removed) = 'object'::text)),
    CONSTRAINT forgetting_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text])))
);

ALTER TABLE ONLY veraz.forgetting FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.forgetting IS 'Receipts: what was forgotten, by id, and how many rows of each kind went or were blanked. No text.';

CREATE FUNCTION veraz.is_forgetting(p_forgetting_id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM veraz.forgetting f
           WHERE ((f.id = is_forgetting.p_forgetting_id) AND (f.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (f.status = 'running'::text)))) AS "exists";
END;

ALTER FUNCTION veraz.is_forgetting(p_forgetting_id uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.is_installed() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM veraz.tenant)) AS "exists";
END;

ALTER FUNCTION veraz.is_installed() OWNER TO veraz_search;

CREATE TABLE veraz.conversation (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    agent_id uuid NOT NULL,
    project_id uuid NOT NULL,
    user_id uuid,
    key_id uuid,
    machine_id text,
    channel text DEFAULT 'api'::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    handoff_mode text DEFAULT 'ai'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    external_id text,
    handoff_at timestamp with time zone,
    seen_at timestamp with time zone,
    forgotten_at timestamp with time zone,
    CONSTRAINT conversation_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 200))),
    CONSTRAINT conversation_handoff_mode_check CHECK ((handoff_mode = ANY (ARRAY['ai'::text, 'human'::text])))
);

ALTER TABLE ONLY veraz.conversation FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.conversation IS 'Belongs to the user, or without one to the key, that started it; managers of the agent see it too.';

COMMENT ON COLUMN veraz.conversation.handoff_at IS 'When a person took over, or last wrote: after VERAZ_HANDOFF_HOURS the agent answers again.';

COMMENT ON COLUMN veraz.conversation.seen_at IS 'When one of its managers last looked at it or answered in it; what was written since is unread.';

CREATE FUNCTION veraz.is_mine(c veraz.conversation) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (NOT (((is_mine.c).user_id IS DISTINCT FROM me.user_id) OR (
         CASE
             WHEN ((is_mine.c).user_id IS NULL) THEN (is_mine.c).key_id
             ELSE NULL::uuid
         END IS DISTINCT FROM
         CASE
             WHEN (me.user_id IS NULL) THEN me.key_id
             ELSE NULL::uuid
         END)))
    FROM veraz.scope() me(login, until, tenant_id, user_id, role, machine_id, names_machines, key_id, key_level, key_project, platform);
END;

CREATE TABLE veraz.whatsapp_number (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    name text NOT NULL,
    phone_number_id text NOT NULL,
    answered_by text DEFAULT 'veraz'::text NOT NULL,
    active boolean DEFAULT true NOT NULL,
    access_token_sealed bytea NOT NULL,
    app_secret_sealed bytea NOT NULL,
    token_hash bytea NOT NULL,
    secrets_changed_at timestamp with time zone DEFAULT now() NOT NULL,
    error_code integer,
    error_text text,
    error_at timestamp with time zone,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT whatsapp_number_answered_by_check CHECK ((answered_by = ANY (ARRAY['veraz'::text, 'outside'::text]))),
    CONSTRAINT whatsapp_number_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT whatsapp_number_phone_number_id_check CHECK ((phone_number_id ~ '^[0-9]{1,32}$'::text))
);

ALTER TABLE ONLY veraz.whatsapp_number FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.whatsapp_number.phone_number_id IS 'Meta''s id of the number. Several tenants may claim it; a message goes to the one whose app secret signed it.';

COMMENT ON COLUMN veraz.whatsapp_number.answered_by IS 'outside: messages are kept and told as events, and a program answers.';

COMMENT ON COLUMN veraz.whatsapp_number.token_hash IS 'Of the verify token, which Meta shows once when the webhook is set up.';

COMMENT ON COLUMN veraz.whatsapp_number.error_code IS 'What Meta last refused for a reason that concerns the number, such as an expired token.';

CREATE FUNCTION veraz.is_passed_on(c veraz.conversation) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM veraz.whatsapp_number n
           WHERE ((n.id = (is_passed_on.c).key_id) AND (n.answered_by = 'outside'::text)))) AS "exists";
END;

CREATE FUNCTION veraz.is_personal(p_table text, p_row jsonb) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (p_table = 'knowledge_base'::text) THEN ((p_row ->> 'kind'::text) = 'personal'::text)
             WHEN (p_table = ANY (ARRAY['document'::text, 'correction'::text])) THEN (NOT (EXISTS ( SELECT
                FROM veraz.knowledge_base kb
               WHERE ((kb.id = ((is_personal.p_row ->> 'kb_id'::text))::uuid) AND (kb.kind = 'global'::text)))))
             ELSE false
         END AS "case";
END;

ALTER FUNCTION veraz.is_personal(p_table text, p_row jsonb) OWNER TO veraz_ledger;

CREATE TABLE veraz.message (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    conversation_id uuid NOT NULL,
    role text NOT NULL,
    text text NOT NULL,
    refused boolean DEFAULT false NOT NULL,
    refusal text,
    corrected boolean DEFAULT false NOT NULL,
    model text,
    input_tokens integer DEFAULT 0 NOT NULL,
    output_tokens integer DEFAULT 0 NOT NULL,
    cost_usd numeric,
    answerability real,
    claims jsonb DEFAULT '[]'::jsonb NOT NULL,
    evidence jsonb DEFAULT '[]'::jsonb NOT NULL,
    latency_ms real,
    error text,
    query_id uuid,
    personal boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    turn text DEFAULT 'question'::text NOT NULL,
    degraded text,
    held_back jsonb DEFAULT '[]'::jsonb NOT NULL,
    forgotten_at timestamp with time zone,
    forgotten_why text,
    CONSTRAINT message_claims_check CHECK ((jsonb_typeof(claims) = 'array'::text)),
    CONSTRAINT message_evidence_check CHECK ((jsonb_typeof(evidence) = 'array'::text)),
    CONSTRAINT message_held_back_check CHECK ((jsonb_typeof(held_back) = 'array'::text)),
    CONSTRAINT message_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'human'::text]))),
    CONSTRAINT message_turn_check CHECK ((turn = ANY (ARRAY['conversation'::text, 'handoff'::text, 'question'::text])))
);

ALTER TABLE ONLY veraz.message FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.message.personal IS 'Stands on somebody''s personal kb: only the person who asked reads it.';

COMMENT ON COLUMN veraz.message.held_back IS 'Sentences the model wrote and nobody could prove, each with the reason; for managers.';

CREATE FUNCTION veraz.is_unread(c veraz.conversation) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (((c).handoff_mode = 'human'::text) AND ((c).project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)) AND (EXISTS ( SELECT
            FROM veraz.message m
           WHERE ((m.conversation_id = (is_unread.c).id) AND (m.role = 'user'::text) AND (((is_unread.c).seen_at IS NULL) OR (m.created_at > (is_unread.c).seen_at))))));
END;

CREATE FUNCTION veraz.is_waiting(c veraz.conversation) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (((c).handoff_mode = 'human'::text) AND ('user'::text = ( SELECT m.role
            FROM veraz.message m
           WHERE ((m.conversation_id = (is_waiting.c).id) AND (m.role <> 'assistant'::text))
           ORDER BY m.id DESC
          LIMIT 1)));
END;

CREATE FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) RETURNS TABLE(queries bigint, refused bigint, users bigint, p50_ms double precision, p95_ms double precision, mean_relevance double precision, last_queried_at timestamp with time zone, by_day jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH used AS (
          SELECT q.id,
             q.tenant_id,
             q.kind,
             q.agent_id,
             q.project_id,
             q.kb_ids,
             q.user_id,
             q.key_id,
             q.machine_id,
             q.question,
             q.rewrites,
             q.stages,
             q.latency_ms,
             q.chunks_searched,
             q.chunks_retrieved,
             q.reranked_count,
             q.scores,
             q.best_relevance,
             q.refused,
             q.created_at,
             q.channel,
             q.turn,
             q.origin,
             q.outcome,
             q.model,
             q.input_tokens,
             q.output_tokens,
             q.cost_usd,
             q.credits,
             q.quoted_ids
            FROM veraz.query_log q
           WHERE ((q.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (q.kb_ids @> ARRAY[kb_use.p_kb_id]) AND (kb_use.p_kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)) AND (q.origin = ANY (ARRAY['person'::text, 'program'::text])) AND (q.created_at > (now() - make_interval(days => kb_use.p_days))))
         )
  SELECT count(*) AS count,
     count(*) FILTER (WHERE u.refused) AS count,
     count(DISTINCT u.user_id) AS count,
     percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((u.latency_ms)::double precision)) AS percentile_cont,
     percentile_cont((0.95)::double precision) WITHIN GROUP (ORDER BY ((u.latency_ms)::double precision)) AS percentile_cont,
     avg(u.best_relevance) AS avg,
     ( SELECT kb.last_queried_at
            FROM veraz.knowledge_base kb
           WHERE ((kb.id = kb_use.p_kb_id) AND (kb.id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)))) AS last_queried_at,
     COALESCE(( SELECT jsonb_object_agg(d.day, d.n) AS jsonb_object_agg
            FROM ( SELECT (u2.created_at)::date AS day,
                     count(*) AS n
                    FROM used u2
                   GROUP BY ((u2.created_at)::date)) d), '{}'::jsonb) AS "coalesce"
    FROM used u;
END;

ALTER FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.keep_agent_version() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    apart text[] := array['id', 'tenant_id', 'project_id', 'created_by', 'created_at', 'updated_at'];
    now_is jsonb := to_jsonb(new) - apart;
begin
    if tg_op = 'UPDATE' and to_jsonb(old) - apart = now_is then
        return null;
    end if;
    insert into veraz.agent_version (id, tenant_id, agent_id, number, settings, created_by)
    values (veraz.new_id(), new.tenant_id, new.id,
            (select coalesce(max(v.number), 0) + 1 from veraz.agent_version v where v.agent_id = new.id),
            now_is, (select veraz.current_user_id()));
    return null;
end $$;

ALTER FUNCTION veraz.keep_agent_version() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.keep_an_admin(p_leaving uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform pg_advisory_xact_lock(hashtextextended('veraz.admins:' || veraz.current_tenant(), 0));
    if exists (select from veraz.app_user u where u.id = p_leaving and u.role = 'admin')
        and not exists (select from veraz.app_user u where u.tenant_id = veraz.current_tenant() and u.id <> p_leaving
            and u.role = 'admin' and u.disabled_at is null and u.password_hash is not null) then
        raise exception 'the last admin' using errcode = 'VZ005';
    end if;
end $$;

CREATE FUNCTION veraz.keep_previous_secret() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.previous_sealed := old.secret_sealed;
    new.previous_until := now() + interval '1 day';
    return new;
end $$;

CREATE FUNCTION veraz.keep_secrets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.access_token_sealed := coalesce(new.access_token_sealed, old.access_token_sealed);
    new.app_secret_sealed := coalesce(new.app_secret_sealed, old.app_secret_sealed);
    new.token_hash := coalesce(new.token_hash, old.token_hash);
    return new;
end $$;

CREATE FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into veraz.query_trace (query_id, project_id, conversation_id, user_id, personal, trace)
    select p_query_id, a.project_id, p_conversation_id, (select veraz.current_user_id()), p_personal, p_trace
    from veraz.agent a where a.id = p_agent_id;
exception when foreign_key_violation then  -- agent or conversation went meanwhile
    null;
end $$;

CREATE FUNCTION veraz.key_by_hash(p_hash bytea) RETURNS TABLE(key_id uuid, tenant_id uuid, scopes text[], project_id uuid, user_id uuid, user_role text, is_platform_admin boolean, unmarked boolean, signed_end_users boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT k.id,
     k.tenant_id,
     k.scopes,
     k.project_id,
     k.user_id,
     u.role,
     COALESCE(u.is_platform_admin, false) AS "coalesce",
     ((k.last_used_at IS NULL) OR (k.last_used_at < (now() - '00:05:00'::interval))),
     t.signed_end_users
    FROM ((veraz.api_key k
      JOIN veraz.tenant t ON ((t.id = k.tenant_id)))
      LEFT JOIN veraz.app_user u ON (((u.id = k.user_id) AND (u.tenant_id = k.tenant_id))))
   WHERE ((k.key_hash = key_by_hash.p_hash) AND (k.revoked_at IS NULL) AND ((k.expires_at IS NULL) OR (k.expires_at > now())) AND ((k.user_id IS NULL) OR (u.disabled_at IS NULL)));
END;

CREATE FUNCTION veraz.key_used(p_id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.api_key SET last_used_at = now()
   WHERE ((api_key.id = key_used.p_id) AND (api_key.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));
END;

CREATE FUNCTION veraz.keys_made_by(p_user_id uuid) RETURNS SETOF veraz.known_key
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (veraz.as_known_key(k.*)).id AS id,
     (veraz.as_known_key(k.*)).name AS name,
     (veraz.as_known_key(k.*)).prefix AS prefix,
     (veraz.as_known_key(k.*)).scopes AS scopes,
     (veraz.as_known_key(k.*)).project_id AS project_id,
     (veraz.as_known_key(k.*)).user_id AS user_id,
     (veraz.as_known_key(k.*)).ends_with_password AS ends_with_password,
     (veraz.as_known_key(k.*)).created_at AS created_at,
     (veraz.as_known_key(k.*)).expires_at AS expires_at,
     (veraz.as_known_key(k.*)).last_used_at AS last_used_at,
     (veraz.as_known_key(k.*)).revoked_at AS revoked_at,
     (veraz.as_known_key(k.*)).created_by AS created_by
    FROM veraz.api_key k
   WHERE ((k.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ( SELECT veraz.is_tenant_admin() AS is_tenant_admin) AND (k.created_by = keys_made_by.p_user_id) AND (k.user_id IS NULL) AND (k.revoked_at IS NULL) AND ((k.expires_at IS NULL) OR (k.expires_at > now())))
   ORDER BY k.id DESC;
END;

CREATE FUNCTION veraz.keys_seen(p_after uuid, p_limit integer) RETURNS SETOF veraz.known_key
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (veraz.as_known_key(k.*)).id AS id,
     (veraz.as_known_key(k.*)).name AS name,
     (veraz.as_known_key(k.*)).prefix AS prefix,
     (veraz.as_known_key(k.*)).scopes AS scopes,
     (veraz.as_known_key(k.*)).project_id AS project_id,
     (veraz.as_known_key(k.*)).user_id AS user_id,
     (veraz.as_known_key(k.*)).ends_with_password AS ends_with_password,
     (veraz.as_known_key(k.*)).created_at AS created_at,
     (veraz.as_known_key(k.*)).expires_at AS expires_at,
     (veraz.as_known_key(k.*)).last_used_at AS last_used_at,
     (veraz.as_known_key(k.*)).revoked_at AS revoked_at,
     (veraz.as_known_key(k.*)).created_by AS created_by
    FROM veraz.api_key k
   WHERE ((k.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (k.user_id = ( SELECT veraz.current_user_id() AS current_user_id))) AND ((keys_seen.p_after IS NULL) OR (k.id < keys_seen.p_after)))
   ORDER BY k.id DESC
  LIMIT keys_seen.p_limit;
END;

CREATE FUNCTION veraz.known_documents(p_documents uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0));
    return query select d.id from veraz.document d
        where d.id = any (p_documents) and d.tenant_id = (select veraz.current_tenant());
end $$;

ALTER FUNCTION veraz.known_documents(p_documents uuid[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) RETURNS TABLE(term integer, chunks bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

ALTER FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.leave_nothing() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
    execute 'close all';
    execute 'deallocate all';
    execute 'unlisten *';
    execute 'discard sequences';
    perform pg_catalog.pg_advisory_unlock_all();
    execute 'reset all';
end $$;

CREATE FUNCTION veraz.lexeme_id(p_lexeme text) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    bytes bytea := convert_to(p_lexeme, 'UTF8');
    crc bigint := 4294967295;
begin
    for place in 0 .. length(bytes) - 1 loop
        crc := crc # get_byte(bytes, place);
        for bit in 1 .. 8 loop
            crc := (crc >> 1) # (3988292384 * (crc & 1));
        end loop;
    end loop;
    return ((crc # 4294967295) & 536870911)::int;
end $$;

CREATE FUNCTION veraz.lexemes(p_text text, p_language text) RETURNS text[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    sign constant text := '[^[:space:][:cntrl:]!-/:-@[-`{-~\u00a1-\u00bf\u00d7\u00f7\u2010-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]';
    joint constant text := '[-/._’''&+@]';
    language text := left(lower(p_language), 2);
    plain text := lower(regexp_replace(normalize(left(p_text, 10000), NFKD), '[\u0300-\u036f]+', '', 'g'));
begin
    return (
        with token as (
            select m.found[1] as text, m.place
            from regexp_matches(plain, format('(\d+(?:[.,]\d+)*[ ]?%%|%1$s+(?:%2$s%1$s+|(?<=\d)[,:](?=\d)%1$s+)*)',
                                              sign, joint), 'g') with ordinality m(found, place)
        ), word as (
            select t.place, 1 as turn, regexp_replace(t.text, joint || '|[,: ]', '', 'g') as text from token t
            union all
            select t.place, 2, rtrim(regexp_replace(t.text, '[., ]', '', 'g'), '%') from token t where t.text like '%\%'
            union all
            select t.place, 3, p.text from token t cross join lateral
                regexp_split_to_table(t.text, joint || '|[,:]') p(text)
            where t.text !~ '^\d+([.,]\d+)+$|%$'
            union all
            select t.place, 4, p.text from token t
                cross join lateral regexp_match(t.text, '^(\d+)(\D+)$|^(\D+)(\d+)$') m(found)
                cross join lateral unnest(m.found) p(text)
            where t.text !~ (joint || '|%')
        ), kept as (
            select min(10 * w.place + w.turn) as at, veraz.stem(left(w.text, 64), language) as lexeme
            from word w where w.text <> '' and w.text <> all (veraz.stop_words(language)) group by 2
        )
        select coalesce(array_agg(k.lexeme order by k.at), '{}') from (select * from kept order by at limit 64) k);
end $_$;

CREATE TABLE veraz.password_link (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY veraz.password_link FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.password_link IS 'Invitations and resets: whoever holds the link sets the password of one user, once. Used and older ones are deleted.';

CREATE FUNCTION veraz.link_counts(l veraz.password_link) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (((l).created_by IS NULL) OR (EXISTS (SELECT FROM (veraz.app_user maker JOIN veraz.app_user u ON (((u.id = (link_counts.l).user_id) AND (u.tenant_id = (link_counts.l).tenant_id)))) WHERE ((maker.id = (link_counts.l).created_by) AND (maker.tenant_id = (link_counts.l).tenant_id) AND (maker.role = 'admin'::text) AND (maker.disabled_at IS NULL) AND ((NOT u.is_platform_admin) OR maker.is_platform_admin OR (maker.id = u.id))))));

CREATE FUNCTION veraz.link_user(p_provider_id uuid, p_subject text, p_user_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change how people sign in' using errcode = 'VZ004';
    end if;
    insert into veraz.identity_link (provider_id, subject, user_id) values (p_provider_id, p_subject, p_user_id)
    on conflict do nothing;
    return found;
end $$;

CREATE TABLE veraz.identity_link (
    provider_id uuid NOT NULL,
    subject text NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT identity_link_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);

ALTER TABLE ONLY veraz.identity_link FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.identity_link IS 'Whom an issuer''s subject is here. A subject never changes, an e-mail may.';

CREATE FUNCTION veraz.linked_user(p_provider_id uuid, p_subject text) RETURNS TABLE(id uuid, disabled boolean, is_platform_admin boolean, role text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.id,
     (u.disabled_at IS NOT NULL),
     u.is_platform_admin,
     u.role
    FROM (veraz.identity_link l
      JOIN veraz.app_user u ON (((u.id = l.user_id) AND (u.tenant_id = l.tenant_id))))
   WHERE ((l.provider_id = linked_user.p_provider_id) AND (l.subject = linked_user.p_subject) AND (l.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ( SELECT veraz.is_tenant_admin() AS is_tenant_admin));
END;

CREATE FUNCTION veraz.listed_by_the_platform() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if new.listed and not veraz.is_platform_admin()
            and (tg_op = 'INSERT' or (new.listed, new.issuer, new.name) is distinct from (old.listed, old.issuer, old.name)) then
        raise exception 'show an identity provider to everybody' using errcode = 'VZ004';
    end if;
    return new;
end $$;

CREATE TABLE veraz.identity_provider (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    secret_sealed bytea,
    has_secret boolean GENERATED ALWAYS AS ((secret_sealed IS NOT NULL)) STORED NOT NULL,
    scopes text[] DEFAULT '{openid,email,profile}'::text[] NOT NULL,
    domains text[] DEFAULT '{}'::text[] NOT NULL,
    links_users boolean DEFAULT false NOT NULL,
    creates_users boolean DEFAULT false NOT NULL,
    shows_factor boolean DEFAULT false NOT NULL,
    groups_claim text DEFAULT 'groups'::text NOT NULL,
    groups jsonb DEFAULT '[]'::jsonb NOT NULL,
    listed boolean DEFAULT false NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT identity_provider_check CHECK (((NOT creates_users) OR (cardinality(domains) > 0))),
    CONSTRAINT identity_provider_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 500))),
    CONSTRAINT identity_provider_groups_check CHECK ((jsonb_typeof(groups) = 'array'::text)),
    CONSTRAINT identity_provider_groups_claim_check CHECK (((length(groups_claim) >= 1) AND (length(groups_claim) <= 200))),
    CONSTRAINT identity_provider_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 1000))),
    CONSTRAINT identity_provider_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

ALTER TABLE ONLY veraz.identity_provider FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.identity_provider IS 'Where people of a tenant sign in instead of with a password here (OpenID Connect).';

COMMENT ON COLUMN veraz.identity_provider.domains IS 'Mail domains whose people may come in; empty: any, as long as nobody is created.';

COMMENT ON COLUMN veraz.identity_provider.shows_factor IS 'It asks for a second factor itself, so that we do not.';

COMMENT ON COLUMN veraz.identity_provider.groups IS 'What groups there are here: [{"group": …, "role": "admin"}, {"group": …, "project_id": …, "role": …}].';

COMMENT ON COLUMN veraz.identity_provider.listed IS 'Whether the sign-in page shows it to everybody; for the platform to say.';

CREATE FUNCTION veraz.listed_providers() RETURNS TABLE(id uuid, name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT p.id,
     p.name
    FROM veraz.identity_provider p
   WHERE (p.listed AND p.enabled)
   ORDER BY p.id
  LIMIT 10;
END;

CREATE FUNCTION veraz.plain(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT lower(regexp_replace(NORMALIZE(p_text, NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)) AS lower;
END;

CREATE TABLE veraz.chunk (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    kb_id uuid NOT NULL,
    edition_id bigint NOT NULL,
    document_id uuid NOT NULL,
    space_id integer NOT NULL,
    ordinal integer NOT NULL,
    machine_id text NOT NULL,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    tokens integer NOT NULL,
    words integer NOT NULL,
    page_number integer,
    part text,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    headers text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    context text DEFAULT ''::text NOT NULL,
    row_number integer,
    quality integer,
    revision integer DEFAULT 1 NOT NULL,
    edited_by uuid,
    edited_at timestamp with time zone,
    embedding public.vector,
    lexemes tsvector NOT NULL,
    bm25 public.sparsevec(536870912) NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    original text,
    CONSTRAINT chunk_quality_check CHECK (((quality >= 0) AND (quality <= 100)))
)
WITH (toast_tuple_target='4080');
ALTER TABLE ONLY veraz.chunk ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY veraz.chunk ALTER COLUMN bm25 SET STORAGE MAIN;

ALTER TABLE ONLY veraz.chunk FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.chunk.original IS 'What a corrected chunk said before people corrected it; null when nobody did.';

CREATE FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) RETURNS TABLE(query integer, text text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (q.number)::integer AS number,
     c.text
    FROM (UNNEST(living_text.p_queries, living_text.p_patterns) WITH ORDINALITY q(words, pattern, number)
      CROSS JOIN LATERAL ( SELECT found.text
            FROM ( SELECT concat_ws('
'::text, array_to_string(k.headers, '
'::text), k.content) AS text
                    FROM veraz.chunk k
                   WHERE ((k.lexemes @@ (q.words)::tsquery) AND (k.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)))
                  LIMIT 2000) found
           WHERE ((q.pattern IS NULL) OR (veraz.plain(found.text) ~ q.pattern))
          LIMIT 50) c);
END;

ALTER FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION veraz.machine_named(p_machine_id text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.machine_named(p_machine_id text) OWNER TO veraz_search;

CREATE FUNCTION veraz.may_change_person(p_id uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (veraz.is_tenant_admin() OR (NOT (p_id IS DISTINCT FROM veraz.current_user_id())));

CREATE FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return p_machine_id in ('global', coalesce(veraz.current_machine(), 'global'))
        and (p_kb_id in (select veraz.kbs_with('read')) or p_kb_id in (select veraz.open_set(array[p_kb_id], false)));
end $$;

ALTER FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) OWNER TO veraz_search;

CREATE FUNCTION veraz.may_touch_platform_admin(p_id uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (veraz.is_platform_admin() OR (veraz.current_tenant() IS NULL) OR (NOT (p_id IS DISTINCT FROM (SELECT veraz.current_user_id() AS current_user_id))));

CREATE FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_tokens bigint DEFAULT NULL::bigint, p_cost numeric DEFAULT NULL::numeric, p_about uuid DEFAULT NULL::uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_platform_admin() and veraz.current_role_name() <> 'worker' then
        raise exception 'grant credits' using errcode = 'VZ004';
    end if;
    return veraz.book_credits(p_credits, p_reason, p_key, p_model, p_tokens, p_cost, p_about);
end $$;

ALTER FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.move_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
    insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
    select g.tenant_id, g.edition_id, m.machine_id, t.term, sum(m.sign * t.count)
    from gone g join came c on c.id = g.id and c.machine_id <> g.machine_id
    cross join lateral (values (g.machine_id, -1), (c.machine_id, 1)) m(machine_id, sign)
    cross join lateral veraz.terms_of(g.bm25, g.words) t
    group by 1, 2, 3, 4;
    return null;
end $$;

ALTER FUNCTION veraz.move_words() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
end $_$;

CREATE FUNCTION veraz.needs_of_sign_in(p_user_id uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (EXISTS ( SELECT
                FROM veraz.second_factor f
               WHERE ((f.user_id = u.id) AND (f.confirmed_at IS NOT NULL)))) THEN 'code'::text
             WHEN veraz.owes_factor(u.tenant_id, u.id) THEN 'enrolment'::text
             ELSE NULL::text
         END AS "case"
    FROM veraz.app_user u
   WHERE ((u.id = needs_of_sign_in.p_user_id) AND (u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));
END;

CREATE FUNCTION veraz.new_id() RETURNS uuid
    LANGUAGE sql
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE FUNCTION veraz.newest_forgetting(p_hold boolean) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_hold then
        perform pg_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0));
    end if;
    return (select f.id from veraz.forgetting f where f.tenant_id = (select veraz.current_tenant()) order by f.id desc limit 1);
end $$;

ALTER FUNCTION veraz.newest_forgetting(p_hold boolean) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.no_self_promotion() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if tg_table_name = 'tenant' then
        if not veraz.is_platform_admin() and (new.plan, new.features) is distinct from (old.plan, old.features) then
            raise exception 'change the plan' using errcode = 'VZ004';
        end if;
        return new;
    end if;
    if new.is_platform_admin and not veraz.is_platform_admin()
        and (tg_op = 'INSERT' or not old.is_platform_admin) then
        raise exception 'make a platform administrator' using errcode = 'VZ004';
    end if;
    if tg_op = 'UPDATE' and old.is_platform_admin and not veraz.may_touch_platform_admin(old.id)
        and (new.role, new.email, new.password_hash, new.disabled_at, new.is_platform_admin)
            is distinct from (old.role, old.email, old.password_hash, old.disabled_at, old.is_platform_admin) then
        raise exception 'change a platform administrator' using errcode = 'VZ004';
    end if;
    if tg_op = 'UPDATE' and not veraz.is_tenant_admin()
        and (new.role, new.email, new.external_id, new.disabled_at, new.is_platform_admin)
            is distinct from (old.role, old.email, old.external_id, old.disabled_at, old.is_platform_admin) then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    return new;
end $$;

CREATE FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.knowledge_base SET last_queried_at = now()
   WHERE ((knowledge_base.id = ANY (note_query.p_kb_ids)) AND (knowledge_base.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ((knowledge_base.last_queried_at IS NULL) OR (knowledge_base.last_queried_at < (now() - '00:01:00'::interval))) AND (knowledge_base.id IN ( SELECT s.kb_id
            FROM veraz.search_set(note_query.p_agent_id, note_query.p_kb_ids) s(kb_id, edition_id, space_id, kind, priority, search_weight))));
END;

ALTER FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.note_vectors() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.note_vectors() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.nothing_forgotten(p_since uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return pg_try_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0))
        and veraz.newest_forgetting(false) is not distinct from p_since;
end $$;

CREATE FUNCTION veraz.open_forgetting(p_tenant_id uuid, p_kind text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    begun uuid := nullif(current_setting('veraz.forgetting', true), '')::uuid;
begin
    if exists (select from veraz.forgetting f where f.id = begun and f.tenant_id = p_tenant_id and f.status <> 'done') then
        return begun;
    end if;
    if not exists (select from veraz.tenant t where t.id = p_tenant_id) then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('veraz.forgetting ' || p_tenant_id, 0));
    begun := veraz.new_id();
    insert into veraz.forgetting (id, tenant_id, kind, created_by)
    values (begun, p_tenant_id, p_kind, (select veraz.current_user_id()));
    insert into veraz.job (id, tenant_id, kind, payload, max_attempts, created_by)
    values (veraz.new_id(), p_tenant_id, 'forget', jsonb_build_object('forgetting_id', begun), 20,
        (select veraz.current_user_id()));
    perform set_config('veraz.forgetting', begun::text, true);
    return begun;
end $$;

ALTER FUNCTION veraz.open_forgetting(p_tenant_id uuid, p_kind text) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.open_session(p_id uuid, p_hash bytea, p_expires timestamp with time zone, p_address text, p_device text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    me constant uuid := veraz.current_user_id();
begin
    update veraz.app_user set last_login_at = now() where id = me and disabled_at is null;
    if not found then
        raise exception 'sign in as this user' using errcode = 'VZ004';
    end if;
    delete from veraz.session where user_id = me and expires_at < now();
    insert into veraz.session (id, user_id, token_hash, expires_at, address, device)
    values (p_id, me, p_hash, p_expires, left(p_address, 60), left(p_device, 300));
end $$;

CREATE FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH seen AS MATERIALIZED (
          SELECT k.id
            FROM veraz.kbs_with('read'::text) k(id)
           WHERE (open_set.p_unassigned AND ((open_set.p_kb_ids IS NULL) OR (k.id = ANY (open_set.p_kb_ids))))
         )
  SELECT s.id
    FROM seen s
 UNION
  SELECT r.kb_id
    FROM (( SELECT DISTINCT a.agent_id
            FROM veraz.assignment a
           WHERE ((a.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ((open_set.p_kb_ids IS NULL) OR (a.kb_id = ANY (open_set.p_kb_ids))) AND (NOT (a.kb_id IN ( SELECT s.id
                    FROM seen s))))) g
      CROSS JOIN LATERAL veraz.reading_set(g.agent_id) r(kb_id, edition_id, space_id, kind, priority, search_weight))
   WHERE ((open_set.p_kb_ids IS NULL) OR (r.kb_id = ANY (open_set.p_kb_ids)));
END;

ALTER FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) OWNER TO veraz_search;

CREATE FUNCTION veraz.own_password() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.password_hash
    FROM veraz.app_user u
   WHERE ((u.id = ( SELECT veraz.current_user_id() AS current_user_id)) AND (u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));
END;

CREATE FUNCTION veraz.own_sessions() RETURNS TABLE(id uuid, created_at timestamp with time zone, last_seen_at timestamp with time zone, expires_at timestamp with time zone, address text, device text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT s.id,
     s.created_at,
     s.last_seen_at,
     s.expires_at,
     s.address,
     s.device
    FROM veraz.session s
   WHERE ((s.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (s.user_id = ( SELECT veraz.current_user_id() AS current_user_id)) AND (s.expires_at > now()))
   ORDER BY s.last_seen_at DESC, s.id;
END;

CREATE FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) RETURNS TABLE(chunk_id uuid, original text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean DEFAULT false) RETURNS TABLE(document_id uuid, start_char integer, end_char integer, text text, blocks json, lines json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

ALTER FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) OWNER TO veraz_search;

CREATE FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) RETURNS SETOF text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.password_link_by_hash(p_hash bytea) RETURNS TABLE(user_id uuid, tenant_id uuid, tenant_name text, email text, has_password boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.id,
     u.tenant_id,
     t.name,
     u.email,
     (u.password_hash IS NOT NULL)
    FROM ((veraz.password_link l
      JOIN veraz.app_user u ON (((u.id = l.user_id) AND (u.tenant_id = l.tenant_id))))
      JOIN veraz.tenant t ON ((t.id = l.tenant_id)))
   WHERE ((l.token_hash = password_link_by_hash.p_hash) AND (l.expires_at > now()) AND (u.disabled_at IS NULL) AND (u.email IS NOT NULL) AND veraz.link_counts(l.*));
END;

CREATE FUNCTION veraz.users_seen() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.id
    FROM veraz.app_user u
   WHERE ((u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (u.id = ( SELECT veraz.current_user_id() AS current_user_id)) OR (EXISTS ( SELECT
            FROM veraz.project_member m
           WHERE ((m.user_id = u.id) AND (m.project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)))))));
END;

ALTER FUNCTION veraz.users_seen() OWNER TO veraz_search;

CREATE FUNCTION veraz.people(p_after uuid, p_limit integer) RETURNS SETOF veraz.person
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (veraz.as_person(u.*)).id AS id,
     (veraz.as_person(u.*)).email AS email,
     (veraz.as_person(u.*)).external_id AS external_id,
     (veraz.as_person(u.*)).display_name AS display_name,
     (veraz.as_person(u.*)).role AS role,
     (veraz.as_person(u.*)).is_platform_admin AS is_platform_admin,
     (veraz.as_person(u.*)).language AS language,
     (veraz.as_person(u.*)).has_password AS has_password,
     (veraz.as_person(u.*)).must_change_password AS must_change_password,
     (veraz.as_person(u.*)).disabled_at AS disabled_at,
     (veraz.as_person(u.*)).last_login_at AS last_login_at,
     (veraz.as_person(u.*)).created_at AS created_at
    FROM veraz.app_user u
   WHERE ((u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (u.id IN ( SELECT veraz.users_seen() AS users_seen))) AND ((people.p_after IS NULL) OR (u.id < people.p_after)))
   ORDER BY u.id DESC
  LIMIT people.p_limit;
END;

CREATE FUNCTION veraz.person(p_id uuid) RETURNS SETOF veraz.person
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (veraz.as_person(u.*)).id AS id,
     (veraz.as_person(u.*)).email AS email,
     (veraz.as_person(u.*)).external_id AS external_id,
     (veraz.as_person(u.*)).display_name AS display_name,
     (veraz.as_person(u.*)).role AS role,
     (veraz.as_person(u.*)).is_platform_admin AS is_platform_admin,
     (veraz.as_person(u.*)).language AS language,
     (veraz.as_person(u.*)).has_password AS has_password,
     (veraz.as_person(u.*)).must_change_password AS must_change_password,
     (veraz.as_person(u.*)).disabled_at AS disabled_at,
     (veraz.as_person(u.*)).last_login_at AS last_login_at,
     (veraz.as_person(u.*)).created_at AS created_at
    FROM veraz.app_user u
   WHERE ((u.id = person.p_id) AND (u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (u.id IN ( SELECT veraz.users_seen() AS users_seen))));
END;

CREATE FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT jsonb_strip_nulls(jsonb_build_object('pages', (p_place -> 'pages'::text), 'bbox', (p_place -> 'bbox'::text), 'row', p_row, 'sheet',
         CASE
             WHEN ((p_row IS NOT NULL) AND (p_part <> ('row '::text || p_row)) AND (NOT ((p_place ? 'pages'::text) AND (NOT ((p_headers)[1] IS DISTINCT FROM p_part))))) THEN p_part
             ELSE NULL::text
         END, 'headers',
         CASE
             WHEN (cardinality(p_headers) > 0) THEN to_jsonb(p_headers)
             ELSE NULL::jsonb
         END)) AS jsonb_strip_nulls;
END;

CREATE FUNCTION veraz.platform_admins_stay() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if old.is_platform_admin and not veraz.may_touch_platform_admin(old.id) then
        raise exception 'change a platform administrator' using errcode = 'VZ004';
    end if;
    return old;
end $$;

CREATE FUNCTION veraz.provider_for_sign_in(p_id uuid) RETURNS TABLE(id uuid, tenant_id uuid, name text, issuer text, client_id text, secret_sealed bytea, scopes text[], domains text[], links_users boolean, creates_users boolean, shows_factor boolean, groups_claim text, groups jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT p.id,
     p.tenant_id,
     p.name,
     p.issuer,
     p.client_id,
     p.secret_sealed,
     p.scopes,
     p.domains,
     p.links_users,
     p.creates_users,
     p.shows_factor,
     p.groups_claim,
     p.groups
    FROM veraz.identity_provider p
   WHERE ((p.id = provider_for_sign_in.p_id) AND p.enabled);
END;

CREATE FUNCTION veraz.provider_of_session(p_token_hash bytea) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT s.provider_id
    FROM veraz.session s
   WHERE (s.token_hash = provider_of_session.p_token_hash);
END;

CREATE FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) RETURNS TABLE(title text, documents bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT COALESCE(NULLIF(d.title, ''::text), d.name) AS "coalesce",
     count(*) OVER () AS count
    FROM ((veraz.reading_set(readable_titles.p_agent_id) r(kb_id, edition_id, space_id, kind, priority, search_weight)
      JOIN veraz.knowledge_base kb ON (((kb.id = r.kb_id) AND (kb.kind = 'global'::text))))
      JOIN veraz.document d ON (((d.kb_id = r.kb_id) AND (d.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (d.indexed_at IS NOT NULL) AND (d.machine_id = ANY (ARRAY['global'::text, COALESCE(( SELECT veraz.current_machine() AS current_machine), 'global'::text)])))))
   ORDER BY r.priority, d.created_at, d.id
  LIMIT readable_titles.p_limit;
END;

ALTER FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    m record;
    contact uuid;
    new_ones int := 0;
begin
    perform pg_advisory_xact_lock(hashtextextended(p_number_id::text, 10));
    for m in
        select r.* from jsonb_to_recordset(p_messages)
            as r (bsuid text, phone text, name text, wamid text, kind text, text text, said_at timestamptz)
    loop
        continue when exists (
            select from veraz.whatsapp_message k where k.number_id = p_number_id and k.wamid = m.wamid);
        contact := veraz.whatsapp_contact_of(p_number_id, m.bsuid, m.phone, m.name);
        update veraz.whatsapp_contact c set last_in_at = greatest(c.last_in_at, least(m.said_at, now()))
        where c.id = contact or (c.number_id = p_number_id and c.phone = m.phone);
        insert into veraz.whatsapp_message (id, number_id, contact_id, conversation_id, direction, kind, text, wamid, state,
            said_at)
        values (veraz.new_id(), p_number_id, contact, veraz.whatsapp_conversation_of(contact), 'in', m.kind, m.text, m.wamid,
            'waiting', m.said_at);
        new_ones := new_ones + 1;
    end loop;
    return new_ones;
end $$;

CREATE FUNCTION veraz.record_security_events(p_events jsonb) RETURNS TABLE(at timestamp with time zone, key_id uuid, address text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO veraz.security_event (tenant_id, at, kind, outcome, user_id, key_id, about, address, request_id, details)  SELECT COALESCE(( SELECT veraz.current_tenant() AS current_tenant), '00000000-0000-0000-0000-000000000000'::uuid) AS "coalesce",
             e.at,
             e.kind,
             e.outcome,
             e.user_id,
             e.key_id,
             e.about,
             e.address,
             e.request_id,
             COALESCE(e.details, '{}'::jsonb) AS "coalesce"
            FROM jsonb_to_recordset(record_security_events.p_events) e(at timestamp with time zone, kind text, outcome text, user_id uuid, key_id uuid, about uuid, address text, request_id text, details jsonb)
           WHERE ((( SELECT veraz.current_tenant() AS current_tenant) IS NULL) OR (EXISTS ( SELECT
                    FROM veraz.tenant t
                   WHERE (t.id = ( SELECT veraz.current_tenant() AS current_tenant))))) ON CONFLICT DO NOTHING
   RETURNING security_event.at,
     security_event.key_id,
     security_event.address;
END;

ALTER FUNCTION veraz.record_security_events(p_events jsonb) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.refuse_closed_machine() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    known text;
begin
    select l.status into known from veraz.licence l
    where l.tenant_id = new.tenant_id and l.machine_id = new.machine_id for share;
    if known in ('revoked', 'closed') then
        raise exception '%', new.machine_id using errcode = 'VZ012';
    end if;
    return new;
end $$;

ALTER FUNCTION veraz.refuse_closed_machine() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH released AS (
          UPDATE veraz.job j SET status = 'PENDING'::text, worker = NULL::text, lease_until = NULL::timestamp with time zone, attempt = (j.attempt - 1), run_after = now()
            FROM UNNEST(release_jobs.p_ids, release_jobs.p_claims) held(id, claims)
           WHERE ((j.id = held.id) AND (j.claims = held.claims) AND (j.status = 'RUNNING'::text) AND (j.worker = release_jobs.p_worker))
           RETURNING j.id
         ), told AS (
          SELECT pg_notify('veraz_job'::text, ''::text) AS pg_notify
         )
  SELECT count(*) AS count
    FROM released,
     told;
END;

ALTER FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.remove_end_users(p_forgetting_id uuid, p_users text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    removed bigint;
begin
    if not veraz.is_forgetting(p_forgetting_id) then
        raise exception 'forget' using errcode = 'VZ004';
    end if;
    delete from veraz.app_user u
    where u.tenant_id = veraz.current_tenant() and u.email is null and u.id::text = any (p_users);
    get diagnostics removed = row_count;
    return removed;
end $$;

CREATE FUNCTION veraz.remove_factor(p_user_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    found_one boolean;
begin
    if p_user_id is distinct from veraz.current_user_id() then
        if not veraz.is_tenant_admin() or (not veraz.is_platform_admin() and exists (
                select from veraz.app_user u where u.id = p_user_id and u.is_platform_admin)) then
            raise exception 'change this user' using errcode = 'VZ004';
        end if;
        delete from veraz.session where user_id = p_user_id;
        delete from veraz.sign_in_challenge where user_id = p_user_id;
    end if;
    delete from veraz.recovery_code where user_id = p_user_id;
    delete from veraz.second_factor where user_id = p_user_id returning true into found_one;
    return coalesce(found_one, false);
end $$;

CREATE FUNCTION veraz.remove_person(p_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'delete users' using errcode = 'VZ004';
    end if;
    perform veraz.keep_an_admin(p_id);
    delete from veraz.app_user where id = p_id and tenant_id = veraz.current_tenant();
end $$;

CREATE FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH mine AS (
          SELECT j.id
            FROM (veraz.job j
              JOIN UNNEST(renew_leases.p_ids, renew_leases.p_claims) held(id, claims) ON (((j.id = held.id) AND (j.claims = held.claims))))
           WHERE ((j.status = 'RUNNING'::text) AND (j.worker = renew_leases.p_worker))
         ), free AS (
          SELECT job.id
            FROM veraz.job
           WHERE (job.id IN ( SELECT mine_1.id
                    FROM mine mine_1))
          FOR UPDATE OF job SKIP LOCKED
         ), renewed AS (
          UPDATE veraz.job j SET lease_until = (clock_timestamp() + renew_leases.p_lease)
            FROM free
           WHERE (j.id = free.id)
         )
  SELECT mine.id
    FROM mine;
END;

ALTER FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.replace_recovery_codes(p_hashes bytea[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 DELETE FROM veraz.recovery_code
   WHERE (recovery_code.user_id = veraz.current_user_id());
 INSERT INTO veraz.recovery_code (user_id, code_hash)  SELECT veraz.current_user_id() AS current_user_id,
             h.h
            FROM unnest(replace_recovery_codes.p_hashes) h(h);
END;

CREATE FUNCTION veraz.revoke_key(p_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    update veraz.api_key set revoked_at = now()
    where id = p_id and tenant_id = veraz.current_tenant() and revoked_at is null
      and (veraz.is_tenant_admin() or user_id = veraz.current_user_id());
    return found;
end $$;

CREATE FUNCTION veraz.revoke_keys_made_by(p_user_id uuid) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'revoke keys' using errcode = 'VZ004';
    end if;
    return query update veraz.api_key k set revoked_at = now()
    where k.tenant_id = veraz.current_tenant() and k.created_by = p_user_id and k.user_id is null and k.revoked_at is null
    returning k.id;
end $$;

CREATE FUNCTION veraz.role_from_groups(p_user_id uuid, p_role text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    before veraz.app_user;
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('veraz.admins:' || veraz.current_tenant(), 0));
    select * into before from veraz.app_user where id = p_user_id and tenant_id = veraz.current_tenant();
    if before.id is null or before.is_platform_admin or before.role = p_role or (p_role = 'member' and not exists (
            select from veraz.app_user u where u.tenant_id = veraz.current_tenant() and u.id <> p_user_id
                and u.role = 'admin' and u.disabled_at is null and u.password_hash is not null)) then
        return null;
    end if;
    update veraz.app_user set role = p_role where id = p_user_id and tenant_id = veraz.current_tenant();
    return before.role;
end $$;

CREATE FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[] DEFAULT NULL::uuid[], p_by text DEFAULT 'both'::text) RETURNS TABLE(stats jsonb, chunk_id uuid, document_id uuid, kb_id uuid, edition_id bigint, space_id integer, kind text, content text, context text, headers text[], page_number integer, part text, row_number integer, ordinal integer, start_char integer, end_char integer, tokens integer, quality integer, chunk_metadata jsonb, embedding public.vector, cosine double precision, bm25 double precision, document_name text, title text, source_url text, language text, document_language text, document_metadata jsonb, source_tier text, authority_score double precision, evidence_level text, institution text, peer_reviewed boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

ALTER FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) OWNER TO veraz_search;

CREATE TABLE veraz.embedding_space (
    id integer NOT NULL,
    name text NOT NULL,
    dimensions integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_space_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000)))
);

COMMENT ON TABLE veraz.embedding_space IS 'provider:model@dimensions. Vectors of different spaces are never compared.';

CREATE FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) RETURNS TABLE(kb_id uuid, edition_id bigint, space_id integer, kind text, priority integer, search_weight numeric, kb_name text, language text, space text, dimensions integer, chunks bigint, shared bigint, calibration jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    BEGIN ATOMIC
 SELECT s.kb_id,
     s.edition_id,
     s.space_id,
     s.kind,
     s.priority,
     s.search_weight,
     kb.name,
     kb.language,
     es.name,
     es.dimensions,
     counted.chunks,
     counted.shared,
     e.calibration
    FROM ((((veraz.search_set(search_plan.p_agent_id, search_plan.p_kb_ids) s(kb_id, edition_id, space_id, kind, priority, search_weight)
      CROSS JOIN LATERAL ( SELECT (COALESCE(sum(t.count), (0)::numeric))::bigint AS chunks,
             (COALESCE(sum(t.count) FILTER (WHERE (t.machine_id = 'global'::text)), (0)::numeric))::bigint AS shared
            FROM veraz.edition_term t
           WHERE ((t.edition_id = s.edition_id) AND (t.term = '-1'::integer) AND ((t.machine_id = 'global'::text) OR (t.machine_id = ( SELECT veraz.current_machine() AS current_machine))))) counted)
      JOIN veraz.knowledge_base kb ON ((kb.id = s.kb_id)))
      JOIN veraz.edition e ON ((e.id = s.edition_id)))
      JOIN veraz.embedding_space es ON ((es.id = s.space_id)))
   ORDER BY s.priority, s.kb_id;
END;

ALTER FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.search_settings(p_agent_id uuid) RETURNS TABLE(retrieval jsonb, model text, fallback_model text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query select a.retrieval, a.model, a.fallback_model from veraz.agent a where a.id = p_agent_id;
end $$;

CREATE FUNCTION veraz.secret_stays_with_issuer() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.secret_sealed := null;
    return new;
end $$;

CREATE FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) RETURNS TABLE(start_char integer, text text, blocks json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select c.id from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = p_document_id and c.start_char = p_start and c.end_char = p_end
      and c.tenant_id = (select veraz.current_tenant()) and veraz.may_look(c.kb_id, c.machine_id);
end $$;

ALTER FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) RETURNS TABLE(document_id uuid, id uuid, content text, original text, start_char integer, end_char integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select c.document_id, c.id, c.content, c.original, c.start_char, c.end_char
    from veraz.seen_documents(p_document_ids) s
    join veraz.chunk c on c.document_id = s.document_id and c.original is not null and c.tenant_id = (select veraz.current_tenant())
    join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    order by c.document_id, c.start_char, c.ordinal;
end $$;

ALTER FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) RETURNS TABLE(id uuid, content text, original text, start_char integer, end_char integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select c.id, c.content, c.original, c.start_char, c.end_char
    from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = p_document_id and c.original is not null and c.start_char < p_end and c.end_char > p_start
      and c.tenant_id = (select veraz.current_tenant()) and veraz.may_look(c.kb_id, c.machine_id)
    order by c.start_char, c.ordinal;
end $$;

ALTER FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) RETURNS TABLE(document_id uuid, kb_id uuid, kind text, machine_id text, name text, title text, file_type text, version integer, storage_key text, indexed_at timestamp with time zone, pages_count integer, chunk_id uuid, content text, start_char integer, end_char integer, page_number integer, part text, row_number integer, headers text[], language text, corrected boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_documents(p_document_ids uuid[]) RETURNS TABLE(document_id uuid, version integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select d.id, d.version from veraz.document d
    where d.id = any (p_document_ids) and d.tenant_id = (select veraz.current_tenant()) and d.indexed_at is not null
      and veraz.may_look(d.kb_id, d.machine_id);
end $$;

ALTER FUNCTION veraz.seen_documents(p_document_ids uuid[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) RETURNS TABLE(document_id uuid, start_char integer, end_char integer, content text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select c.document_id, c.start_char, c.end_char, c.content
    from veraz.seen_documents(p_document_ids) s
    join unnest(p_document_ids, p_starts, p_ends) w(document_id, first, last) on w.document_id = s.document_id
    join veraz.chunk c on c.document_id = s.document_id and c.start_char = w.first and c.end_char = w.last
        and c.tenant_id = (select veraz.current_tenant())
    join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id;
end $$;

ALTER FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_sheets(p_document_id uuid) RETURNS TABLE(name text, start_char integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select c.part, min(c.start_char)
    from veraz.chunk c join veraz.knowledge_base kb on kb.id = c.kb_id and kb.live_edition_id = c.edition_id
    where c.document_id = p_document_id and c.part is not null
      and c.tenant_id = (select veraz.current_tenant()) and veraz.may_look(c.kb_id, c.machine_id)
    group by c.part order by 2;
end $$;

ALTER FUNCTION veraz.seen_sheets(p_document_id uuid) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) RETURNS TABLE(document_id uuid, start_char integer, end_char integer, text text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) RETURNS TABLE(document_id uuid, start_char integer, end_char integer, text text, blocks json, lines json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
    select t.document_id, t.start_char, t.end_char, t.text, t.blocks, t.lines
    from veraz.document_text t
    where t.document_id = p_document_id and t.version = p_version and t.tenant_id = (select veraz.current_tenant())
      and t.start_char between p_start - 16000 and p_end - 1 and t.end_char > p_start
      and veraz.may_look(t.kb_id, t.machine_id)
    order by t.start_char;
end $$;

ALTER FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) OWNER TO veraz_search;

CREATE FUNCTION veraz.send_delivery() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into veraz.job (id, tenant_id, kind, payload, max_attempts, created_by)
    values (veraz.new_id(), new.tenant_id, 'deliver_webhook', jsonb_build_object('delivery_id', new.id), 8,
        (select veraz.current_user_id()));
    return null;
end $$;

ALTER FUNCTION veraz.send_delivery() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.session_by_hash(p_hash bytea, p_idle interval) RETURNS TABLE(session_id uuid, user_id uuid, tenant_id uuid, role text, is_platform_admin boolean, must_change_password boolean, unmarked boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT s.id,
     u.id,
     u.tenant_id,
     u.role,
     u.is_platform_admin,
     (u.must_change_password AND (s.provider_id IS NULL)),
     (s.last_seen_at < (now() - LEAST('00:05:00'::interval, (session_by_hash.p_idle / (4)::double precision))))
    FROM (veraz.session s
      JOIN veraz.app_user u ON (((u.id = s.user_id) AND (u.tenant_id = s.tenant_id))))
   WHERE ((s.token_hash = session_by_hash.p_hash) AND (u.disabled_at IS NULL) AND (s.expires_at > now()) AND (s.last_seen_at > (now() - session_by_hash.p_idle)) AND (s.second_factor OR (NOT (veraz.owes_factor(u.tenant_id, u.id) OR (EXISTS ( SELECT
            FROM veraz.second_factor f
           WHERE ((f.user_id = u.id) AND (f.confirmed_at IS NOT NULL))))))));
END;

CREATE FUNCTION veraz.session_seen(p_id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.session SET last_seen_at = now()
   WHERE ((session.id = session_seen.p_id) AND (session.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (session.user_id = ( SELECT veraz.current_user_id() AS current_user_id)));
END;

CREATE FUNCTION veraz.set_factor_rule(p_rule text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.is_tenant_admin() then
        raise exception 'change the tenant' using errcode = 'VZ004';
    end if;
    update veraz.tenant set second_factor = p_rule where id = veraz.current_tenant();
end $$;

CREATE FUNCTION veraz.set_password(p_id uuid, p_hash text, p_must_change boolean, p_keep uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not veraz.may_change_person(p_id) then
        raise exception 'change this user' using errcode = 'VZ004';
    end if;
    update veraz.app_user set password_hash = p_hash, must_change_password = p_must_change, password_changed_at = now()
    where id = p_id and tenant_id = veraz.current_tenant() and email is not null;
    if found then
        perform veraz.end_ways_in(p_id, p_keep, false);
    end if;
end $$;

CREATE FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text DEFAULT NULL::text, p_tokens bigint DEFAULT NULL::bigint, p_cost numeric DEFAULT NULL::numeric) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    tenant uuid := (select veraz.current_tenant());
    so_far bigint;
begin
    if p_credits < 0 then
        raise exception 'grant credits' using errcode = 'VZ004';
    end if;
    perform from veraz.credit_balance where tenant_id = tenant for update;
    select coalesce(-sum(credits), 0) into so_far from veraz.credit_entry where tenant_id = tenant and about = p_about;
    if so_far = p_credits then
        return 0;
    end if;
    perform veraz.book_credits(so_far - p_credits, p_reason, null, p_model, p_tokens, p_cost, p_about);
    return so_far - p_credits;
end $$;

ALTER FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.usual_curve(p_space text) RETURNS double precision[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (CASE split_part(p_space, '@'::text, 1) WHEN 'local:use-multilingual-v3'::text THEN ARRAY[0.07, 0.59] WHEN 'openai:text-embedding-3-small'::text THEN ARRAY[0.12, 0.65] WHEN 'openai:text-embedding-3-large'::text THEN ARRAY[0.10, 0.65] WHEN 'openai:text-embedding-ada-002'::text THEN ARRAY[0.71, 0.89] WHEN 'gemini:text-embedding-004'::text THEN ARRAY[0.40, 0.78] WHEN 'gemini:gemini-embedding-001'::text THEN ARRAY[0.52, 0.82] ELSE ARRAY[0.15, 0.65] END)::double precision[];

CREATE FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (similarity.p_cosine IS NOT NULL) THEN ((1)::double precision / ((1)::double precision + exp((- ((ln((0.05 / 0.95)))::double precision + ((((ln((0.7 / 0.3)) - ln((0.05 / 0.95))) * (2)::numeric))::double precision * LEAST(GREATEST(((similarity.p_cosine - c.unrelated) / GREATEST((c.own - c.unrelated), (0.05)::double precision)), ('-0.5'::numeric)::double precision), (1.5)::double precision)))))))
             ELSE NULL::double precision
         END AS "case"
    FROM ( SELECT COALESCE(((similarity.p_calibration ->> 'unrelated'::text))::double precision, (veraz.usual_curve(similarity.p_space))[1]) AS unrelated,
             COALESCE(((similarity.p_calibration ->> 'own'::text))::double precision, (veraz.usual_curve(similarity.p_space))[2]) AS own) c;
END;

CREATE FUNCTION veraz.space_chunks(p_space_id integer) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (COALESCE(sum(t.count), (0)::numeric))::bigint AS "coalesce"
    FROM (veraz.edition e
      JOIN veraz.edition_term t ON (((t.edition_id = e.id) AND (t.term = '-1'::integer))))
   WHERE (e.space_id = space_chunks.p_space_id);
END;

ALTER FUNCTION veraz.space_chunks(p_space_id integer) OWNER TO veraz_search;

CREATE TABLE veraz.vector_home (
    space_id integer NOT NULL,
    state text NOT NULL,
    filled_to bigint,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT vector_home_state_check CHECK ((state = ANY (ARRAY['filling'::text, 'qdrant'::text, 'postgres'::text])))
);

COMMENT ON TABLE veraz.vector_home IS 'A space without a row is searched in PostgreSQL and moves over as soon as an engine is configured; ''postgres'' stays.';

COMMENT ON COLUMN veraz.vector_home.filled_to IS 'Once no older entry of the outbox is left, the space has moved.';

CREATE FUNCTION veraz.spaces_without_index(p_chunks bigint) RETURNS TABLE(space_id integer, dimensions integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT s.id,
     s.dimensions
    FROM veraz.embedding_space s
   WHERE ((NOT (EXISTS ( SELECT
            FROM (pg_class i
              JOIN pg_index x ON ((x.indexrelid = i.oid)))
           WHERE ((i.relnamespace = ('veraz'::regnamespace)::oid) AND (i.relname = ('chunk_space_'::text || s.id)) AND x.indisvalid AND (i.reloptions @> ARRAY['ef_construction=256'::text]))))) AND (( SELECT COALESCE(sum(t.count), (0)::numeric) AS "coalesce"
            FROM (veraz.edition e
              JOIN veraz.edition_term t ON (((t.edition_id = e.id) AND (t.term = '-1'::integer))))
           WHERE (e.space_id = s.id)) >= (spaces_without_index.p_chunks)::numeric) AND (NOT (EXISTS ( SELECT
            FROM veraz.vector_home h
           WHERE ((h.space_id = s.id) AND (h.state = 'qdrant'::text))))));
END;

ALTER FUNCTION veraz.spaces_without_index(p_chunks bigint) OWNER TO veraz_search;

CREATE FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) RETURNS SETOF double precision
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    at timestamptz := clock_timestamp();
    price interval;
    full_before timestamptz;
begin
    for i in 1 .. cardinality(p_keys) loop
        price := p_wanted[i] * make_interval(secs => p_seconds_each[i]);
        insert into veraz.rate as r (key, full_at) values (p_keys[i], at + price)
        on conflict (key) do update set full_at = greatest(r.full_at, at) + price
            where greatest(r.full_at, at) + price <= at + p_bursts[i] * make_interval(secs => p_seconds_each[i]);
        if found then
            return next 0;
        else
            select r.full_at into full_before from veraz.rate r where r.key = p_keys[i];
            return next greatest(0.001, extract(epoch from
                full_before + price - at - p_bursts[i] * make_interval(secs => p_seconds_each[i]))::float8);
        end if;
    end loop;
end $$;

ALTER FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) RETURNS SETOF text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    return query execute $q$ select w from unnest($1) w where exists (
        select from veraz.chunk c where c.edition_id = any ($2)
          and (c.machine_id = 'global' or c.machine_id = $3)
          and c.lexemes @@ ('''' || replace(replace(w, '\', '\\'), '''', '''''') || '''')::tsquery) $q$
    using p_words, veraz.editions_in(p_agent_id, p_kb_ids, p_language), veraz.current_machine();
end $_$;

ALTER FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.stem(p_word text, p_language text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (p_word ~ '^\d+$'::text) THEN p_word
             ELSE COALESCE(( SELECT (ts_lexize((d.oid)::regdictionary,
                     CASE
                         WHEN ((stem.p_language = 'es'::text) AND (stem.p_word ~~ '%cion'::text)) THEN (stem.p_word || 'es'::text)
                         ELSE stem.p_word
                     END))[1] AS ts_lexize
                FROM pg_ts_dict d
               WHERE ((d.dictnamespace = ('veraz'::regnamespace)::oid) AND (d.dictname = ('stem_'::text || stem.p_language)))), p_word)
         END AS "coalesce";
END;

CREATE FUNCTION veraz.still_known(p_documents uuid[]) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0));
    return not exists (
        select from unnest(p_documents) wanted(id)
        where not exists (select from veraz.document d where d.id = wanted.id and d.tenant_id = (select veraz.current_tenant())));
end $$;

ALTER FUNCTION veraz.still_known(p_documents uuid[]) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.stop_words(p_language text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_split_to_array(TRIM(BOTH ' 
'::text FROM CASE "left"(lower(p_language), 2) WHEN 'es'::text THEN '
        a al ante aquel aquella aquellas aquello aquellos aqui asi aun aunque cada como con contra cual cuales cualquier
        cuando cuanto cuya cuyas cuyo cuyos de del desde donde dos e el ella ellas ello ellos en entre es esa esas ese
        eso esos esta estan estas este esto estos fue fueron ha habia han hasta hay la las le les lo los mas me mi mis
        mucho muy ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero por porque
        pues que quien quienes se sea segun ser si sido sin sino sobre solo son su sus tal tales tambien tampoco tan
        tanto te ti tu tus u un una unas uno unos usted ustedes y ya yo'::text WHEN 'en'::text THEN '
        a about an and are as at be been but by can could did do does for from had has have he her hers him his how i if
        in into is it its me my no not of on or our ours she should so than that the their theirs them then there these
        they this those to too us was we were what when where which who whom whose why with would you your yours'::text WHEN 'pt'::text THEN '
        a ao aos aquela aquelas aquele aqueles aquilo as ate com como da das de dela delas dele deles depois do dos e
        ela elas ele eles em entre era essa essas esse esses esta estas este estes eu foi foram ha isso isto ja la lhe
        lhes mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nosso num numa o os ou para pela
        pelas pelo pelos por quais qual quando que quem se sem ser seu seus so sua suas tambem te tem um uma umas uns
        voce voces'::text WHEN 'fr'::text THEN '
        a ai as au aux avec c ce ces cet cette ceux comme d dans de des donc dont du elle elles en est et eux il ils j
        je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas plus pour qu quand
        que quel quelle quelles quels qui s sa sans se ses si son sont sous sur t ta te tes toi ton tu un une vos votre
        vous y'::text WHEN 'de'::text THEN '
        aber als am an auch auf aus bei bin bis bist da das dass dem den der des die dies diese diesem diesen dieser
        dieses doch du durch ein eine einem einen einer eines er es fur hat ich ihm ihn ihnen ihr ihre im in ist ja kein
        keine man mein mit nach nicht noch nur ob oder ohne sein seine sich sie sind so uber um und uns unter vom von
        vor war was wenn wer wie wir wird zu zum zur'::text WHEN 'it'::text THEN '
        a ad agli ai al alla alle allo anche c che chi ci come con cui d da dagli dai dal dalla dalle dallo degli dei
        del della delle dello di dove e ed era gli ha hanno i il in io l la le lei li lo loro lui ma mi mia mie miei mio
        ne negli nei nel nella nelle nello no noi non nostra nostro o per perche piu quale quali quando quella quelle
        quelli quello questa queste questi questo se sei si sia sono sta su sua sue sugli sui sul sulla sulle sullo suo
        suoi ti tra tu tua tuo un una uno vi voi'::text ELSE ''::text END), '\s+'::text);

CREATE FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (((c).page_number IS NULL) OR (p_file_type <> 'pdf'::text) OR ((c).metadata ? 'on_page'::text) OR ((c).page_number = p_pages)) THEN (c).page_number
             ELSE ( SELECT NULLIF(n.page_number, NULLIF(n.page_number, (sure_page.c).page_number)) AS "nullif"
                FROM veraz.chunk n
               WHERE ((n.edition_id = (sure_page.c).edition_id) AND (n.document_id = (sure_page.c).document_id) AND (n.ordinal > (sure_page.c).ordinal) AND (n.start_char >= (sure_page.c).end_char))
               ORDER BY n.ordinal
              LIMIT 1)
         END AS "nullif";
END;

CREATE FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH expired AS (
          SELECT j.id
            FROM veraz.job j
           WHERE (veraz.has_lost_worker(j.*, take_back_jobs.p_lease) AND ((j.lost + 1) < (take_back_jobs.p_lost_per_attempt * j.max_attempts)))
          FOR UPDATE OF j SKIP LOCKED
         ), returned AS (
          UPDATE veraz.job j SET status = 'PENDING'::text, worker = NULL::text, lease_until = NULL::timestamp with time zone, lost = (j.lost + 1), attempt = (j.attempt - 1), run_after = now(), error_code = take_back_jobs.p_code
            FROM expired
           WHERE (j.id = expired.id)
           RETURNING j.id
         ), told AS (
          SELECT pg_notify('veraz_job'::text, ''::text) AS pg_notify
         )
  SELECT count(*) AS count
    FROM returned,
     told;
END;

ALTER FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.take_chunk(c veraz.chunk) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    begun uuid;
    blanked bigint;
    texts constant text[] := array(
        select w.text from (
            select c.content as text union all select c.original union all
            select r.after from veraz.correction r
            where r.document_id = c.document_id and r.start_char < c.end_char and r.end_char > c.start_char
        ) w where btrim(w.text) <> '');
begin
    perform set_config('veraz.forgetting', '', true);
    begun := veraz.open_forgetting(c.tenant_id, 'chunk');
    perform pg_advisory_xact_lock(hashtextextended('veraz.forgetting ' || c.tenant_id, 0));
    insert into veraz.forgetting_source (tenant_id, forgetting_id, text)
    select c.tenant_id, begun, t from unnest(texts) t;
    update veraz.audit_entry a set changes = veraz.without_words(a.changes)
    from veraz.correction r
    where r.document_id = c.document_id and r.start_char < c.end_char and r.end_char > c.start_char
      and a.tenant_id = c.tenant_id and a.thing = 'correction' and a.thing_id = r.id::text;
    blanked := veraz.blank_repeats(
        c.tenant_id, c.document_id, texts, array[c.start_char], array[c.end_char], c.id);
    update veraz.forgetting f set subjects = array[c.id::text],
        removed = f.removed || jsonb_build_object('chunks', 1, 'answers', blanked)
    where f.id = begun;
    return begun;
end $$;

ALTER FUNCTION veraz.take_chunk(c veraz.chunk) OWNER TO veraz_ledger;

CREATE TABLE veraz.document_version (
    tenant_id uuid NOT NULL,
    kb_id uuid NOT NULL,
    document_id uuid NOT NULL,
    machine_id text NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    job_id uuid,
    storage_key text,
    content_hash bytea,
    size_bytes bigint NOT NULL,
    file_type text NOT NULL,
    name text NOT NULL,
    title text,
    source_url text,
    error_code text,
    error_message text,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    superseded_at timestamp with time zone,
    CONSTRAINT document_version_size_bytes_check CHECK ((size_bytes >= 0)),
    CONSTRAINT document_version_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'current'::text, 'superseded'::text, 'failed'::text]))),
    CONSTRAINT document_version_storage_key CHECK ((starts_with(storage_key, ((((tenant_id)::text || '/'::text) || (kb_id)::text) || '/'::text)) AND (storage_key ~ '/[0-9A-Za-z][0-9A-Za-z_.-]*$'::text))),
    CONSTRAINT document_version_version_check CHECK ((version >= 1))
);

ALTER TABLE ONLY veraz.document_version FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.document_version IS 'The versions of documents that were replaced at least once: those kept, the current one, the one waiting.';

COMMENT ON COLUMN veraz.document_version.job_id IS 'The job that is, or was, reading this version.';

CREATE FUNCTION veraz.tenant_usage() RETURNS TABLE(knowledge_bases bigint, documents bigint, bytes bigint, users bigint, agents bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT ( SELECT count(*) AS count
            FROM veraz.knowledge_base
           WHERE ((knowledge_base.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (knowledge_base.agent_id IS NULL))) AS count,
     ( SELECT count(*) AS count
            FROM veraz.document
           WHERE (document.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) AS count,
     (( SELECT (COALESCE(sum(document.size_bytes), (0)::numeric))::bigint AS "coalesce"
            FROM veraz.document
           WHERE (document.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) + ( SELECT (COALESCE(sum(document_version.size_bytes), (0)::numeric))::bigint AS "coalesce"
            FROM veraz.document_version
           WHERE ((document_version.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (document_version.status <> 'current'::text)))),
     ( SELECT count(*) AS count
            FROM veraz.app_user
           WHERE (app_user.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) AS count,
     ( SELECT count(*) AS count
            FROM veraz.agent
           WHERE (agent.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) AS count;
END;

ALTER FUNCTION veraz.tenant_usage() OWNER TO veraz_search;

CREATE FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) RETURNS TABLE(term integer, count bigint)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT ((split_part(t.entry, ':'::text, 1))::integer - 1),
     1
    FROM string_to_table(TRIM(BOTH '{}'::text FROM split_part((terms_of.p_bm25)::text, '/'::text, 1)), ','::text) t(entry)
   WHERE (t.entry <> ''::text)
 UNION ALL
  VALUES ('-1'::integer,(1)::bigint), ('-2'::integer,terms_of.p_words);
END;

CREATE FUNCTION veraz.touch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.updated_at := now();
    return new;
end $$;

CREATE FUNCTION veraz.try_challenge(p_hash bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.sign_in_challenge SET tries = (sign_in_challenge.tries + 1)
   WHERE ((sign_in_challenge.token_hash = try_challenge.p_hash) AND (sign_in_challenge.user_id = veraz.current_user_id()) AND (sign_in_challenge.tries < 5) AND (sign_in_challenge.expires_at > now()))
   RETURNING true;
END;

CREATE FUNCTION veraz.try_factor() RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.second_factor SET failed_at = now(), failures =
         CASE
             WHEN (second_factor.failed_at < (now() - '00:15:00'::interval)) THEN 1
             ELSE (second_factor.failures + 1)
         END
   WHERE ((second_factor.user_id = veraz.current_user_id()) AND ((second_factor.failures < 10) OR (second_factor.failed_at < (now() - '00:15:00'::interval))))
   RETURNING true;
END;

CREATE FUNCTION veraz.uncount_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
    insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
    select g.tenant_id, g.edition_id, g.machine_id, t.term, -sum(t.count)
    from gone g cross join lateral veraz.terms_of(g.bm25, g.words) t
    where exists (select from veraz.edition e where e.id = g.edition_id)
      and exists (select from veraz.knowledge_base kb where kb.id = g.kb_id)
    group by 1, 2, 3, 4;
    return null;
end $$;

ALTER FUNCTION veraz.uncount_words() OWNER TO veraz_ledger;

CREATE FUNCTION veraz.use_factor_step(p_step bigint) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.second_factor SET last_step = use_factor_step.p_step, failures = 0, failed_at = NULL::timestamp with time zone
   WHERE ((second_factor.user_id = veraz.current_user_id()) AND (second_factor.confirmed_at IS NOT NULL) AND (second_factor.last_step < use_factor_step.p_step))
   RETURNING true;
END;

CREATE FUNCTION veraz.use_password_link(p_hash bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    delete from veraz.password_link l
    where l.token_hash = p_hash and l.expires_at > now() and l.tenant_id = veraz.current_tenant()
      and l.user_id = veraz.current_user_id() and veraz.link_counts(l);
    return found;
end $$;

CREATE FUNCTION veraz.use_recovery_code(p_hash bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 UPDATE veraz.recovery_code SET used_at = now()
   WHERE ((recovery_code.user_id = veraz.current_user_id()) AND (recovery_code.code_hash = use_recovery_code.p_hash) AND (recovery_code.used_at IS NULL))
   RETURNING true;
END;

CREATE FUNCTION veraz.user_of_email(p_email text) RETURNS TABLE(id uuid, disabled boolean, is_platform_admin boolean, role text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.id,
     (u.disabled_at IS NOT NULL),
     u.is_platform_admin,
     u.role
    FROM veraz.app_user u
   WHERE ((u.email = user_of_email.p_email) AND (u.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ( SELECT veraz.is_tenant_admin() AS is_tenant_admin));
END;

CREATE FUNCTION veraz.users_for_login(p_email text) RETURNS TABLE(id uuid, tenant_id uuid, tenant_name text, password_hash text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT u.id,
     u.tenant_id,
     t.name,
     u.password_hash
    FROM (veraz.app_user u
      JOIN veraz.tenant t ON ((t.id = u.tenant_id)))
   WHERE ((u.email = lower(users_for_login.p_email)) AND (u.password_hash IS NOT NULL) AND (u.disabled_at IS NULL))
   ORDER BY u.last_login_at DESC NULLS LAST, u.id;
END;

CREATE FUNCTION veraz.users_with_factor() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT f.user_id
    FROM veraz.second_factor f
   WHERE ((f.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND (f.confirmed_at IS NOT NULL) AND ( SELECT veraz.is_tenant_admin() AS is_tenant_admin));
END;

CREATE SEQUENCE veraz.vector_change
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE veraz.vector_outbox (
    chunk_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    space_id integer NOT NULL,
    edition_id bigint NOT NULL,
    version bigint DEFAULT nextval('veraz.vector_change'::regclass) NOT NULL,
    lease_until timestamp with time zone
);

ALTER TABLE ONLY veraz.vector_outbox FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.vector_outbox IS 'Chunks that changed, written by trigger in the same transaction. Applying one means: look whether the chunk is there, then put or remove its point. So order does not matter and doing it twice changes nothing.';

CREATE FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH waiting AS MATERIALIZED (
          SELECT c.id,
             (c.embedding OPERATOR(public.<=>) (waiting_chunks.p_vectors)[array_position(waiting_chunks.p_space_ids, c.space_id)]) AS far,
             (c.bm25 OPERATOR(public.<#>) (waiting_chunks.p_weights)[array_position(waiting_chunks.p_languages, kb.language)]) AS unlike
            FROM ((veraz.vector_outbox o
              JOIN veraz.chunk c ON ((c.id = o.chunk_id)))
              JOIN veraz.knowledge_base kb ON ((kb.id = c.kb_id)))
           WHERE ((o.edition_id = ANY (waiting_chunks.p_editions)) AND (c.edition_id = ANY (waiting_chunks.p_editions)) AND (c.tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ((c.machine_id = 'global'::text) OR (c.machine_id = ( SELECT veraz.current_machine() AS current_machine))) AND ((waiting_chunks.p_documents IS NULL) OR (c.document_id = ANY (waiting_chunks.p_documents))))
          LIMIT 20000
         )
  SELECT COALESCE(array_agg(w.id), '{}'::uuid[]) AS "coalesce"
    FROM (( SELECT waiting.id
            FROM waiting
           WHERE (waiting.far IS NOT NULL)
           ORDER BY waiting.far
          LIMIT waiting_chunks.p_limit)
         UNION
         ( SELECT waiting.id
            FROM waiting
           WHERE (waiting.unlike < (0)::double precision)
           ORDER BY waiting.unlike
          LIMIT waiting_chunks.p_limit)) w;
END;

CREATE FUNCTION veraz.wake_whatsapp(p_contact_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    at_work uuid;
    job uuid := veraz.new_id();
begin
    select c.job_id into at_work from veraz.whatsapp_contact c
    where c.id = p_contact_id and c.tenant_id = (select veraz.current_tenant()) for update;
    if not found or exists (
        select from veraz.job j where j.id = at_work and j.status in ('PENDING', 'RUNNING')) or not exists (
        select from veraz.whatsapp_message m
        where m.contact_id = p_contact_id and m.tenant_id = (select veraz.current_tenant())
          and m.state in ('waiting', 'ready', 'sending')) then
        return;
    end if;
    insert into veraz.job (id, tenant_id, kind, payload, run_after)
    values (job, (select veraz.current_tenant()), 'whatsapp', jsonb_build_object('contact_id', p_contact_id), now() - interval '1 day');
    update veraz.whatsapp_contact set job_id = job where id = p_contact_id;
end $$;

ALTER FUNCTION veraz.wake_whatsapp(p_contact_id uuid) OWNER TO veraz_ledger;

CREATE FUNCTION veraz.wake_workers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    perform pg_notify('veraz_job', '');
    return null;
end $$;

CREATE FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    found_id uuid;
begin
    select c.id into found_id from veraz.whatsapp_contact c where c.number_id = p_number_id and c.bsuid = p_bsuid;
    if found_id is null then
        select c.id into found_id from veraz.whatsapp_contact c
        where c.number_id = p_number_id and c.phone = p_phone and (c.bsuid is null or p_bsuid is null);
    end if;
    update veraz.whatsapp_contact c set phone = null
    where c.number_id = p_number_id and c.phone = p_phone and c.id is distinct from found_id and c.bsuid is not null;
    if found_id is not null then
        update veraz.whatsapp_contact c set bsuid = coalesce(p_bsuid, c.bsuid), name = coalesce(nullif(p_name, ''), c.name),
            phone = case when exists (select from veraz.whatsapp_contact o where o.number_id = p_number_id
                                          and o.phone = p_phone and o.id <> found_id)
                    then c.phone else coalesce(p_phone, c.phone) end
        where c.id = found_id;
        return found_id;
    end if;
    insert into veraz.whatsapp_contact (id, project_id, number_id, bsuid, phone, name)
    select veraz.new_id(), n.project_id, n.id, p_bsuid, p_phone, p_name
    from veraz.whatsapp_number n where n.id = p_number_id
    returning id into found_id;
    return found_id;
end $$;

CREATE FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    found_id uuid;
begin
    select v.id into found_id
    from veraz.whatsapp_contact c
    join veraz.whatsapp_number n on n.id = c.number_id
    join veraz.conversation v on v.id = c.conversation_id and v.agent_id = n.agent_id
    where c.id = p_contact_id;
    if found_id is not null then
        return found_id;
    end if;
    insert into veraz.conversation (id, agent_id, project_id, key_id, channel, title)
    select veraz.new_id(), n.agent_id, n.project_id, n.id, 'whatsapp', left(coalesce(nullif(c.name, ''), c.phone, c.bsuid), 120)
    from veraz.whatsapp_contact c join veraz.whatsapp_number n on n.id = c.number_id
    where c.id = p_contact_id
    returning id into found_id;
    update veraz.whatsapp_contact set conversation_id = found_id where id = p_contact_id;
    return found_id;
end $$;

CREATE FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) RETURNS TABLE(id uuid, tenant_id uuid, phone_number_id text, app_secret_sealed bytea, active boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT n.id,
     n.tenant_id,
     n.phone_number_id,
     n.app_secret_sealed,
     n.active
    FROM veraz.whatsapp_number n
   WHERE (n.phone_number_id = ANY (whatsapp_numbers_of.p_phone_number_ids))
   ORDER BY n.created_at, n.id;
END;

ALTER FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) OWNER TO veraz_search;

CREATE FUNCTION veraz.whatsapp_token_known(p_hash bytea) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM veraz.whatsapp_number n
           WHERE (n.token_hash = whatsapp_token_known.p_hash))) AS "exists";
END;

ALTER FUNCTION veraz.whatsapp_token_known(p_hash bytea) OWNER TO veraz_search;

CREATE FUNCTION veraz.whatsapp_waits() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    perform veraz.wake_whatsapp(new.contact_id);
    return null;
end $$;

CREATE TABLE veraz.whatsapp_contact (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid NOT NULL,
    number_id uuid NOT NULL,
    bsuid text,
    phone text,
    name text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    last_in_at timestamp with time zone DEFAULT now() NOT NULL,
    job_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT whatsapp_contact_check CHECK (((bsuid IS NOT NULL) OR (phone IS NOT NULL)))
);

ALTER TABLE ONLY veraz.whatsapp_contact FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.whatsapp_contact.bsuid IS 'Meta''s id of the person for this business; people with a user name may show no phone.';

COMMENT ON COLUMN veraz.whatsapp_contact.last_in_at IS 'Free text may be sent for 24 hours after it.';

COMMENT ON COLUMN veraz.whatsapp_contact.job_id IS 'The one job that works on this person''s messages, in their order.';

CREATE TABLE veraz.whatsapp_message (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    number_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid,
    direction text NOT NULL,
    kind text DEFAULT 'text'::text NOT NULL,
    text text,
    part integer DEFAULT 0 NOT NULL,
    wamid text,
    state text NOT NULL,
    asked_after uuid,
    job_id uuid,
    error_code integer,
    error_text text,
    said_at timestamp with time zone DEFAULT now() NOT NULL,
    sending_at timestamp with time zone,
    sent_at timestamp with time zone,
    delivered_at timestamp with time zone,
    read_at timestamp with time zone,
    failed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT whatsapp_message_direction_check CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text]))),
    CONSTRAINT whatsapp_message_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 40))),
    CONSTRAINT whatsapp_message_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'answered'::text, 'kept'::text, 'ready'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'failed'::text])))
);

ALTER TABLE ONLY veraz.whatsapp_message FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.whatsapp_message.text IS 'Until it is answered or sent; then only the conversation holds it.';

COMMENT ON COLUMN veraz.whatsapp_message.state IS 'in: waiting → answered, or kept for a person or a program. out: ready → sending → sent → delivered → read. Both: failed.';

COMMENT ON COLUMN veraz.whatsapp_message.asked_after IS 'Made before the agent is asked: what the conversation holds after it belongs to this question.';

COMMENT ON COLUMN veraz.whatsapp_message.job_id IS 'The job that gave up on it; started again, it takes it up again.';

CREATE FUNCTION veraz.who_talks(c veraz.conversation) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT ARRAY( SELECT (u.id)::text AS id
            FROM veraz.app_user u
           WHERE ((u.email IS NULL) AND (u.id = (who_talks.c).user_id))
         UNION
          SELECT (k.id)::text AS id
            FROM veraz.whatsapp_contact k
           WHERE ((k.conversation_id = (who_talks.c).id) OR (EXISTS ( SELECT
                    FROM veraz.whatsapp_message m
                   WHERE ((m.contact_id = k.id) AND (m.conversation_id = (who_talks.c).id)))))
         UNION
          SELECT (o.id)::text AS id
            FROM veraz.conversation o
           WHERE (((who_talks.c).channel = 'widget'::text) AND (o.channel = 'widget'::text) AND (o.key_id = (who_talks.c).key_id))
         UNION
          SELECT ((who_talks.c).id)::text AS id
           WHERE (((who_talks.c).user_id IS NULL) OR ((who_talks.c).channel = ANY (ARRAY['whatsapp'::text, 'kairo'::text])))
   ORDER BY 1) AS "array";
END;

CREATE TABLE veraz.widget (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    public_id text NOT NULL,
    enabled boolean DEFAULT false NOT NULL,
    origins text[] DEFAULT '{}'::text[] NOT NULL,
    title text NOT NULL,
    greeting text DEFAULT ''::text NOT NULL,
    colour text DEFAULT '#0f766e'::text NOT NULL,
    "position" text DEFAULT 'right'::text NOT NULL,
    language text DEFAULT 'auto'::text NOT NULL,
    suggestions boolean DEFAULT true NOT NULL,
    sources boolean DEFAULT true NOT NULL,
    visitor_per_minute integer DEFAULT 20 NOT NULL,
    per_minute integer DEFAULT 60 NOT NULL,
    per_day integer DEFAULT 1000 NOT NULL,
    used_on date,
    used integer DEFAULT 0 NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT widget_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT widget_greeting_check CHECK ((length(greeting) <= 500)),
    CONSTRAINT widget_language_check CHECK ((language = ANY (ARRAY['auto'::text, 'es'::text, 'en'::text]))),
    CONSTRAINT widget_origins_check CHECK ((cardinality(origins) <= 50)),
    CONSTRAINT widget_per_day_check CHECK (((per_day >= 1) AND (per_day <= 10000000))),
    CONSTRAINT widget_per_minute_check CHECK (((per_minute >= 1) AND (per_minute <= 100000))),
    CONSTRAINT widget_position_check CHECK (("position" = ANY (ARRAY['right'::text, 'left'::text]))),
    CONSTRAINT widget_public_id_check CHECK ((public_id ~ '^[A-Za-z0-9_-]{16}$'::text)),
    CONSTRAINT widget_title_check CHECK (((length(title) >= 1) AND (length(title) <= 80))),
    CONSTRAINT widget_visitor_per_minute_check CHECK (((visitor_per_minute >= 1) AND (visitor_per_minute <= 1000)))
);

ALTER TABLE ONLY veraz.widget FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.widget.public_id IS 'What a page names it by; anybody may know it.';

COMMENT ON COLUMN veraz.widget.origins IS 'Scheme, host and port of the pages that may show it, or https://*.example.com; none: nowhere.';

COMMENT ON COLUMN veraz.widget.used IS 'Questions on the day used_on, in UTC.';

CREATE FUNCTION veraz.widget_of(p_public_id text) RETURNS TABLE(id uuid, tenant_id uuid, project_id uuid, agent_id uuid, public_id text, enabled boolean, origins text[], title text, greeting text, colour text, "position" text, language text, suggestions boolean, sources boolean, visitor_per_minute integer, per_minute integer, per_day integer, used_today integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT w.id,
     w.tenant_id,
     w.project_id,
     w.agent_id,
     w.public_id,
     w.enabled,
     w.origins,
     w.title,
     w.greeting,
     w.colour,
     w."position",
     w.language,
     w.suggestions,
     w.sources,
     w.visitor_per_minute,
     w.per_minute,
     w.per_day,
         CASE
             WHEN (w.used_on = ((now() AT TIME ZONE 'utc'::text))::date) THEN w.used
             ELSE 0
         END AS "case"
    FROM veraz.widget w
   WHERE (w.public_id = widget_of.p_public_id);
END;

ALTER FUNCTION veraz.widget_of(p_public_id text) OWNER TO veraz_search;

CREATE FUNCTION veraz.without_words(p_changes jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (SELECT COALESCE(jsonb_object_agg(c.key, CASE WHEN (c.key = ANY (ARRAY['name'::text, 'description'::text, 'title'::text, 'author'::text, 'metadata'::text, 'source_url'::text, 'institution'::text, 'replaces'::text, 'edition_stem'::text, 'before'::text, 'after'::text, 'prefix'::text, 'suffix'::text, 'error_message'::text, 'email'::text, 'external_id'::text, 'display_name'::text, 'user_name'::text])) THEN '["…", "…"]'::jsonb ELSE c.value END), '{}'::jsonb) AS "coalesce" FROM jsonb_each(without_words.p_changes) c(key, value));

CREATE FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) RETURNS TABLE(chunks bigint, idf double precision[], weights public.sparsevec, rarest tsquery)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION veraz.words_alone(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN ((' '::text || btrim(regexp_replace(lower(regexp_replace(NORMALIZE(p_text, NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text)), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2500-\u25ff\u3000-\u303f\uff00-\uff0f]+'::text, ' '::text, 'g'::text))) || ' '::text);

CREATE FUNCTION veraz.word_runs(p_text text) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH said AS (
          SELECT string_to_array(btrim(veraz.words_alone(word_runs.p_text)), ' '::text) AS words
         ), run AS (
          SELECT s.words[n.n:(n.n + 4)] AS words,
             (cardinality(s.words) < 5) AS short
            FROM (said s
              CROSS JOIN LATERAL generate_series(1, GREATEST((cardinality(s.words) - 4), 1)) n(n))
         )
  SELECT ((' '::text || array_to_string(r.words, ' '::text)) || ' '::text)
    FROM run r
   WHERE ((r.words <> '{""}'::text[]) AND (r.short OR (( SELECT count(*) AS count
            FROM unnest(r.words) w(w)
           WHERE (length(w.w) >= 4)) >= 3)))
 UNION
  SELECT ((' '::text || w.w) || ' '::text)
    FROM (said s
      CROSS JOIN LATERAL unnest(s.words) w(w))
   WHERE (octet_length(w.w) >= 24);
END;

CREATE TEXT SEARCH DICTIONARY veraz.stem_ca (
    TEMPLATE = pg_catalog.snowball,
    language = 'catalan' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_da (
    TEMPLATE = pg_catalog.snowball,
    language = 'danish' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_de (
    TEMPLATE = pg_catalog.snowball,
    language = 'german' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_en (
    TEMPLATE = pg_catalog.snowball,
    language = 'english' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_es (
    TEMPLATE = pg_catalog.snowball,
    language = 'spanish' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_eu (
    TEMPLATE = pg_catalog.snowball,
    language = 'basque' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_fi (
    TEMPLATE = pg_catalog.snowball,
    language = 'finnish' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_fr (
    TEMPLATE = pg_catalog.snowball,
    language = 'french' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_hu (
    TEMPLATE = pg_catalog.snowball,
    language = 'hungarian' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_it (
    TEMPLATE = pg_catalog.snowball,
    language = 'italian' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_nl (
    TEMPLATE = pg_catalog.snowball,
    language = 'dutch' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_no (
    TEMPLATE = pg_catalog.snowball,
    language = 'norwegian' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_pt (
    TEMPLATE = pg_catalog.snowball,
    language = 'portuguese' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_ro (
    TEMPLATE = pg_catalog.snowball,
    language = 'romanian' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_ru (
    TEMPLATE = pg_catalog.snowball,
    language = 'russian' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_sv (
    TEMPLATE = pg_catalog.snowball,
    language = 'swedish' );

CREATE TEXT SEARCH DICTIONARY veraz.stem_tr (
    TEMPLATE = pg_catalog.snowball,
    language = 'turkish' );

CREATE TABLE veraz.agent_change (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    agent_id uuid NOT NULL,
    changes jsonb NOT NULL,
    status text NOT NULL,
    message jsonb,
    run_id uuid,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    decided_at timestamp with time zone,
    CONSTRAINT agent_change_changes_check CHECK ((jsonb_typeof(changes) = 'object'::text)),
    CONSTRAINT agent_change_message_said CHECK ((message ?& ARRAY['en'::text, 'es'::text])),
    CONSTRAINT agent_change_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'applied'::text, 'held'::text])))
);

ALTER TABLE ONLY veraz.agent_change FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.agent_change.status IS 'waiting for its exam · applied · held back by it.';

CREATE TABLE veraz.agent_version (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    agent_id uuid NOT NULL,
    number integer NOT NULL,
    settings jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_version_number_check CHECK ((number > 0)),
    CONSTRAINT agent_version_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text))
);

ALTER TABLE ONLY veraz.agent_version FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.agent_version IS 'Written by a trigger with the change itself; nobody changes it afterwards.';

COMMENT ON COLUMN veraz.agent_version.created_by IS 'Who made the change; none when a key or an exam did.';

CREATE TABLE veraz.audit_entry (
    id bigint NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    user_id uuid,
    key_id uuid,
    request_id text,
    action text NOT NULL,
    thing text NOT NULL,
    thing_id text NOT NULL,
    changes jsonb NOT NULL,
    CONSTRAINT audit_entry_action_check CHECK ((action = ANY (ARRAY['insert'::text, 'update'::text, 'delete'::text])))
);

ALTER TABLE ONLY veraz.audit_entry FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.audit_entry IS 'Who changed what, written by triggers. Outlives the rows it is about.';

ALTER TABLE veraz.audit_entry ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.audit_entry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.correction (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    kb_id uuid NOT NULL,
    document_id uuid NOT NULL,
    machine_id text NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    prefix text NOT NULL,
    suffix text NOT NULL,
    revision integer NOT NULL,
    status text DEFAULT 'applied'::text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT correction_before_check CHECK ((before <> ''::text)),
    CONSTRAINT correction_status_check CHECK ((status = ANY (ARRAY['applied'::text, 'asks'::text, 'discarded'::text])))
);

ALTER TABLE ONLY veraz.correction FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.correction IS 'What people corrected: a stretch of the document''s text says something else. Made again whenever the document is cut or embedded again; where the text below changed, a person is asked.';

COMMENT ON COLUMN veraz.correction.prefix IS 'The text before the stretch; with suffix it tells the stretch from others that say the same.';

COMMENT ON COLUMN veraz.correction.revision IS 'Of the chunk that was corrected.';

CREATE TABLE veraz.credit_balance (
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    credits bigint NOT NULL,
    CONSTRAINT credit_balance_credits_check CHECK ((credits >= 0))
);

ALTER TABLE ONLY veraz.credit_balance FORCE ROW LEVEL SECURITY;

CREATE TABLE veraz.credit_entry (
    id bigint NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    credits bigint NOT NULL,
    balance bigint NOT NULL,
    reason text NOT NULL,
    idempotency_key text,
    model text,
    tokens bigint,
    cost_usd numeric(14,8),
    about uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY veraz.credit_entry FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.credit_entry IS 'Every grant and every use of AI credits; the balance follows from it.';

ALTER TABLE veraz.credit_entry ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.credit_entry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.document_text (
    tenant_id uuid NOT NULL,
    kb_id uuid NOT NULL,
    document_id uuid NOT NULL,
    machine_id text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    text text NOT NULL,
    blocks json NOT NULL,
    lines json,
    CONSTRAINT document_text_check CHECK (((end_char > start_char) AND ((end_char - start_char) <= 16000)))
);

ALTER TABLE ONLY veraz.document_text FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.document_text IS 'The text of a document in segments, cut between blocks where one ends near 8,000 characters: in the order of start_char they are the whole text. A block that is cut stands in every segment it has characters in.';

COMMENT ON COLUMN veraz.document_text.blocks IS 'Its visible pieces with their places, see veraz/text/blocks.py.';

COMMENT ON COLUMN veraz.document_text.lines IS 'Where each line is drawn on its page, in PDF points; apart, as searches do not need it.';

CREATE TABLE veraz.domain_intelligence (
    kb_id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    user_input text DEFAULT ''::text NOT NULL,
    interpreted_intent text NOT NULL,
    subdomains jsonb DEFAULT '[]'::jsonb NOT NULL,
    source_categories jsonb DEFAULT '[]'::jsonb NOT NULL,
    critical_variables jsonb DEFAULT '[]'::jsonb NOT NULL,
    validation_queries jsonb DEFAULT '[]'::jsonb NOT NULL,
    known_debates jsonb DEFAULT '[]'::jsonb NOT NULL,
    recommended_config jsonb DEFAULT '{}'::jsonb NOT NULL,
    model text,
    user_confirmed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY veraz.domain_intelligence FORCE ROW LEVEL SECURITY;

ALTER TABLE veraz.edition ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.edition_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.embedding_cache (
    tenant_id uuid NOT NULL,
    space_id integer NOT NULL,
    content_hash bytea NOT NULL,
    document_id uuid NOT NULL,
    embedding public.vector NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY veraz.embedding_cache FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.embedding_cache IS 'Paid vectors between being bought and being stored as chunks; from then on the chunk itself is the cache.';

ALTER TABLE veraz.embedding_space ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.embedding_space_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.end_user_key (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    name text NOT NULL,
    algorithm text NOT NULL,
    secret_sealed bytea,
    public_key text,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_at timestamp with time zone,
    CONSTRAINT end_user_key_algorithm_check CHECK ((algorithm = ANY (ARRAY['HS256'::text, 'EdDSA'::text]))),
    CONSTRAINT end_user_key_check CHECK ((((algorithm = 'HS256'::text) = (secret_sealed IS NOT NULL)) AND ((algorithm = 'EdDSA'::text) = (public_key IS NOT NULL)))),
    CONSTRAINT end_user_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY veraz.end_user_key FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.end_user_key.secret_sealed IS 'Of HS256; of EdDSA only the public key is here.';

CREATE TABLE veraz.end_user_token (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    jti_hash bytea NOT NULL,
    until timestamp with time zone NOT NULL
);

ALTER TABLE ONLY veraz.end_user_token FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.end_user_token IS 'Tokens that may be used once, until they would have expired.';

CREATE TABLE veraz.event (
    id bigint NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kind text NOT NULL,
    kb_id uuid,
    document_id uuid,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY veraz.event FORCE ROW LEVEL SECURITY;

ALTER TABLE veraz.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.exam_question (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    agent_id uuid NOT NULL,
    question text NOT NULL,
    expected_text text,
    expected_document_id uuid,
    must_refuse boolean DEFAULT false NOT NULL,
    origin text DEFAULT 'manual'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exam_question_check CHECK ((must_refuse OR (expected_text IS NOT NULL) OR (expected_document_id IS NOT NULL))),
    CONSTRAINT exam_question_origin_check CHECK ((origin = ANY (ARRAY['manual'::text, 'imported'::text, 'proposed'::text])))
);

ALTER TABLE ONLY veraz.exam_question FORCE ROW LEVEL SECURITY;

CREATE TABLE veraz.exam_run (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    agent_id uuid NOT NULL,
    model text NOT NULL,
    passed integer NOT NULL,
    failed integer NOT NULL,
    results jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    change_id uuid,
    CONSTRAINT exam_run_results_check CHECK ((jsonb_typeof(results) = 'array'::text))
);

ALTER TABLE ONLY veraz.exam_run FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.exam_run.change_id IS 'The change that made it run; none when somebody asked for it.';

CREATE TABLE veraz.feedback (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    message_id uuid NOT NULL,
    user_id uuid,
    rating smallint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT feedback_rating_check CHECK ((rating = ANY (ARRAY['-1'::integer, 1])))
);

ALTER TABLE ONLY veraz.feedback FORCE ROW LEVEL SECURITY;

CREATE TABLE veraz.forgetting_source (
    id bigint NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    forgetting_id uuid NOT NULL,
    text text NOT NULL,
    what text DEFAULT 'text'::text NOT NULL,
    document_id uuid,
    language text,
    CONSTRAINT forgetting_source_what_check CHECK ((what = ANY (ARRAY['text'::text, 'name'::text, 'typed'::text])))
);

ALTER TABLE ONLY veraz.forgetting_source FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.forgetting_source IS 'Words on their way out. Empty when no forgetting is under way.';

COMMENT ON COLUMN veraz.forgetting_source.document_id IS 'The document that said it, by whose id its traces are found.';

ALTER TABLE veraz.forgetting_source ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.forgetting_source_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.forgotten_before (
    entry jsonb NOT NULL,
    restored_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE veraz.forgotten_before IS 'Receipts, digests and closed licences from before a restore. No text.';

CREATE TABLE veraz.forgotten_span (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    kb_id uuid NOT NULL,
    document_id uuid NOT NULL,
    machine_id text NOT NULL,
    words integer NOT NULL,
    head bytea NOT NULL,
    digest bytea NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    lead integer DEFAULT 0 NOT NULL,
    tail integer DEFAULT 0 NOT NULL,
    whole boolean DEFAULT false NOT NULL,
    CONSTRAINT forgotten_span_lead_check CHECK ((lead >= 0)),
    CONSTRAINT forgotten_span_says CHECK (((lead + tail) < words)),
    CONSTRAINT forgotten_span_tail_check CHECK ((tail >= 0)),
    CONSTRAINT forgotten_span_words_check CHECK ((words > 0))
);

ALTER TABLE ONLY veraz.forgotten_span FORCE ROW LEVEL SECURITY;

CREATE TABLE veraz.licence (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    machine_id text NOT NULL,
    user_name text DEFAULT ''::text NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    admitted_at timestamp with time zone,
    CONSTRAINT licence_machine_id_check CHECK ((((length(machine_id) >= 1) AND (length(machine_id) <= 200)) AND (machine_id <> 'global'::text))),
    CONSTRAINT licence_machine_named CHECK ((machine_id ~ '\S'::text)),
    CONSTRAINT licence_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT licence_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text, 'closed'::text]))),
    CONSTRAINT licence_user_name_check CHECK ((length(user_name) <= 200))
);

ALTER TABLE ONLY veraz.licence FORCE ROW LEVEL SECURITY;

CREATE TABLE veraz.migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE veraz.plan (
    code text NOT NULL,
    name text NOT NULL,
    max_knowledge_bases integer,
    max_documents_per_kb integer,
    max_bytes_per_kb bigint,
    credits bigint DEFAULT 0 NOT NULL,
    CONSTRAINT plan_code_check CHECK ((code ~ '^[a-z][a-z0-9_-]{0,39}$'::text)),
    CONSTRAINT plan_credits_check CHECK ((credits >= 0)),
    CONSTRAINT plan_max_bytes_per_kb_check CHECK ((max_bytes_per_kb >= 0)),
    CONSTRAINT plan_max_documents_per_kb_check CHECK ((max_documents_per_kb >= 0)),
    CONSTRAINT plan_max_knowledge_bases_check CHECK ((max_knowledge_bases >= 0))
);

ALTER TABLE ONLY veraz.plan FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.plan IS 'What a tenant may hold; null means no limit. credits: granted when a tenant joins.';

CREATE TABLE veraz.query_trace (
    query_id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid NOT NULL,
    conversation_id uuid,
    user_id uuid,
    personal boolean DEFAULT false NOT NULL,
    trace jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT query_trace_trace_check CHECK ((jsonb_typeof(trace) = 'object'::text))
);

ALTER TABLE ONLY veraz.query_trace FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.query_trace IS 'How a question was answered: wordings, passages, prompts, drafts, verdicts. Kept for VERAZ_TRACE_DAYS; goes with its conversation.';

COMMENT ON COLUMN veraz.query_trace.personal IS 'Holds words of somebody''s personal kb: only the person who asked reads it.';

CREATE UNLOGGED TABLE veraz.rate (
    key bytea NOT NULL,
    full_at timestamp with time zone NOT NULL,
    CONSTRAINT rate_key_check CHECK ((length(key) = 32))
)
WITH (fillfactor='60');

COMMENT ON TABLE veraz.rate IS 'Buckets by a keyed hash of who it is about: no address, name or id is kept. Only functions touch it.';

CREATE TABLE veraz.scope_key (
    id integer DEFAULT 1 NOT NULL,
    inner_key bytea NOT NULL,
    outer_key bytea NOT NULL,
    CONSTRAINT scope_key_id_check CHECK ((id = 1)),
    CONSTRAINT scope_key_inner_key_check CHECK ((length(inner_key) = 64)),
    CONSTRAINT scope_key_outer_key_check CHECK ((length(outer_key) = 64))
);

COMMENT ON TABLE veraz.scope_key IS 'Signs scopes; only the function that verifies them may read it.';

ALTER TABLE veraz.security_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME veraz.security_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE veraz.webhook (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    project_id uuid,
    name text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    secret_sealed bytea NOT NULL,
    secret_changed_at timestamp with time zone DEFAULT now() NOT NULL,
    previous_sealed bytea,
    previous_until timestamp with time zone,
    enabled boolean DEFAULT true NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    note jsonb,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_events_check CHECK ((cardinality(events) > 0)),
    CONSTRAINT webhook_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT webhook_note_said CHECK ((note ?& ARRAY['en'::text, 'es'::text])),
    CONSTRAINT webhook_url_check CHECK ((url <> ''::text))
);

ALTER TABLE ONLY veraz.webhook FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN veraz.webhook.project_id IS 'Null: events of the whole tenant. Set: only those of this project.';

COMMENT ON COLUMN veraz.webhook.previous_sealed IS 'Until previous_until, deliveries are signed with the old secret too.';

COMMENT ON COLUMN veraz.webhook.failures IS 'Deliveries given up one after another; a delivery that arrives starts again at 0.';

CREATE TABLE veraz.webhook_delivery (
    id uuid NOT NULL,
    tenant_id uuid DEFAULT veraz.current_tenant() NOT NULL,
    webhook_id uuid NOT NULL,
    event_id bigint,
    kind text NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    response_status integer,
    response_ms real,
    error jsonb,
    happened_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    attempted_at timestamp with time zone,
    CONSTRAINT webhook_delivery_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
    CONSTRAINT webhook_delivery_error_said CHECK ((error ?& ARRAY['en'::text, 'es'::text])),
    CONSTRAINT webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

ALTER TABLE ONLY veraz.webhook_delivery FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE veraz.webhook_delivery IS 'Its id is the webhook-id header: the same at every attempt and resend.';

ALTER TABLE ONLY veraz.agent_change
    ADD CONSTRAINT agent_change_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.agent_change
    ADD CONSTRAINT agent_change_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.agent
    ADD CONSTRAINT agent_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.agent
    ADD CONSTRAINT agent_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.agent
    ADD CONSTRAINT agent_tenant_id_project_id_id_key UNIQUE (tenant_id, project_id, id);

ALTER TABLE ONLY veraz.agent_version
    ADD CONSTRAINT agent_version_agent_id_number_key UNIQUE (agent_id, number);

ALTER TABLE ONLY veraz.agent_version
    ADD CONSTRAINT agent_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.agent_version
    ADD CONSTRAINT agent_version_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.api_key
    ADD CONSTRAINT api_key_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY veraz.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.app_user
    ADD CONSTRAINT app_user_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.app_user
    ADD CONSTRAINT app_user_tenant_id_external_id_key UNIQUE (tenant_id, external_id);

ALTER TABLE ONLY veraz.app_user
    ADD CONSTRAINT app_user_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.assignment
    ADD CONSTRAINT assignment_agent_id_kb_id_key UNIQUE (agent_id, kb_id);

ALTER TABLE ONLY veraz.assignment
    ADD CONSTRAINT assignment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.audit_entry
    ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.chunk
    ADD CONSTRAINT chunk_edition_id_document_id_ordinal_key UNIQUE (edition_id, document_id, ordinal);

ALTER TABLE ONLY veraz.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.conversation
    ADD CONSTRAINT conversation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.conversation
    ADD CONSTRAINT conversation_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.correction
    ADD CONSTRAINT correction_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.credit_balance
    ADD CONSTRAINT credit_balance_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY veraz.credit_entry
    ADD CONSTRAINT credit_entry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.credit_entry
    ADD CONSTRAINT credit_entry_tenant_id_idempotency_key_key UNIQUE (tenant_id, idempotency_key);

ALTER TABLE veraz.document
    ADD CONSTRAINT document_global_as_written CHECK (((machine_id = 'global'::text) OR (lower(machine_id) <> 'global'::text))) NOT VALID;

ALTER TABLE ONLY veraz.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.document
    ADD CONSTRAINT document_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.document
    ADD CONSTRAINT document_tenant_id_kb_id_id_machine_id_key UNIQUE (tenant_id, kb_id, id, machine_id);

ALTER TABLE ONLY veraz.document_text
    ADD CONSTRAINT document_text_pkey PRIMARY KEY (document_id, version, start_char);

ALTER TABLE ONLY veraz.document_version
    ADD CONSTRAINT document_version_pkey PRIMARY KEY (document_id, version);

ALTER TABLE ONLY veraz.domain_intelligence
    ADD CONSTRAINT domain_intelligence_pkey PRIMARY KEY (kb_id);

ALTER TABLE ONLY veraz.edition
    ADD CONSTRAINT edition_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.edition
    ADD CONSTRAINT edition_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.edition
    ADD CONSTRAINT edition_tenant_id_kb_id_id_key UNIQUE (tenant_id, kb_id, id);

ALTER TABLE ONLY veraz.embedding_cache
    ADD CONSTRAINT embedding_cache_pkey PRIMARY KEY (tenant_id, space_id, content_hash);

ALTER TABLE ONLY veraz.embedding_space
    ADD CONSTRAINT embedding_space_name_key UNIQUE (name);

ALTER TABLE ONLY veraz.embedding_space
    ADD CONSTRAINT embedding_space_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.end_user_key
    ADD CONSTRAINT end_user_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.end_user_key
    ADD CONSTRAINT end_user_key_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.end_user_token
    ADD CONSTRAINT end_user_token_pkey PRIMARY KEY (tenant_id, key_id, jti_hash);

ALTER TABLE ONLY veraz.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.exam_question
    ADD CONSTRAINT exam_question_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.exam_run
    ADD CONSTRAINT exam_run_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.feedback
    ADD CONSTRAINT feedback_message_id_user_id_key UNIQUE NULLS NOT DISTINCT (message_id, user_id);

ALTER TABLE ONLY veraz.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.forgetting
    ADD CONSTRAINT forgetting_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.forgetting_source
    ADD CONSTRAINT forgetting_source_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.forgetting
    ADD CONSTRAINT forgetting_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.forgotten_before
    ADD CONSTRAINT forgotten_before_pkey PRIMARY KEY (entry);

ALTER TABLE ONLY veraz.forgotten_span
    ADD CONSTRAINT forgotten_span_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.identity_link
    ADD CONSTRAINT identity_link_pkey PRIMARY KEY (provider_id, subject);

ALTER TABLE ONLY veraz.identity_link
    ADD CONSTRAINT identity_link_provider_id_user_id_key UNIQUE (provider_id, user_id);

ALTER TABLE ONLY veraz.identity_provider
    ADD CONSTRAINT identity_provider_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.identity_provider
    ADD CONSTRAINT identity_provider_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.job_history
    ADD CONSTRAINT job_history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE veraz.licence
    ADD CONSTRAINT licence_not_global CHECK ((lower(machine_id) <> 'global'::text)) NOT VALID;

ALTER TABLE ONLY veraz.licence
    ADD CONSTRAINT licence_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.licence
    ADD CONSTRAINT licence_tenant_id_machine_id_key UNIQUE (tenant_id, machine_id);

ALTER TABLE ONLY veraz.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.message
    ADD CONSTRAINT message_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY veraz.password_link
    ADD CONSTRAINT password_link_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.password_link
    ADD CONSTRAINT password_link_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY veraz.plan
    ADD CONSTRAINT plan_pkey PRIMARY KEY (code);

ALTER TABLE ONLY veraz.project_member
    ADD CONSTRAINT project_member_pkey PRIMARY KEY (project_id, user_id);

ALTER TABLE ONLY veraz.project
    ADD CONSTRAINT project_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.project
    ADD CONSTRAINT project_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.query_log
    ADD CONSTRAINT query_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.query_log
    ADD CONSTRAINT query_log_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.query_trace
    ADD CONSTRAINT query_trace_pkey PRIMARY KEY (query_id);

ALTER TABLE ONLY veraz.rate
    ADD CONSTRAINT rate_pkey PRIMARY KEY (key);

ALTER TABLE ONLY veraz.recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (user_id, code_hash);

ALTER TABLE ONLY veraz.scope_key
    ADD CONSTRAINT scope_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.second_factor
    ADD CONSTRAINT second_factor_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY veraz.security_event
    ADD CONSTRAINT security_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.session
    ADD CONSTRAINT session_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY veraz.sign_in_challenge
    ADD CONSTRAINT sign_in_challenge_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY veraz.tenant
    ADD CONSTRAINT tenant_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.vector_home
    ADD CONSTRAINT vector_home_pkey PRIMARY KEY (space_id);

ALTER TABLE ONLY veraz.vector_outbox
    ADD CONSTRAINT vector_outbox_pkey PRIMARY KEY (chunk_id);

ALTER TABLE ONLY veraz.webhook_delivery
    ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.webhook
    ADD CONSTRAINT webhook_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_number_id_bsuid_key UNIQUE (number_id, bsuid);

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_number_id_phone_key UNIQUE (number_id, phone);

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_tenant_id_number_id_id_key UNIQUE (tenant_id, number_id, id);

ALTER TABLE ONLY veraz.whatsapp_message
    ADD CONSTRAINT whatsapp_message_number_id_wamid_key UNIQUE (number_id, wamid);

ALTER TABLE ONLY veraz.whatsapp_message
    ADD CONSTRAINT whatsapp_message_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.whatsapp_number
    ADD CONSTRAINT whatsapp_number_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.whatsapp_number
    ADD CONSTRAINT whatsapp_number_tenant_id_id_key UNIQUE (tenant_id, id);

ALTER TABLE ONLY veraz.whatsapp_number
    ADD CONSTRAINT whatsapp_number_tenant_id_phone_number_id_key UNIQUE (tenant_id, phone_number_id);

ALTER TABLE ONLY veraz.whatsapp_number
    ADD CONSTRAINT whatsapp_number_tenant_id_project_id_id_key UNIQUE (tenant_id, project_id, id);

ALTER TABLE ONLY veraz.widget
    ADD CONSTRAINT widget_pkey PRIMARY KEY (id);

ALTER TABLE ONLY veraz.widget
    ADD CONSTRAINT widget_public_id_key UNIQUE (public_id);

ALTER TABLE ONLY veraz.widget
    ADD CONSTRAINT widget_tenant_id_agent_id_key UNIQUE (tenant_id, agent_id);

ALTER TABLE ONLY veraz.widget
    ADD CONSTRAINT widget_tenant_id_id_key UNIQUE (tenant_id, id);

CREATE INDEX agent_change_agent ON veraz.agent_change USING btree (agent_id, id DESC);

CREATE UNIQUE INDEX agent_name ON veraz.agent USING btree (project_id, lower(name));

CREATE INDEX api_key_maker ON veraz.api_key USING btree (tenant_id, created_by) WHERE ((user_id IS NULL) AND (revoked_at IS NULL));

CREATE INDEX api_key_tenant ON veraz.api_key USING btree (tenant_id, id);

CREATE UNIQUE INDEX app_user_email ON veraz.app_user USING btree (tenant_id, email);

CREATE INDEX app_user_sign_in ON veraz.app_user USING btree (email) WHERE (email IS NOT NULL);

CREATE INDEX assignment_kb ON veraz.assignment USING btree (kb_id);

CREATE INDEX audit_entry_tenant ON veraz.audit_entry USING btree (tenant_id, id DESC);

CREATE INDEX audit_entry_thing ON veraz.audit_entry USING btree (tenant_id, thing, thing_id);

CREATE INDEX chunk_document ON veraz.chunk USING btree (document_id);

CREATE INDEX chunk_kb ON veraz.chunk USING btree (kb_id);

CREATE INDEX chunk_same_content ON veraz.chunk USING btree (tenant_id, space_id, content_hash);

CREATE INDEX chunk_words ON veraz.chunk USING gin (lexemes) WITH (gin_pending_list_limit='256');

CREATE UNIQUE INDEX conversation_external ON veraz.conversation USING btree (tenant_id, agent_id, COALESCE(user_id, key_id, tenant_id), external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX conversation_list ON veraz.conversation USING btree (tenant_id, agent_id, id DESC);

CREATE INDEX conversation_recent ON veraz.conversation USING btree (tenant_id, updated_at DESC, id DESC);

CREATE INDEX conversation_user ON veraz.conversation USING btree (user_id, id DESC) WHERE (user_id IS NOT NULL);

CREATE INDEX conversation_widget ON veraz.conversation USING btree (key_id, id DESC) WHERE (channel = 'widget'::text);

CREATE INDEX correction_document ON veraz.correction USING btree (document_id, start_char);

CREATE INDEX credit_entry_about ON veraz.credit_entry USING btree (tenant_id, about) WHERE (about IS NOT NULL);

CREATE INDEX credit_entry_tenant ON veraz.credit_entry USING btree (tenant_id, id DESC);

CREATE INDEX document_kb ON veraz.document USING btree (kb_id, id DESC);

CREATE INDEX document_kb_status ON veraz.document USING btree (kb_id, status);

CREATE INDEX document_name ON veraz.document USING btree (kb_id, name);

CREATE INDEX document_problem ON veraz.document USING btree (kb_id, error_code) WHERE (error_code IS NOT NULL);

CREATE INDEX document_stem ON veraz.document USING btree (kb_id, edition_stem);

CREATE INDEX document_superseded ON veraz.document USING btree (superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE INDEX document_tier ON veraz.document USING btree (kb_id, tier);

CREATE UNIQUE INDEX document_twin ON veraz.document USING btree (kb_id, machine_id, content_hash) WHERE ((content_hash IS NOT NULL) AND (status <> 'failed'::text));

CREATE UNIQUE INDEX document_version_current ON veraz.document_version USING btree (document_id) WHERE (status = 'current'::text);

CREATE INDEX document_version_kb ON veraz.document_version USING btree (kb_id);

CREATE UNIQUE INDEX edition_building ON veraz.edition USING btree (kb_id) WHERE (status = 'building'::text);

CREATE UNIQUE INDEX edition_live ON veraz.edition USING btree (kb_id) WHERE (status = 'live'::text);

CREATE INDEX edition_term_lookup ON veraz.edition_term USING btree (edition_id, term) INCLUDE (count, machine_id);

CREATE INDEX embedding_cache_document ON veraz.embedding_cache USING btree (document_id);

CREATE INDEX end_user_key_list ON veraz.end_user_key USING btree (tenant_id, id DESC);

CREATE INDEX event_tenant ON veraz.event USING btree (tenant_id, id);

CREATE INDEX exam_question_agent ON veraz.exam_question USING btree (agent_id, id);

CREATE INDEX exam_run_agent ON veraz.exam_run USING btree (agent_id, id DESC);

CREATE INDEX forgetting_newest ON veraz.forgetting USING btree (tenant_id, id DESC);

CREATE INDEX forgetting_source_of ON veraz.forgetting_source USING btree (forgetting_id, id);

CREATE INDEX forgotten_span_of ON veraz.forgotten_span USING btree (document_id);

CREATE INDEX identity_link_of_user ON veraz.identity_link USING btree (user_id);

CREATE INDEX identity_provider_tenant ON veraz.identity_provider USING btree (tenant_id, id);

CREATE INDEX job_document ON veraz.job USING btree (document_id) WHERE (document_id IS NOT NULL);

CREATE INDEX job_finished ON veraz.job USING btree (tenant_id, finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX job_history_finished ON veraz.job_history USING btree (tenant_id, finished_at);

CREATE INDEX job_history_list ON veraz.job_history USING btree (tenant_id, id DESC);

CREATE INDEX job_kb ON veraz.job USING btree (kb_id, status);

CREATE INDEX job_list ON veraz.job USING btree (tenant_id, id DESC);

CREATE INDEX job_next ON veraz.job USING btree (tenant_id, bulk, run_after, id) WHERE (status = 'PENDING'::text);

CREATE UNIQUE INDEX job_one_per_document ON veraz.job USING btree (document_id) WHERE ((document_id IS NOT NULL) AND (status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text])));

CREATE INDEX job_running ON veraz.job USING btree (tenant_id) WHERE (status = 'RUNNING'::text);

CREATE INDEX job_served ON veraz.job USING btree (tenant_id, started_at) WHERE (started_at IS NOT NULL);

CREATE UNIQUE INDEX knowledge_base_name ON veraz.knowledge_base USING btree (tenant_id, COALESCE(project_id, owner_id, tenant_id), lower(name));

CREATE UNIQUE INDEX knowledge_base_of_agent ON veraz.knowledge_base USING btree (agent_id) WHERE (agent_id IS NOT NULL);

CREATE INDEX knowledge_base_owner ON veraz.knowledge_base USING btree (owner_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX licence_admitted ON veraz.licence USING btree (tenant_id, admitted_at) WHERE (admitted_at IS NOT NULL);

CREATE INDEX licence_by_letters ON veraz.licence USING btree (tenant_id, lower(machine_id));

CREATE INDEX message_documents ON veraz.message USING gin (veraz.documents_of(evidence)) WHERE (role = 'assistant'::text);

CREATE INDEX message_list ON veraz.message USING btree (conversation_id, id);

CREATE INDEX password_link_maker ON veraz.password_link USING btree (tenant_id, created_by);

CREATE UNIQUE INDEX password_link_of_user ON veraz.password_link USING btree (user_id);

CREATE INDEX project_member_of_user ON veraz.project_member USING btree (user_id);

CREATE UNIQUE INDEX project_name ON veraz.project USING btree (tenant_id, lower(name));

CREATE INDEX query_log_age ON veraz.query_log USING btree (created_at);

CREATE INDEX query_log_agent ON veraz.query_log USING btree (agent_id, id DESC) WHERE (agent_id IS NOT NULL);

CREATE INDEX query_log_kbs ON veraz.query_log USING gin (kb_ids);

CREATE INDEX query_log_user ON veraz.query_log USING btree (user_id, id DESC) WHERE (user_id IS NOT NULL);

CREATE INDEX query_trace_age ON veraz.query_trace USING btree (created_at);

CREATE INDEX query_trace_conversation ON veraz.query_trace USING btree (conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE INDEX security_event_at ON veraz.security_event USING btree (at);

CREATE UNIQUE INDEX security_event_key_address ON veraz.security_event USING btree (tenant_id, key_id, address) WHERE (kind = 'key_used_from_new_address'::text);

CREATE INDEX security_event_tenant ON veraz.security_event USING btree (tenant_id, id DESC);

CREATE INDEX session_of_user ON veraz.session USING btree (user_id);

CREATE INDEX sign_in_challenge_of_user ON veraz.sign_in_challenge USING btree (user_id);

CREATE INDEX vector_outbox_edition ON veraz.vector_outbox USING btree (edition_id);

CREATE INDEX vector_outbox_next ON veraz.vector_outbox USING btree (version);

CREATE INDEX vector_outbox_space ON veraz.vector_outbox USING btree (space_id, version);

CREATE INDEX webhook_delivery_age ON veraz.webhook_delivery USING btree (created_at);

CREATE INDEX webhook_delivery_list ON veraz.webhook_delivery USING btree (webhook_id, id DESC);

CREATE INDEX webhook_list ON veraz.webhook USING btree (tenant_id, id DESC);

CREATE INDEX whatsapp_contact_conversation ON veraz.whatsapp_contact USING btree (conversation_id) WHERE (conversation_id IS NOT NULL);

CREATE INDEX whatsapp_message_job ON veraz.whatsapp_message USING btree (job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX whatsapp_message_next ON veraz.whatsapp_message USING btree (contact_id, direction DESC, said_at, id) WHERE (state = ANY (ARRAY['waiting'::text, 'ready'::text, 'sending'::text]));

CREATE INDEX whatsapp_message_talk ON veraz.whatsapp_message USING btree (conversation_id, id);

CREATE INDEX whatsapp_number_list ON veraz.whatsapp_number USING btree (tenant_id, id DESC);

CREATE INDEX whatsapp_number_phone ON veraz.whatsapp_number USING btree (phone_number_id);

CREATE INDEX whatsapp_number_token ON veraz.whatsapp_number USING btree (token_hash);

CREATE TRIGGER announce AFTER INSERT ON veraz.event REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION veraz.announce();

CREATE TRIGGER assignment_rules BEFORE INSERT OR UPDATE ON veraz.assignment FOR EACH ROW EXECUTE FUNCTION veraz.assignment_rules();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.agent FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.api_key FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.assignment FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR UPDATE OF status ON veraz.correction FOR EACH ROW EXECUTE FUNCTION veraz.audit('status', 'before', 'after');

CREATE TRIGGER audit AFTER INSERT ON veraz.credit_entry FOR EACH ROW WHEN (((new.idempotency_key IS NULL) AND (new.about IS NULL))) EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF name, machine_id, metadata, tier, authority_score, evidence_level, institution, peer_reviewed, title, author, version, superseded_by ON veraz.document FOR EACH ROW EXECUTE FUNCTION veraz.audit('name', 'machine_id', 'metadata', 'tier', 'authority_score', 'evidence_level', 'institution', 'peer_reviewed', 'title', 'author', 'version', 'superseded_by');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.edition FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.end_user_key FOR EACH ROW EXECUTE FUNCTION veraz.audit('name', 'algorithm', 'ends_at');

CREATE TRIGGER audit AFTER INSERT ON veraz.forgetting FOR EACH ROW EXECUTE FUNCTION veraz.audit('kind', 'status');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.identity_provider FOR EACH ROW EXECUTE FUNCTION veraz.audit('name', 'issuer', 'client_id', 'scopes', 'domains', 'links_users', 'creates_users', 'shows_factor', 'groups_claim', 'groups', 'listed', 'enabled');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.knowledge_base FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.licence FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.plan FOR EACH ROW WHEN ((veraz.current_tenant() IS NOT NULL)) EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.project FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.project_member FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.second_factor FOR EACH ROW EXECUTE FUNCTION veraz.audit('confirmed_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.tenant FOR EACH ROW EXECUTE FUNCTION veraz.audit();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.webhook FOR EACH ROW EXECUTE FUNCTION veraz.audit('name', 'url', 'events', 'enabled', 'note', 'secret_changed_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.whatsapp_number FOR EACH ROW EXECUTE FUNCTION veraz.audit('agent_id', 'name', 'answered_by', 'active', 'secrets_changed_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON veraz.widget FOR EACH ROW EXECUTE FUNCTION veraz.audit('enabled', 'origins', 'title', 'greeting', 'colour', 'position', 'language', 'suggestions', 'sources', 'visitor_per_minute', 'per_minute', 'per_day');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.agent FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'project_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.agent_change FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'agent_id', 'changes');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.api_key FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'key_hash', 'scopes', 'project_id', 'user_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.conversation FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'agent_id', 'project_id', 'user_id', 'key_id', 'machine_id', 'channel', 'external_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.document FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'kb_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.edition FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'kb_id', 'space_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.identity_link FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('provider_id', 'tenant_id', 'subject', 'user_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.identity_provider FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.knowledge_base FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'project_id', 'kind', 'owner_id', 'agent_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.session FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'user_id', 'token_hash');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.webhook FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'project_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.webhook_delivery FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'webhook_id', 'kind', 'data');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.whatsapp_contact FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'project_id', 'number_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.whatsapp_message FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'number_id', 'contact_id', 'direction');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.whatsapp_number FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'project_id', 'phone_number_id');

CREATE TRIGGER belongs_forever BEFORE UPDATE ON veraz.widget FOR EACH ROW EXECUTE FUNCTION veraz.belongs_forever('id', 'tenant_id', 'project_id', 'agent_id', 'public_id');

CREATE TRIGGER describe_by_hand BEFORE UPDATE OF description ON veraz.knowledge_base FOR EACH ROW WHEN ((new.description IS DISTINCT FROM old.description)) EXECUTE FUNCTION veraz.describe_by_hand();

CREATE TRIGGER end_links_of_former_maker AFTER UPDATE OF role, disabled_at ON veraz.app_user FOR EACH ROW WHEN (((new.role <> 'admin'::text) OR (new.disabled_at IS NOT NULL))) EXECUTE FUNCTION veraz.end_links_of_maker();

CREATE TRIGGER end_links_of_maker AFTER DELETE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.end_links_of_maker();

CREATE TRIGGER end_sessions_of_provider AFTER UPDATE OF enabled, issuer ON veraz.identity_provider FOR EACH ROW WHEN (((NOT new.enabled) OR (new.issuer <> old.issuer))) EXECUTE FUNCTION veraz.end_sessions_of_provider();

CREATE TRIGGER examine_change AFTER INSERT ON veraz.agent_change FOR EACH ROW WHEN ((new.status <> 'held'::text)) EXECUTE FUNCTION veraz.examine_change();

CREATE TRIGGER forget_description AFTER DELETE ON veraz.domain_intelligence FOR EACH ROW EXECUTE FUNCTION veraz.forget_description();

CREATE TRIGGER forget_documents AFTER DELETE ON veraz.document REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION veraz.forget_documents();

CREATE TRIGGER forget_files AFTER DELETE ON veraz.document REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION veraz.forget_files();

CREATE TRIGGER forget_files AFTER DELETE ON veraz.document_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION veraz.forget_files();

CREATE TRIGGER forget_users AFTER DELETE ON veraz.app_user REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION veraz.forget_users();

CREATE TRIGGER gather BEFORE DELETE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.gather_user();

CREATE TRIGGER gather BEFORE DELETE ON veraz.document FOR EACH ROW EXECUTE FUNCTION veraz.gather_document();

CREATE TRIGGER keep_previous_secret BEFORE UPDATE OF secret_sealed ON veraz.webhook FOR EACH ROW EXECUTE FUNCTION veraz.keep_previous_secret();

CREATE TRIGGER keep_secrets BEFORE UPDATE ON veraz.whatsapp_number FOR EACH ROW EXECUTE FUNCTION veraz.keep_secrets();

CREATE TRIGGER keep_version AFTER INSERT OR UPDATE ON veraz.agent FOR EACH ROW EXECUTE FUNCTION veraz.keep_agent_version();

CREATE TRIGGER listed_by_the_platform BEFORE INSERT OR UPDATE ON veraz.identity_provider FOR EACH ROW EXECUTE FUNCTION veraz.listed_by_the_platform();

CREATE TRIGGER move_words AFTER UPDATE ON veraz.chunk REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION veraz.move_words();

CREATE TRIGGER no_self_promotion BEFORE INSERT OR UPDATE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.no_self_promotion();

CREATE TRIGGER no_self_promotion BEFORE UPDATE ON veraz.tenant FOR EACH ROW EXECUTE FUNCTION veraz.no_self_promotion();

CREATE TRIGGER note_vectors_changed AFTER UPDATE ON veraz.chunk REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION veraz.note_vectors();

CREATE TRIGGER note_vectors_in AFTER INSERT ON veraz.chunk REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION veraz.note_vectors();

CREATE TRIGGER note_vectors_out AFTER DELETE ON veraz.chunk REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION veraz.note_vectors();

CREATE TRIGGER platform_admins_stay BEFORE DELETE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.platform_admins_stay();

CREATE TRIGGER refuse_closed_machine BEFORE INSERT OR UPDATE OF machine_id ON veraz.document FOR EACH ROW WHEN ((new.machine_id <> 'global'::text)) EXECUTE FUNCTION veraz.refuse_closed_machine();

CREATE TRIGGER secret_stays_with_issuer BEFORE UPDATE ON veraz.identity_provider FOR EACH ROW WHEN ((new.issuer <> old.issuer)) EXECUTE FUNCTION veraz.secret_stays_with_issuer();

CREATE TRIGGER send_delivery AFTER INSERT ON veraz.webhook_delivery FOR EACH ROW WHEN ((new.status = 'pending'::text)) EXECUTE FUNCTION veraz.send_delivery();

CREATE TRIGGER send_delivery_again AFTER UPDATE OF status ON veraz.webhook_delivery FOR EACH ROW WHEN (((new.status = 'pending'::text) AND (old.status <> 'pending'::text))) EXECUTE FUNCTION veraz.send_delivery();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.agent FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.app_user FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.correction FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.document FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.identity_provider FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.knowledge_base FOR EACH ROW WHEN ((NOT (new.last_queried_at IS DISTINCT FROM old.last_queried_at))) EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.licence FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.project FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.tenant FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.webhook FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.whatsapp_number FOR EACH ROW EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER touch BEFORE UPDATE ON veraz.widget FOR EACH ROW WHEN ((NOT (new.used IS DISTINCT FROM old.used))) EXECUTE FUNCTION veraz.touch();

CREATE TRIGGER uncount_words AFTER DELETE ON veraz.chunk REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION veraz.uncount_words();

CREATE TRIGGER wake_workers AFTER INSERT ON veraz.job FOR EACH STATEMENT EXECUTE FUNCTION veraz.wake_workers();

CREATE TRIGGER whatsapp_waits AFTER INSERT ON veraz.whatsapp_message FOR EACH ROW EXECUTE FUNCTION veraz.whatsapp_waits();

ALTER TABLE ONLY veraz.agent_change
    ADD CONSTRAINT agent_change_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES veraz.agent(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.agent_change
    ADD CONSTRAINT agent_change_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.agent
    ADD CONSTRAINT agent_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.agent
    ADD CONSTRAINT agent_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES veraz.project(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.agent_version
    ADD CONSTRAINT agent_version_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES veraz.agent(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.agent_version
    ADD CONSTRAINT agent_version_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.api_key
    ADD CONSTRAINT api_key_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.api_key
    ADD CONSTRAINT api_key_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES veraz.project(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.api_key
    ADD CONSTRAINT api_key_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.app_user
    ADD CONSTRAINT app_user_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.assignment
    ADD CONSTRAINT assignment_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES veraz.agent(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.assignment
    ADD CONSTRAINT assignment_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.assignment
    ADD CONSTRAINT assignment_tenant_id_kb_id_fkey FOREIGN KEY (tenant_id, kb_id) REFERENCES veraz.knowledge_base(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.chunk
    ADD CONSTRAINT chunk_tenant_id_kb_id_document_id_machine_id_fkey FOREIGN KEY (tenant_id, kb_id, document_id, machine_id) REFERENCES veraz.document(tenant_id, kb_id, id, machine_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY veraz.chunk
    ADD CONSTRAINT chunk_tenant_id_kb_id_edition_id_fkey FOREIGN KEY (tenant_id, kb_id, edition_id) REFERENCES veraz.edition(tenant_id, kb_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.chunk
    ADD CONSTRAINT chunk_tenant_id_kb_id_fkey FOREIGN KEY (tenant_id, kb_id) REFERENCES veraz.knowledge_base(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.conversation
    ADD CONSTRAINT conversation_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.conversation
    ADD CONSTRAINT conversation_tenant_id_project_id_agent_id_fkey FOREIGN KEY (tenant_id, project_id, agent_id) REFERENCES veraz.agent(tenant_id, project_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.conversation
    ADD CONSTRAINT conversation_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.correction
    ADD CONSTRAINT correction_tenant_id_kb_id_document_id_machine_id_fkey FOREIGN KEY (tenant_id, kb_id, document_id, machine_id) REFERENCES veraz.document(tenant_id, kb_id, id, machine_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY veraz.credit_balance
    ADD CONSTRAINT credit_balance_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.credit_entry
    ADD CONSTRAINT credit_entry_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.document
    ADD CONSTRAINT document_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.document
    ADD CONSTRAINT document_tenant_id_kb_id_fkey FOREIGN KEY (tenant_id, kb_id) REFERENCES veraz.knowledge_base(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.document
    ADD CONSTRAINT document_tenant_id_superseded_by_fkey FOREIGN KEY (tenant_id, superseded_by) REFERENCES veraz.document(tenant_id, id) ON DELETE SET NULL (superseded_by);

ALTER TABLE ONLY veraz.document_text
    ADD CONSTRAINT document_text_tenant_id_kb_id_document_id_machine_id_fkey FOREIGN KEY (tenant_id, kb_id, document_id, machine_id) REFERENCES veraz.document(tenant_id, kb_id, id, machine_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY veraz.document_version
    ADD CONSTRAINT document_version_tenant_id_kb_id_document_id_machine_id_fkey FOREIGN KEY (tenant_id, kb_id, document_id, machine_id) REFERENCES veraz.document(tenant_id, kb_id, id, machine_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY veraz.domain_intelligence
    ADD CONSTRAINT domain_intelligence_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.domain_intelligence
    ADD CONSTRAINT domain_intelligence_tenant_id_kb_id_fkey FOREIGN KEY (tenant_id, kb_id) REFERENCES veraz.knowledge_base(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.edition
    ADD CONSTRAINT edition_space_id_fkey FOREIGN KEY (space_id) REFERENCES veraz.embedding_space(id);

ALTER TABLE ONLY veraz.edition
    ADD CONSTRAINT edition_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.edition
    ADD CONSTRAINT edition_tenant_id_kb_id_fkey FOREIGN KEY (tenant_id, kb_id) REFERENCES veraz.knowledge_base(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.edition_term
    ADD CONSTRAINT edition_term_tenant_id_edition_id_fkey FOREIGN KEY (tenant_id, edition_id) REFERENCES veraz.edition(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.embedding_cache
    ADD CONSTRAINT embedding_cache_space_id_fkey FOREIGN KEY (space_id) REFERENCES veraz.embedding_space(id);

ALTER TABLE ONLY veraz.embedding_cache
    ADD CONSTRAINT embedding_cache_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES veraz.document(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.embedding_cache
    ADD CONSTRAINT embedding_cache_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.end_user_key
    ADD CONSTRAINT end_user_key_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.end_user_token
    ADD CONSTRAINT end_user_token_tenant_id_key_id_fkey FOREIGN KEY (tenant_id, key_id) REFERENCES veraz.end_user_key(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.event
    ADD CONSTRAINT event_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.exam_question
    ADD CONSTRAINT exam_question_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES veraz.agent(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.exam_question
    ADD CONSTRAINT exam_question_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.exam_run
    ADD CONSTRAINT exam_run_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES veraz.agent(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.exam_run
    ADD CONSTRAINT exam_run_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.feedback
    ADD CONSTRAINT feedback_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.feedback
    ADD CONSTRAINT feedback_tenant_id_message_id_fkey FOREIGN KEY (tenant_id, message_id) REFERENCES veraz.message(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.forgetting_source
    ADD CONSTRAINT forgetting_source_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.forgetting_source
    ADD CONSTRAINT forgetting_source_tenant_id_forgetting_id_fkey FOREIGN KEY (tenant_id, forgetting_id) REFERENCES veraz.forgetting(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.forgetting
    ADD CONSTRAINT forgetting_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.forgotten_span
    ADD CONSTRAINT forgotten_span_tenant_id_kb_id_document_id_machine_id_fkey FOREIGN KEY (tenant_id, kb_id, document_id, machine_id) REFERENCES veraz.document(tenant_id, kb_id, id, machine_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY veraz.identity_link
    ADD CONSTRAINT identity_link_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.identity_link
    ADD CONSTRAINT identity_link_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES veraz.identity_provider(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.identity_link
    ADD CONSTRAINT identity_link_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.identity_provider
    ADD CONSTRAINT identity_provider_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.job_history
    ADD CONSTRAINT job_history_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.job
    ADD CONSTRAINT job_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES veraz.document(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.job
    ADD CONSTRAINT job_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.job
    ADD CONSTRAINT job_tenant_id_kb_id_fkey FOREIGN KEY (tenant_id, kb_id) REFERENCES veraz.knowledge_base(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_tenant_id_id_live_edition_id_fkey FOREIGN KEY (tenant_id, id, live_edition_id) REFERENCES veraz.edition(tenant_id, kb_id, id) ON DELETE SET NULL (live_edition_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_tenant_id_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_tenant_id_project_id_agent_id_fkey FOREIGN KEY (tenant_id, project_id, agent_id) REFERENCES veraz.agent(tenant_id, project_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.knowledge_base
    ADD CONSTRAINT knowledge_base_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES veraz.project(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.licence
    ADD CONSTRAINT licence_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.message
    ADD CONSTRAINT message_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES veraz.conversation(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.message
    ADD CONSTRAINT message_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.password_link
    ADD CONSTRAINT password_link_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.password_link
    ADD CONSTRAINT password_link_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.project_member
    ADD CONSTRAINT project_member_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.project_member
    ADD CONSTRAINT project_member_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES veraz.project(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.project_member
    ADD CONSTRAINT project_member_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.project
    ADD CONSTRAINT project_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.query_log
    ADD CONSTRAINT query_log_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES veraz.agent(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.query_log
    ADD CONSTRAINT query_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.query_trace
    ADD CONSTRAINT query_trace_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES veraz.conversation(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.query_trace
    ADD CONSTRAINT query_trace_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.query_trace
    ADD CONSTRAINT query_trace_tenant_id_query_id_fkey FOREIGN KEY (tenant_id, query_id) REFERENCES veraz.query_log(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.recovery_code
    ADD CONSTRAINT recovery_code_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.recovery_code
    ADD CONSTRAINT recovery_code_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.second_factor
    ADD CONSTRAINT second_factor_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.second_factor
    ADD CONSTRAINT second_factor_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.session
    ADD CONSTRAINT session_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.session
    ADD CONSTRAINT session_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES veraz.identity_provider(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.session
    ADD CONSTRAINT session_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.sign_in_challenge
    ADD CONSTRAINT sign_in_challenge_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.sign_in_challenge
    ADD CONSTRAINT sign_in_challenge_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES veraz.identity_provider(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.sign_in_challenge
    ADD CONSTRAINT sign_in_challenge_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES veraz.app_user(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.tenant
    ADD CONSTRAINT tenant_plan_fkey FOREIGN KEY (plan) REFERENCES veraz.plan(code);

ALTER TABLE ONLY veraz.vector_home
    ADD CONSTRAINT vector_home_space_id_fkey FOREIGN KEY (space_id) REFERENCES veraz.embedding_space(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.webhook_delivery
    ADD CONSTRAINT webhook_delivery_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.webhook_delivery
    ADD CONSTRAINT webhook_delivery_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES veraz.webhook(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.webhook
    ADD CONSTRAINT webhook_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.webhook
    ADD CONSTRAINT webhook_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES veraz.project(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES veraz.conversation(tenant_id, id) ON DELETE SET NULL (conversation_id);

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_contact
    ADD CONSTRAINT whatsapp_contact_tenant_id_project_id_number_id_fkey FOREIGN KEY (tenant_id, project_id, number_id) REFERENCES veraz.whatsapp_number(tenant_id, project_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_message
    ADD CONSTRAINT whatsapp_message_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES veraz.conversation(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_message
    ADD CONSTRAINT whatsapp_message_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_message
    ADD CONSTRAINT whatsapp_message_tenant_id_number_id_contact_id_fkey FOREIGN KEY (tenant_id, number_id, contact_id) REFERENCES veraz.whatsapp_contact(tenant_id, number_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_number
    ADD CONSTRAINT whatsapp_number_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.whatsapp_number
    ADD CONSTRAINT whatsapp_number_tenant_id_project_id_agent_id_fkey FOREIGN KEY (tenant_id, project_id, agent_id) REFERENCES veraz.agent(tenant_id, project_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.widget
    ADD CONSTRAINT widget_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES veraz.tenant(id) ON DELETE CASCADE;

ALTER TABLE ONLY veraz.widget
    ADD CONSTRAINT widget_tenant_id_project_id_agent_id_fkey FOREIGN KEY (tenant_id, project_id, agent_id) REFERENCES veraz.agent(tenant_id, project_id, id) ON DELETE CASCADE;

CREATE POLICY admitted ON veraz.licence TO veraz_ledger USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.agent ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.agent_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.agent_version ENABLE ROW LEVEL SECURITY;

CREATE POLICY announced ON veraz.webhook_delivery FOR INSERT TO veraz_ledger WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY announcing ON veraz.agent FOR SELECT TO veraz_ledger USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY announcing ON veraz.webhook FOR SELECT TO veraz_ledger USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.api_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.app_user ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.assignment ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.audit_entry ENABLE ROW LEVEL SECURITY;

CREATE POLICY begun ON veraz.forgetting TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY begun ON veraz.job AS RESTRICTIVE FOR INSERT TO veraz_app WITH CHECK (((kind = ANY (ARRAY['ingest'::text, 'crawl'::text])) AND ((document_id IS NULL) OR (EXISTS ( SELECT
   FROM veraz.document d
  WHERE ((d.id = job.document_id) AND (d.kb_id = job.kb_id)))))));

CREATE POLICY blanked ON veraz.audit_entry FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY blanked ON veraz.conversation FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY blanked ON veraz.message FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY blanking ON veraz.audit_entry FOR UPDATE TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY blanking ON veraz.conversation FOR UPDATE TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY blanking ON veraz.message FOR UPDATE TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY cached ON veraz.embedding_cache TO veraz_app USING ((document_id IN ( SELECT d.id
   FROM veraz.document d
  WHERE (d.kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)))));

CREATE POLICY changed ON veraz.project FOR UPDATE TO veraz_app USING ((id IN ( SELECT veraz.projects_with('admin'::text) AS projects_with)));

CREATE POLICY changed ON veraz.tenant FOR UPDATE TO veraz_app USING (((id = ( SELECT veraz.current_tenant() AS current_tenant)) AND ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)));

ALTER TABLE veraz.chunk ENABLE ROW LEVEL SECURITY;

CREATE POLICY cleaned ON veraz.job FOR INSERT TO veraz_ledger WITH CHECK (true);

ALTER TABLE veraz.conversation ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.correction ENABLE ROW LEVEL SECURITY;

CREATE POLICY counted ON veraz.agent_version FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY counted ON veraz.edition_term FOR INSERT TO veraz_ledger WITH CHECK (true);

CREATE POLICY created ON veraz.project FOR INSERT TO veraz_app WITH CHECK (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

ALTER TABLE veraz.credit_balance ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.credit_entry ENABLE ROW LEVEL SECURITY;

CREATE POLICY definer ON veraz.agent FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.agent_change FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.agent_version FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.api_key FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.app_user FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.assignment FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.audit_entry FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.chunk FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.conversation FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.correction FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.credit_balance FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.credit_entry FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.document FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.document_text FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.document_version FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.domain_intelligence FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.edition FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.edition_term FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.embedding_cache FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.end_user_key FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.end_user_token FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.event FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.exam_question FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.exam_run FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.feedback FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.forgetting FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.forgetting_source FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.forgotten_span FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.identity_link FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.identity_provider FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.job FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.job_history FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.knowledge_base FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.licence FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.message FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.password_link FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.project FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.project_member FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.query_log FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.query_trace FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.recovery_code FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.second_factor FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.security_event FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.session FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.sign_in_challenge FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.vector_outbox FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.webhook FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.webhook_delivery FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.whatsapp_contact FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.whatsapp_message FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.whatsapp_number FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY definer ON veraz.widget FOR SELECT TO veraz_search USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.document ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.document_text ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.document_version ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.domain_intelligence ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.edition ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.edition_term ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.embedding_cache ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.end_user_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.end_user_token ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.event ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.exam_question ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.exam_run ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.feedback ENABLE ROW LEVEL SECURITY;

CREATE POLICY folded ON veraz.edition_term FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY folding ON veraz.edition_term FOR SELECT TO veraz_ledger USING (true);

ALTER TABLE veraz.forgetting ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.forgetting_source ENABLE ROW LEVEL SECURITY;

CREATE POLICY forgotten ON veraz.edition FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.event FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.job FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.job_history FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.password_link FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.query_log FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.query_trace FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.security_event FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.session FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten ON veraz.webhook_delivery FOR DELETE TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.edition FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.event FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.job FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.job_history FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.password_link FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.query_log FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.query_trace FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.security_event FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.session FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY forgotten_seen ON veraz.webhook_delivery FOR SELECT TO veraz_ledger USING (true);

ALTER TABLE veraz.forgotten_span ENABLE ROW LEVEL SECURITY;

CREATE POLICY founded ON veraz.project FOR INSERT TO veraz_platform WITH CHECK (( SELECT veraz.is_platform_admin() AS is_platform_admin));

CREATE POLICY gathered ON veraz.forgetting_source FOR INSERT TO veraz_ledger WITH CHECK (true);

CREATE POLICY gathering ON veraz.chunk FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY gathering ON veraz.correction FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY gathering ON veraz.document FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY gathering ON veraz.document_text FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY gathering ON veraz.document_version FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY handed_out ON veraz.job FOR UPDATE TO veraz_ledger USING (true) WITH CHECK (true);

ALTER TABLE veraz.identity_link ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.identity_provider ENABLE ROW LEVEL SECURITY;

CREATE POLICY installation ON veraz.security_event FOR SELECT TO veraz_search USING (((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid) AND ( SELECT veraz.is_platform_admin() AS is_platform_admin)));

CREATE POLICY installed ON veraz.tenant FOR SELECT TO veraz_search USING (true);

ALTER TABLE veraz.job ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.job_history ENABLE ROW LEVEL SECURITY;

CREATE POLICY kept ON veraz.agent_version FOR INSERT TO veraz_ledger WITH CHECK (true);

CREATE POLICY kept ON veraz.api_key TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.app_user TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.identity_link TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.password_link TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.recovery_code TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.second_factor TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.session TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY kept ON veraz.sign_in_challenge TO veraz_keeper USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.knowledge_base ENABLE ROW LEVEL SECURITY;

CREATE POLICY known ON veraz.api_key FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.app_user FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.identity_provider FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.password_link FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.project_member FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.recovery_code FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.second_factor FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.session FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.sign_in_challenge FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY known ON veraz.tenant FOR SELECT TO veraz_keeper USING (true);

CREATE POLICY left_behind ON veraz.audit_entry FOR DELETE TO veraz_ledger USING (( SELECT veraz.is_platform_admin() AS is_platform_admin));

CREATE POLICY left_behind ON veraz.tenant FOR DELETE TO veraz_ledger USING (( SELECT veraz.is_platform_admin() AS is_platform_admin));

ALTER TABLE veraz.licence ENABLE ROW LEVEL SECURITY;

CREATE POLICY looked_up ON veraz.app_user FOR SELECT TO veraz_search USING (true);

CREATE POLICY looked_up ON veraz.edition FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY looked_up ON veraz.knowledge_base FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY looked_up ON veraz.tenant FOR SELECT TO veraz_ledger USING (true);

CREATE POLICY looked_up ON veraz.whatsapp_number FOR SELECT TO veraz_search USING (true);

CREATE POLICY looked_up ON veraz.widget FOR SELECT TO veraz_search USING (true);

CREATE POLICY machine ON veraz.chunk AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.conversation AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id IS NULL) OR (machine_id = ( SELECT veraz.current_machine() AS current_machine))));

CREATE POLICY machine ON veraz.correction AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.document AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.document_text AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.document_version AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.edition_term AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.event AS RESTRICTIVE FOR SELECT TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR ((kb_id IS NOT NULL) AND ((document_id IS NULL) OR (EXISTS ( SELECT
   FROM veraz.document d
  WHERE (d.id = event.document_id)))))));

CREATE POLICY machine ON veraz.forgotten_span AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)]))));

CREATE POLICY machine ON veraz.job AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR ((COALESCE((payload ->> 'machine_id'::text), 'global'::text) = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)])) AND ((document_id IS NULL) OR (EXISTS ( SELECT
   FROM veraz.document d
  WHERE (d.id = job.document_id)))))));

CREATE POLICY machine ON veraz.job_history AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR ((COALESCE((payload ->> 'machine_id'::text), 'global'::text) = ANY (ARRAY['global'::text, ( SELECT veraz.current_machine() AS current_machine)])) AND ((document_id IS NULL) OR (EXISTS ( SELECT
   FROM veraz.document d
  WHERE (d.id = job_history.document_id)))))));

CREATE POLICY machine ON veraz.query_log AS RESTRICTIVE TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR (machine_id IS NULL) OR (machine_id = ( SELECT veraz.current_machine() AS current_machine))));

CREATE POLICY machine ON veraz.query_trace AS RESTRICTIVE FOR SELECT TO veraz_app USING ((( SELECT veraz.current_machine() AS current_machine) IS NULL));

CREATE POLICY machine ON veraz.webhook_delivery AS RESTRICTIVE FOR SELECT TO veraz_app USING (((( SELECT veraz.current_machine() AS current_machine) IS NULL) OR ((NOT (data ? 'conversation_id'::text)) AND ((NOT (data ? 'document_id'::text)) OR (EXISTS ( SELECT
   FROM veraz.document d
  WHERE (d.id = ((webhook_delivery.data ->> 'document_id'::text))::uuid)))))));

CREATE POLICY managed ON veraz.agent TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)));

CREATE POLICY managed ON veraz.agent_change TO veraz_app USING ((agent_id IN ( SELECT a.id
   FROM veraz.agent a
  WHERE (a.project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)))));

CREATE POLICY managed ON veraz.assignment TO veraz_app USING (
CASE
    WHEN (owner_id IS NULL) THEN ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)) AND (kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)))
    ELSE ((owner_id = ( SELECT veraz.current_user_id() AS current_user_id)) AND (project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with)))
END);

CREATE POLICY managed ON veraz.chunk TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.conversation TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)));

CREATE POLICY managed ON veraz.correction TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.document TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.document_text TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.document_version TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.domain_intelligence TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.edition TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.edition_term FOR INSERT TO veraz_app WITH CHECK ((edition_id IN ( SELECT e.id
   FROM veraz.edition e
  WHERE (e.kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)))));

CREATE POLICY managed ON veraz.end_user_key TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY managed ON veraz.end_user_token TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY managed ON veraz.exam_question TO veraz_app USING ((agent_id IN ( SELECT a.id
   FROM veraz.agent a
  WHERE (a.project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)))));

CREATE POLICY managed ON veraz.exam_run TO veraz_app USING ((agent_id IN ( SELECT a.id
   FROM veraz.agent a
  WHERE (a.project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)))));

CREATE POLICY managed ON veraz.forgotten_span FOR INSERT TO veraz_app WITH CHECK ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)));

CREATE POLICY managed ON veraz.identity_provider TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY managed ON veraz.job TO veraz_app USING (
CASE
    WHEN (kb_id IS NULL) THEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)
    ELSE (kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with))
END);

CREATE POLICY managed ON veraz.job_history TO veraz_app USING (
CASE
    WHEN (kb_id IS NULL) THEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)
    ELSE (kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with))
END);

CREATE POLICY managed ON veraz.knowledge_base TO veraz_app USING (
CASE
    WHEN (kind = 'personal'::text) THEN ((owner_id = ( SELECT veraz.current_user_id() AS current_user_id)) OR (( SELECT veraz.current_role_name() AS current_role_name) = 'worker'::text))
    WHEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin) THEN true
    WHEN (project_id IS NOT NULL) THEN (project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))
    ELSE ( SELECT veraz.uses_shared_kbs('write'::text) AS uses_shared_kbs)
END);

CREATE POLICY managed ON veraz.licence TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY managed ON veraz.plan TO veraz_platform USING (( SELECT veraz.is_platform_admin() AS is_platform_admin)) WITH CHECK (( SELECT veraz.is_platform_admin() AS is_platform_admin));

CREATE POLICY managed ON veraz.project_member TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('admin'::text) AS projects_with)));

CREATE POLICY managed ON veraz.query_trace FOR SELECT TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)));

CREATE POLICY managed ON veraz.tenant TO veraz_platform USING (( SELECT veraz.is_platform_admin() AS is_platform_admin)) WITH CHECK (( SELECT veraz.is_platform_admin() AS is_platform_admin));

CREATE POLICY managed ON veraz.webhook TO veraz_app USING (
CASE
    WHEN (project_id IS NULL) THEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)
    ELSE (project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))
END);

CREATE POLICY managed ON veraz.webhook_delivery TO veraz_app USING ((webhook_id IN ( SELECT w.id
   FROM veraz.webhook w)));

CREATE POLICY managed ON veraz.whatsapp_contact TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)));

CREATE POLICY managed ON veraz.whatsapp_message TO veraz_app USING ((contact_id IN ( SELECT c.id
   FROM veraz.whatsapp_contact c)));

CREATE POLICY managed ON veraz.whatsapp_number TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)));

CREATE POLICY managed ON veraz.widget TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)));

ALTER TABLE veraz.message ENABLE ROW LEVEL SECURITY;

CREATE POLICY moved ON veraz.credit_balance TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY moved ON veraz.credit_entry TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY moved ON veraz.vector_outbox TO veraz_queue USING (true) WITH CHECK (true);

CREATE POLICY noted ON veraz.knowledge_base FOR UPDATE TO veraz_ledger USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY noted ON veraz.vector_outbox TO veraz_ledger USING (true) WITH CHECK (true);

CREATE POLICY of_a_chunk ON veraz.vector_outbox AS RESTRICTIVE FOR INSERT TO veraz_worker WITH CHECK ((EXISTS ( SELECT
   FROM veraz.chunk c
  WHERE (c.id = vector_outbox.chunk_id))));

CREATE POLICY own ON veraz.conversation TO veraz_app USING ((
CASE
    WHEN (user_id IS NOT NULL) THEN (user_id = ( SELECT veraz.current_user_id() AS current_user_id))
    ELSE ((key_id = ( SELECT veraz.current_key() AS current_key)) AND (( SELECT veraz.current_user_id() AS current_user_id) IS NULL))
END AND (project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with))));

CREATE POLICY own ON veraz.feedback TO veraz_app USING ((EXISTS ( SELECT
   FROM veraz.message m
  WHERE (m.id = feedback.message_id))));

CREATE POLICY own ON veraz.licence FOR SELECT TO veraz_app USING ((machine_id = ( SELECT veraz.current_machine() AS current_machine)));

CREATE POLICY own ON veraz.message TO veraz_app USING ((EXISTS ( SELECT
   FROM veraz.conversation c
  WHERE (c.id = message.conversation_id))));

CREATE POLICY own ON veraz.query_log FOR SELECT TO veraz_app USING ((user_id = ( SELECT veraz.current_user_id() AS current_user_id)));

ALTER TABLE veraz.password_link ENABLE ROW LEVEL SECURITY;

CREATE POLICY personal ON veraz.message AS RESTRICTIVE TO veraz_app USING (((NOT personal) OR (EXISTS ( SELECT
   FROM veraz.conversation c
  WHERE ((c.id = message.conversation_id) AND (c.user_id = ( SELECT veraz.current_user_id() AS current_user_id)))))));

CREATE POLICY personal ON veraz.query_trace AS RESTRICTIVE FOR SELECT TO veraz_app USING (((NOT personal) OR (user_id = ( SELECT veraz.current_user_id() AS current_user_id))));

ALTER TABLE veraz.plan ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.project ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.project_member ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.query_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.query_trace ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.recovery_code ENABLE ROW LEVEL SECURITY;

CREATE POLICY removed ON veraz.project FOR DELETE TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY ruling ON veraz.tenant TO veraz_keeper USING ((id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.second_factor ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.security_event ENABLE ROW LEVEL SECURITY;

CREATE POLICY seen ON veraz.agent FOR SELECT TO veraz_app USING ((project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with)));

CREATE POLICY seen ON veraz.agent_version FOR SELECT TO veraz_app USING ((agent_id IN ( SELECT a.id
   FROM veraz.agent a
  WHERE (a.project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with)))));

CREATE POLICY seen ON veraz.app_user FOR SELECT TO veraz_app USING ((( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (id IN ( SELECT veraz.users_seen() AS users_seen))));

CREATE POLICY seen ON veraz.assignment FOR SELECT TO veraz_app USING (
CASE
    WHEN (owner_id IS NULL) THEN (project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))
    ELSE (owner_id = ( SELECT veraz.current_user_id() AS current_user_id))
END);

CREATE POLICY seen ON veraz.audit_entry FOR SELECT TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY seen ON veraz.chunk FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.correction FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.credit_balance FOR SELECT TO veraz_app USING ((( SELECT veraz.current_tenant() AS current_tenant) IS NOT NULL));

CREATE POLICY seen ON veraz.credit_entry FOR SELECT TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY seen ON veraz.document FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.document_text FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.document_version FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.domain_intelligence FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.edition FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.edition_term FOR SELECT TO veraz_app USING ((edition_id IN ( SELECT e.id
   FROM veraz.edition e)));

CREATE POLICY seen ON veraz.event FOR SELECT TO veraz_app USING (
CASE
    WHEN (kb_id IS NULL) THEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)
    ELSE (kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with))
END);

CREATE POLICY seen ON veraz.forgetting FOR SELECT TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY seen ON veraz.forgotten_span FOR SELECT TO veraz_app USING ((kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with)));

CREATE POLICY seen ON veraz.job FOR SELECT TO veraz_app USING (
CASE
    WHEN (kb_id IS NULL) THEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)
    ELSE (kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with))
END);

CREATE POLICY seen ON veraz.job_history FOR SELECT TO veraz_app USING (
CASE
    WHEN (kb_id IS NULL) THEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin)
    ELSE (kb_id IN ( SELECT veraz.kbs_with('read'::text) AS kbs_with))
END);

CREATE POLICY seen ON veraz.knowledge_base FOR SELECT TO veraz_app USING (
CASE
    WHEN (kind = 'personal'::text) THEN ((owner_id = ( SELECT veraz.current_user_id() AS current_user_id)) OR (( SELECT veraz.current_role_name() AS current_role_name) = 'worker'::text))
    WHEN ( SELECT veraz.is_tenant_admin() AS is_tenant_admin) THEN true
    WHEN (project_id IS NOT NULL) THEN (project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))
    ELSE ( SELECT veraz.uses_shared_kbs('read'::text) AS uses_shared_kbs)
END);

CREATE POLICY seen ON veraz.plan FOR SELECT TO veraz_app, veraz_worker USING ((code = ( SELECT t.plan
   FROM veraz.tenant t
  WHERE (t.id = ( SELECT veraz.current_tenant() AS current_tenant)))));

CREATE POLICY seen ON veraz.project FOR SELECT TO veraz_app USING ((( SELECT veraz.is_tenant_admin() AS is_tenant_admin) OR (id IN ( SELECT veraz.projects_with('member'::text) AS projects_with))));

CREATE POLICY seen ON veraz.project_member FOR SELECT TO veraz_app USING (((user_id = ( SELECT veraz.current_user_id() AS current_user_id)) OR (project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))));

CREATE POLICY seen ON veraz.query_log FOR SELECT TO veraz_app USING (
CASE
    WHEN (project_id IS NOT NULL) THEN (project_id IN ( SELECT veraz.projects_with('manager'::text) AS projects_with))
    ELSE (kb_ids <@ ARRAY( SELECT veraz.kbs_with('read'::text) AS kbs_with))
END);

CREATE POLICY seen ON veraz.security_event FOR SELECT TO veraz_app USING (( SELECT veraz.is_tenant_admin() AS is_tenant_admin));

CREATE POLICY seen ON veraz.tenant FOR SELECT TO veraz_app, veraz_worker USING ((id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.session ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.sign_in_challenge ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.tenant ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.vector_outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY waking ON veraz.whatsapp_contact TO veraz_ledger USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY waking ON veraz.whatsapp_message FOR SELECT TO veraz_ledger USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.agent AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.agent_change AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.agent_version AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.api_key AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.app_user AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.assignment AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.audit_entry AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.chunk AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.conversation AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.correction AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.credit_balance AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.credit_entry AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.document AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.document_text AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.document_version AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.domain_intelligence AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.edition AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.edition_term AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.embedding_cache AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.end_user_key AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.end_user_token AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.event AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.exam_question AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.exam_run AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.feedback AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.forgetting AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.forgetting_source AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.forgotten_span AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.identity_link AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.identity_provider AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.job AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.job_history AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.knowledge_base AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.licence AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.message AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.password_link AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.project AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.project_member AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.query_log AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.query_trace AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.recovery_code AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.second_factor AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.security_event AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.session AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.sign_in_challenge AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.vector_outbox AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.webhook AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.webhook_delivery AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.whatsapp_contact AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.whatsapp_message AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.whatsapp_number AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

CREATE POLICY wall ON veraz.widget AS RESTRICTIVE TO veraz_app, veraz_worker, veraz_platform USING ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT veraz.current_tenant() AS current_tenant)));

ALTER TABLE veraz.webhook ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.webhook_delivery ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.whatsapp_contact ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.whatsapp_message ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.whatsapp_number ENABLE ROW LEVEL SECURITY;

ALTER TABLE veraz.widget ENABLE ROW LEVEL SECURITY;

CREATE POLICY working ON veraz.agent TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.agent_change TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.agent_version TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.api_key TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.app_user TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.assignment TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.audit_entry TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.chunk TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.conversation TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.correction TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.credit_balance TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.credit_entry TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.document TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.document_text TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.document_version TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.domain_intelligence TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.edition TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.edition_term TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.embedding_cache TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.end_user_key TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.end_user_token TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.event TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.exam_question TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.exam_run TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.feedback TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.forgetting TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.forgetting_source TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.forgotten_span TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.identity_link TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.identity_provider TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.job TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.job_history TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.knowledge_base TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.licence TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.message TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.password_link TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.project TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.project_member TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.query_log TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.query_trace TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.recovery_code TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.second_factor TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.security_event TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.session TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.sign_in_challenge TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.vector_outbox TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.webhook TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.webhook_delivery TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.whatsapp_contact TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.whatsapp_message TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.whatsapp_number TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY working ON veraz.widget TO veraz_worker USING (true) WITH CHECK (true);

CREATE POLICY written ON veraz.audit_entry FOR INSERT TO veraz_ledger WITH CHECK (true);

CREATE POLICY written ON veraz.event FOR INSERT TO veraz_app WITH CHECK (
CASE
    WHEN (kb_id IS NULL) THEN ((document_id IS NULL) AND (EXISTS ( SELECT
       FROM veraz.conversation c
      WHERE ((c.id = ((event.payload ->> 'conversation_id'::text))::uuid) AND (c.agent_id = ((event.payload ->> 'agent_id'::text))::uuid)))))
    ELSE ((kb_id IN ( SELECT veraz.kbs_with('write'::text) AS kbs_with)) AND ((document_id IS NULL) OR (EXISTS ( SELECT
       FROM veraz.document d
      WHERE ((d.id = event.document_id) AND (d.kb_id = event.kb_id))))))
END);

CREATE POLICY written ON veraz.query_log FOR INSERT TO veraz_app WITH CHECK (((NOT (user_id IS DISTINCT FROM ( SELECT veraz.current_user_id() AS current_user_id))) AND ((project_id IS NULL) OR (project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with)))));

CREATE POLICY written ON veraz.query_trace FOR INSERT TO veraz_app WITH CHECK (((NOT (user_id IS DISTINCT FROM ( SELECT veraz.current_user_id() AS current_user_id))) AND (project_id IN ( SELECT veraz.projects_with('member'::text) AS projects_with))));

CREATE POLICY written ON veraz.security_event FOR INSERT TO veraz_ledger WITH CHECK (true);

GRANT USAGE ON SCHEMA ai_agents TO veraz_app;
GRANT USAGE ON SCHEMA ai_agents TO veraz_worker;

GRANT USAGE ON SCHEMA veraz TO veraz_app;
GRANT USAGE ON SCHEMA veraz TO veraz_worker;
GRANT USAGE ON SCHEMA veraz TO veraz_signin;
GRANT USAGE ON SCHEMA veraz TO veraz_platform;
GRANT USAGE ON SCHEMA veraz TO veraz_queue;
GRANT ALL ON SCHEMA veraz TO veraz_search;
GRANT ALL ON SCHEMA veraz TO veraz_ledger;
GRANT ALL ON SCHEMA veraz TO veraz_gate;
GRANT ALL ON SCHEMA veraz TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.scope() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_search;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_app;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_queue;
GRANT ALL ON FUNCTION veraz.scope() TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.current_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_search;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_app;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_queue;
GRANT ALL ON FUNCTION veraz.current_tenant() TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.nearest(p_agent_id uuid, p_kb_ids uuid[], p_unassigned boolean, p_vector public.vector, p_limit integer, p_filters jsonb, p_machine text) TO veraz_worker;

REVOKE ALL ON FUNCTION ai_agents.search_knowledge_base(p_tenant_id uuid, p_kb_ids uuid[], p_query_embedding public.vector, p_top_k integer, p_similarity_threshold numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION ai_agents.search_knowledge_base(p_tenant_id uuid, p_kb_ids uuid[], p_query_embedding public.vector, p_top_k integer, p_similarity_threshold numeric) TO veraz_app;
GRANT ALL ON FUNCTION ai_agents.search_knowledge_base(p_tenant_id uuid, p_kb_ids uuid[], p_query_embedding public.vector, p_top_k integer, p_similarity_threshold numeric) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.job_backoff(p_attempt integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.job_backoff(p_attempt integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.job_backoff(p_attempt integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.job_backoff(p_attempt integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.job_backoff(p_attempt integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.job_backoff(p_attempt integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.job_backoff(p_attempt integer) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.job TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.job TO veraz_worker;
GRANT SELECT ON TABLE veraz.job TO veraz_search;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.job TO veraz_ledger;

GRANT UPDATE(stage) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(stage) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(bulk) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(bulk) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(payload) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(attempt) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(attempt) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(max_attempts) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(max_attempts) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(claims) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(claims) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(lost) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(lost) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(run_after) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(run_after) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(lease_until) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(lease_until) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(worker) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(worker) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(progress_percent) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(progress_percent) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(error_code) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(error_code) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(error_message) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(error_message) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(started_at) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(started_at) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(finished_at) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(finished_at) ON TABLE veraz.job TO veraz_worker;

GRANT UPDATE(stages) ON TABLE veraz.job TO veraz_app;
GRANT UPDATE(stages) ON TABLE veraz.job TO veraz_worker;

REVOKE ALL ON FUNCTION public.mark_job_retry(job_id uuid, err text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.mark_job_retry(job_id uuid, err text) TO veraz_app;
GRANT ALL ON FUNCTION public.mark_job_retry(job_id uuid, err text) TO veraz_worker;

REVOKE ALL ON FUNCTION public.match_documents(query_embedding public.vector, match_threshold double precision, match_count integer, filter_machine_id text, filter jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.match_documents(query_embedding public.vector, match_threshold double precision, match_count integer, filter_machine_id text, filter jsonb) TO veraz_app;
GRANT ALL ON FUNCTION public.match_documents(query_embedding public.vector, match_threshold double precision, match_count integer, filter_machine_id text, filter jsonb) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.job_history TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.job_history TO veraz_worker;
GRANT SELECT ON TABLE veraz.job_history TO veraz_search;
GRANT SELECT,DELETE ON TABLE veraz.job_history TO veraz_ledger;

GRANT UPDATE(kind) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(kind) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(stage) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(stage) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(bulk) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(bulk) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(payload) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(payload) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(attempt) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(attempt) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(max_attempts) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(max_attempts) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(claims) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(claims) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(lost) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(lost) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(run_after) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(run_after) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(lease_until) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(lease_until) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(worker) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(worker) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(progress_percent) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(progress_percent) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(error_code) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(error_code) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(error_message) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(error_message) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(started_at) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(started_at) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(finished_at) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(finished_at) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(archived_at) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(archived_at) ON TABLE veraz.job_history TO veraz_worker;

GRANT UPDATE(stages) ON TABLE veraz.job_history TO veraz_app;
GRANT UPDATE(stages) ON TABLE veraz.job_history TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.purge_done_jobs(p_kb_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION public.purge_completed_jobs(target_rag_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.purge_completed_jobs(target_rag_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION public.purge_completed_jobs(target_rag_id uuid) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.agent TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.agent TO veraz_worker;
GRANT SELECT ON TABLE veraz.agent TO veraz_search;
GRANT SELECT ON TABLE veraz.agent TO veraz_ledger;

GRANT UPDATE(name) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(name) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(company_name) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(company_name) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(description) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(description) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(system_prompt) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(system_prompt) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(answer_style) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(answer_style) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(model) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(model) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(fallback_model) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(fallback_model) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(allows_personal_corpus) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(allows_personal_corpus) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(language) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(language) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(fallback_message) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(fallback_message) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(handoff_on_refusal) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(handoff_on_refusal) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(retrieval) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(retrieval) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(updated_at) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(updated_at) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(exam_blocks) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(exam_blocks) ON TABLE veraz.agent TO veraz_worker;

GRANT UPDATE(judge_model) ON TABLE veraz.agent TO veraz_app;
GRANT UPDATE(judge_model) ON TABLE veraz.agent TO veraz_worker;

REVOKE ALL ON FUNCTION public.search_agent_knowledge(p_agent_id uuid, p_project_id uuid, p_query_embedding public.vector, p_match_count integer, p_match_threshold double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_agent_knowledge(p_agent_id uuid, p_project_id uuid, p_query_embedding public.vector, p_match_count integer, p_match_threshold double precision) TO veraz_app;
GRANT ALL ON FUNCTION public.search_agent_knowledge(p_agent_id uuid, p_project_id uuid, p_query_embedding public.vector, p_match_count integer, p_match_threshold double precision) TO veraz_worker;

REVOKE ALL ON FUNCTION public.search_rag_hybrid(query_text text, query_embedding public.vector, target_rag_id uuid, match_count integer, rrf_k integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_rag_hybrid(query_text text, query_embedding public.vector, target_rag_id uuid, match_count integer, rrf_k integer) TO veraz_app;
GRANT ALL ON FUNCTION public.search_rag_hybrid(query_text text, query_embedding public.vector, target_rag_id uuid, match_count integer, rrf_k integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.level_at_least(held text, wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.level_at_least(held text, wanted text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.level_at_least(held text, wanted text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.level_at_least(held text, wanted text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.level_at_least(held text, wanted text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.level_at_least(held text, wanted text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.level_at_least(held text, wanted text) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.project TO veraz_app;
GRANT SELECT ON TABLE veraz.project TO veraz_worker;
GRANT SELECT ON TABLE veraz.project TO veraz_search;
GRANT INSERT ON TABLE veraz.project TO veraz_platform;

GRANT UPDATE(name) ON TABLE veraz.project TO veraz_app;

GRANT UPDATE(description) ON TABLE veraz.project TO veraz_app;

GRANT UPDATE(created_at) ON TABLE veraz.project TO veraz_app;

GRANT UPDATE(updated_at) ON TABLE veraz.project TO veraz_app;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.project_member TO veraz_app;
GRANT SELECT ON TABLE veraz.project_member TO veraz_worker;
GRANT SELECT ON TABLE veraz.project_member TO veraz_search;
GRANT SELECT ON TABLE veraz.project_member TO veraz_keeper;

GRANT UPDATE(role) ON TABLE veraz.project_member TO veraz_app;

GRANT UPDATE(created_at) ON TABLE veraz.project_member TO veraz_app;

REVOKE ALL ON FUNCTION veraz.projects_with(p_level text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.projects_with(p_level text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.projects_with(p_level text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.projects_with(p_level text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.projects_with(p_level text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.projects_with(p_level text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.uses_shared_kbs(p_right text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.uses_shared_kbs(p_right text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.uses_shared_kbs(p_right text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.uses_shared_kbs(p_right text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.uses_shared_kbs(p_right text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.uses_shared_kbs(p_right text) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.knowledge_base TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.knowledge_base TO veraz_worker;
GRANT SELECT ON TABLE veraz.knowledge_base TO veraz_search;
GRANT SELECT ON TABLE veraz.knowledge_base TO veraz_ledger;

GRANT UPDATE(kind) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(kind) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(name) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(name) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(description) ON TABLE veraz.knowledge_base TO veraz_ledger;
GRANT UPDATE(description) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(description) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(language) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(language) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(live_edition_id) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(live_edition_id) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(updated_at) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(updated_at) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(last_queried_at) ON TABLE veraz.knowledge_base TO veraz_ledger;
GRANT UPDATE(last_queried_at) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(last_queried_at) ON TABLE veraz.knowledge_base TO veraz_worker;

GRANT UPDATE(described_by_domain) ON TABLE veraz.knowledge_base TO veraz_ledger;
GRANT UPDATE(described_by_domain) ON TABLE veraz.knowledge_base TO veraz_app;
GRANT UPDATE(described_by_domain) ON TABLE veraz.knowledge_base TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.kbs_with(p_right text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.kbs_with(p_right text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.kbs_with(p_right text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.kbs_with(p_right text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.kbs_with(p_right text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.kbs_with(p_right text) TO veraz_worker;

REVOKE ALL ON FUNCTION public.user_owns_rag_project(target_rag_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.user_owns_rag_project(target_rag_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION public.user_owns_rag_project(target_rag_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.add_key(p_id uuid, p_name text, p_prefix text, p_hash bytea, p_scopes text[], p_project_id uuid, p_personal boolean, p_expires timestamp with time zone, p_ends_with_password boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.add_key(p_id uuid, p_name text, p_prefix text, p_hash bytea, p_scopes text[], p_project_id uuid, p_personal boolean, p_expires timestamp with time zone, p_ends_with_password boolean) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.add_password_link(p_id uuid, p_user_id uuid, p_hash bytea, p_expires timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.add_password_link(p_id uuid, p_user_id uuid, p_hash bytea, p_expires timestamp with time zone) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.add_person(p_id uuid, p_email text, p_display_name text, p_role text, p_language text, p_password_hash text, p_must_change boolean, p_platform boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.add_person(p_id uuid, p_email text, p_display_name text, p_role text, p_language text, p_password_hash text, p_must_change boolean, p_platform boolean) TO veraz_platform;
GRANT ALL ON FUNCTION veraz.add_person(p_id uuid, p_email text, p_display_name text, p_role text, p_language text, p_password_hash text, p_must_change boolean, p_platform boolean) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.admit_machine(p_machine_id text, p_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.agent_if_there(p_agent_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.agent_if_there(p_agent_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.agent_if_there(p_agent_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.agent_if_there(p_agent_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.agent_if_there(p_agent_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.agent_if_there(p_agent_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.announce() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.announce() TO veraz_search;
GRANT ALL ON FUNCTION veraz.announce() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.announce() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) TO veraz_search;
GRANT ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) TO veraz_app;
GRANT ALL ON FUNCTION veraz.as_caller(p_caller jsonb, p_value anyelement) TO veraz_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.api_key TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.as_known_key(k veraz.api_key) FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.app_user TO veraz_keeper;

GRANT SELECT(id) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(id) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(id) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(tenant_id) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(tenant_id) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(tenant_id) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(email) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(email) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(email) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(external_id) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(external_id) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(external_id) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(display_name) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(display_name) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(display_name) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(role) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(role) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(role) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(language) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(language) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(language) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(disabled_at) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(disabled_at) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(disabled_at) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(last_login_at) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(last_login_at) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(last_login_at) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(created_at) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(created_at) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(created_at) ON TABLE veraz.app_user TO veraz_search;

GRANT SELECT(updated_at) ON TABLE veraz.app_user TO veraz_app;
GRANT SELECT(updated_at) ON TABLE veraz.app_user TO veraz_worker;
GRANT SELECT(updated_at) ON TABLE veraz.app_user TO veraz_search;

REVOKE ALL ON FUNCTION veraz.as_person(u veraz.app_user) FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.current_user_id() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_search;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_app;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.current_user_id() TO veraz_platform;

GRANT SELECT ON TABLE veraz.tenant TO veraz_app;
GRANT SELECT ON TABLE veraz.tenant TO veraz_worker;
GRANT SELECT ON TABLE veraz.tenant TO veraz_search;
GRANT SELECT,DELETE ON TABLE veraz.tenant TO veraz_ledger;
GRANT SELECT,INSERT,UPDATE ON TABLE veraz.tenant TO veraz_platform;
GRANT SELECT ON TABLE veraz.tenant TO veraz_keeper;

GRANT UPDATE(name) ON TABLE veraz.tenant TO veraz_app;

GRANT UPDATE(links_open) ON TABLE veraz.tenant TO veraz_app;

GRANT UPDATE(second_factor) ON TABLE veraz.tenant TO veraz_keeper;

GRANT UPDATE(unknown_machines) ON TABLE veraz.tenant TO veraz_app;

GRANT UPDATE(signed_end_users) ON TABLE veraz.tenant TO veraz_app;

REVOKE ALL ON FUNCTION veraz.owes_factor(p_tenant_id uuid, p_user_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.asked_for_factor() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.asked_for_factor() TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.assignment_rules() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.assignment_rules() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.assignment_rules() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.assignment_rules() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.audit() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.audit() TO veraz_search;
GRANT ALL ON FUNCTION veraz.audit() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.audit() TO veraz_keeper;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.sign_in_challenge TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.begin_challenge(p_hash bytea, p_needs text, p_provider_id uuid, p_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.begin_challenge(p_hash bytea, p_needs text, p_provider_id uuid, p_seconds integer) TO veraz_signin;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.second_factor TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.begin_factor(p_sealed bytea, p_by bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.begin_factor(p_sealed bytea, p_by bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.begin_forgetting(p_kind text, p_subjects text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.belongs_forever() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.belongs_forever() TO veraz_search;
GRANT ALL ON FUNCTION veraz.belongs_forever() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.belongs_forever() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.belongs_forever() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.best_worded_chunks(p_weights public.sparsevec, p_rarest tsquery, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.blank_repeats(p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts integer[], p_ends integer[], p_chunk_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.blank_repeats(p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts integer[], p_ends integer[], p_chunk_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.blank_repeats(p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts integer[], p_ends integer[], p_chunk_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.blank_repeats(p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts integer[], p_ends integer[], p_chunk_id uuid) TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.book_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.book_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.book_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.book_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.challenge_by_hash(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.challenge_by_hash(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.change_person(p_id uuid, p_display_name text, p_role text, p_language text, p_disabled boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.change_person(p_id uuid, p_display_name text, p_role text, p_language text, p_disabled boolean) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.chunk_number(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.chunk_number(p_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.chunk_number(p_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.chunk_number(p_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.chunk_number(p_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.chunk_number(p_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.chunk_number(p_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.chunks_beside(p_agent_id uuid, p_chunk_ids uuid[], p_reach integer) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.document TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.document TO veraz_worker;
GRANT SELECT ON TABLE veraz.document TO veraz_search;
GRANT SELECT ON TABLE veraz.document TO veraz_ledger;

GRANT UPDATE(name) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(name) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(origin) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(origin) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(source_url) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(source_url) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(file_type) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(file_type) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(size_bytes) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(size_bytes) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(storage_key) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(content_hash) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(content_hash) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(stage) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(stage) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(progress_percent) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(progress_percent) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(error_code) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(error_code) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(error_message) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(error_message) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(indexed_at) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(indexed_at) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(processing_started_at) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(processing_started_at) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(processing_completed_at) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(processing_completed_at) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(chunks_count) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(chunks_count) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(pages_count) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(pages_count) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(tokens_used) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(tokens_used) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(word_count) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(word_count) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(title) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(title) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(author) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(author) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(created_date) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(created_date) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(language) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(language) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(metadata) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(metadata) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(tier) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(tier) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(authority_score) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(authority_score) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(evidence_level) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(evidence_level) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(institution) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(institution) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(peer_reviewed) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(peer_reviewed) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(updated_at) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(updated_at) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(version) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(version) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(superseded_by) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(superseded_by) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(edition_stem) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(edition_stem) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(replaces) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(replaces) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(sketch) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(sketch) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(sketch_bands) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(sketch_bands) ON TABLE veraz.document TO veraz_worker;

GRANT UPDATE(by_hand) ON TABLE veraz.document TO veraz_app;
GRANT UPDATE(by_hand) ON TABLE veraz.document TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.edition TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.edition TO veraz_worker;
GRANT SELECT ON TABLE veraz.edition TO veraz_search;
GRANT SELECT,DELETE ON TABLE veraz.edition TO veraz_ledger;

GRANT UPDATE(chunking) ON TABLE veraz.edition TO veraz_app;
GRANT UPDATE(chunking) ON TABLE veraz.edition TO veraz_worker;

GRANT UPDATE(embedding) ON TABLE veraz.edition TO veraz_app;
GRANT UPDATE(embedding) ON TABLE veraz.edition TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.edition TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.edition TO veraz_worker;

GRANT UPDATE(calibration) ON TABLE veraz.edition TO veraz_app;
GRANT UPDATE(calibration) ON TABLE veraz.edition TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.edition TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.edition TO veraz_worker;

GRANT UPDATE(switched_at) ON TABLE veraz.edition TO veraz_app;
GRANT UPDATE(switched_at) ON TABLE veraz.edition TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.edition_term TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.edition_term TO veraz_worker;
GRANT SELECT ON TABLE veraz.edition_term TO veraz_search;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.edition_term TO veraz_ledger;

GRANT UPDATE(term) ON TABLE veraz.edition_term TO veraz_app;
GRANT UPDATE(term) ON TABLE veraz.edition_term TO veraz_worker;

GRANT UPDATE(count) ON TABLE veraz.edition_term TO veraz_app;
GRANT UPDATE(count) ON TABLE veraz.edition_term TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.chunks_in(p_edition_id bigint, p_documents uuid[], p_machine text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean) TO veraz_search;
GRANT ALL ON FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.claim_jobs(p_worker text, p_kinds text[], p_limit integer, p_lease interval, p_newcomers boolean) TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.is_tenant_admin() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.is_tenant_admin() TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.colleague_by_email(p_email text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.colleague_by_email(p_email text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.colleague_by_email(p_email text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.colleague_by_email(p_email text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.colleague_by_email(p_email text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.colleague_by_email(p_email text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.confirm_factor(p_step bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.confirm_factor(p_step bigint) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.current_machine() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.current_machine() TO veraz_search;
GRANT ALL ON FUNCTION veraz.current_machine() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.current_machine() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.current_machine() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.current_machine() TO veraz_app;
GRANT ALL ON FUNCTION veraz.current_machine() TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.assignment TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.assignment TO veraz_worker;
GRANT SELECT ON TABLE veraz.assignment TO veraz_search;

GRANT UPDATE(priority) ON TABLE veraz.assignment TO veraz_app;
GRANT UPDATE(priority) ON TABLE veraz.assignment TO veraz_worker;

GRANT UPDATE(search_weight) ON TABLE veraz.assignment TO veraz_app;
GRANT UPDATE(search_weight) ON TABLE veraz.assignment TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.assignment TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.assignment TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.read_by_agents() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.read_by_agents() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.read_by_agents() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.read_by_agents() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.read_by_agents() TO veraz_app;
GRANT ALL ON FUNCTION veraz.read_by_agents() TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.listable_kb(p_kb_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.listable_kb(p_kb_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.listable_kb(p_kb_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.listable_kb(p_kb_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.listable_kb(p_kb_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.listable_kb(p_kb_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.current_key() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.current_key() TO veraz_search;
GRANT ALL ON FUNCTION veraz.current_key() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.current_key() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.current_key() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.current_key() TO veraz_app;
GRANT ALL ON FUNCTION veraz.current_key() TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.current_role_name() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_search;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_app;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.current_role_name() TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.describe_by_hand() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.describe_by_hand() TO veraz_search;
GRANT ALL ON FUNCTION veraz.describe_by_hand() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.describe_by_hand() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.describe_by_hand() TO veraz_keeper;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.session TO veraz_keeper;
GRANT DELETE ON TABLE veraz.session TO veraz_ledger;

GRANT SELECT(expires_at) ON TABLE veraz.session TO veraz_ledger;

REVOKE ALL ON FUNCTION veraz.describe_session(p_token_hash bytea, p_second_factor boolean, p_provider_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.describe_session(p_token_hash bytea, p_second_factor boolean, p_provider_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.documents_of(p_evidence jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.need_feature(p_feature text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.need_feature(p_feature text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.need_feature(p_feature text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.need_feature(p_feature text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.need_feature(p_feature text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.need_feature(p_feature text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.reading_set(p_agent_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.reading_set(p_agent_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.reading_set(p_agent_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.reading_set(p_agent_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.reading_set(p_agent_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.reading_set(p_agent_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.search_set(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.editions_in(p_agent_id uuid, p_kb_ids uuid[], p_language text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.end_challenge(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.end_challenge(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.end_links_of_maker() FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.end_own_sessions(p_id uuid, p_keep uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.end_own_sessions(p_id uuid, p_keep uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.end_sessions_of_provider() FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.end_user(p_id uuid, p_external_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.end_user(p_id uuid, p_external_id text) TO veraz_app;

REVOKE ALL ON FUNCTION veraz.end_ways_in(p_user_id uuid, p_keep uuid, p_every_key boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.engine_plan(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.every_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.every_tenant() TO veraz_search;
GRANT ALL ON FUNCTION veraz.every_tenant() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.every_tenant() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.every_tenant() TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.examine_change() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.examine_change() TO veraz_search;
GRANT ALL ON FUNCTION veraz.examine_change() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.examine_change() TO veraz_keeper;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.recovery_code TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.factor_of(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.factor_of(p_user_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.filtered_documents(p_editions bigint[], p_filters jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.first_chunks(p_agent_id uuid, p_documents integer, p_chunks integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.fold_terms(p_increments bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.fold_terms(p_increments bigint) TO veraz_search;
GRANT ALL ON FUNCTION veraz.fold_terms(p_increments bigint) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.fold_terms(p_increments bigint) TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.forget_description() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_description() TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_description() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_description() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.forget_documents() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_documents() TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_documents() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_documents() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.forget_files() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_files() TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_files() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_files() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.forget_links(p_provider_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_links(p_provider_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_old(p_queries integer, p_traces integer, p_editions integer, p_events integer, p_jobs integer) TO veraz_queue;

GRANT SELECT,INSERT ON TABLE veraz.query_log TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.query_log TO veraz_worker;
GRANT SELECT ON TABLE veraz.query_log TO veraz_search;
GRANT SELECT,DELETE ON TABLE veraz.query_log TO veraz_ledger;

GRANT UPDATE(kind) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(user_id) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(question) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(rewrites) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(stages) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(latency_ms) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(chunks_searched) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(chunks_retrieved) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(reranked_count) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(scores) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(best_relevance) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(refused) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(channel) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(turn) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(origin) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(outcome) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(model) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(input_tokens) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(output_tokens) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(cost_usd) ON TABLE veraz.query_log TO veraz_worker;

GRANT UPDATE(credits) ON TABLE veraz.query_log TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.forget_queries(p_days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_queries(p_days integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_queries(p_days integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.forget_queries(p_days integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_queries(p_days integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_queries(p_days integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.forget_queries(p_days integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.forget_rates() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_rates() TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_rates() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_rates() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_rates() TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.forget_security_events(p_days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_security_events(p_days integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_security_events(p_days integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_security_events(p_days integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_security_events(p_days integer) TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.forget_tenant(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_tenant(p_tenant_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_tenant(p_tenant_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_tenant(p_tenant_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forget_tenant(p_tenant_id uuid) TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.forget_users() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forget_users() TO veraz_search;
GRANT ALL ON FUNCTION veraz.forget_users() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forget_users() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.forgotten_mark(p_kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.forgotten_mark(p_kind text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.forgotten_mark(p_kind text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.forgotten_mark(p_kind text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.forgotten_mark(p_kind text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.forgotten_mark(p_kind text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.forgotten_mark(p_kind text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.gather_document() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.gather_document() TO veraz_search;
GRANT ALL ON FUNCTION veraz.gather_document() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.gather_document() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.gather_user() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.gather_user() TO veraz_search;
GRANT ALL ON FUNCTION veraz.gather_user() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.gather_user() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.gone_tenants(p_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.gone_tenants(p_ids text[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.gone_tenants(p_ids text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.gone_tenants(p_ids text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.gone_tenants(p_ids text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) TO veraz_search;
GRANT ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) TO veraz_app;
GRANT ALL ON FUNCTION veraz.has_lost_worker(j veraz.job, p_lease interval) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.hold_chunk_writers() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.hold_chunk_writers() TO veraz_search;
GRANT ALL ON FUNCTION veraz.hold_chunk_writers() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.hold_chunk_writers() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.hold_chunk_writers() TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) TO veraz_search;
GRANT ALL ON FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.hopeless_jobs(p_lost_per_attempt integer, p_lease interval) TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.is_platform_admin() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.is_platform_admin() TO veraz_platform;

GRANT SELECT ON TABLE veraz.security_event TO veraz_app;
GRANT SELECT ON TABLE veraz.security_event TO veraz_search;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.security_event TO veraz_ledger;

REVOKE ALL ON FUNCTION veraz.installation_events() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.installation_events() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.installation_events() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.installation_events() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.installation_events() TO veraz_platform;

GRANT SELECT ON TABLE veraz.forgetting TO veraz_app;
GRANT SELECT ON TABLE veraz.forgetting TO veraz_worker;
GRANT SELECT ON TABLE veraz.forgetting TO veraz_search;
GRANT SELECT,INSERT,UPDATE ON TABLE veraz.forgetting TO veraz_ledger;

GRANT UPDATE(status) ON TABLE veraz.forgetting TO veraz_worker;

GRANT UPDATE(removed) ON TABLE veraz.forgetting TO veraz_worker;

GRANT UPDATE(finished_at) ON TABLE veraz.forgetting TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_forgetting(p_forgetting_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_forgetting(p_forgetting_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_forgetting(p_forgetting_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_forgetting(p_forgetting_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_forgetting(p_forgetting_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_forgetting(p_forgetting_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_installed() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_signin;
GRANT ALL ON FUNCTION veraz.is_installed() TO veraz_platform;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.conversation TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.conversation TO veraz_worker;
GRANT SELECT ON TABLE veraz.conversation TO veraz_search;
GRANT SELECT ON TABLE veraz.conversation TO veraz_ledger;

GRANT UPDATE(channel) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(channel) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(title) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(title) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(handoff_mode) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(handoff_mode) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(updated_at) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(updated_at) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(handoff_at) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(handoff_at) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(seen_at) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(seen_at) ON TABLE veraz.conversation TO veraz_worker;

GRANT UPDATE(forgotten_at) ON TABLE veraz.conversation TO veraz_ledger;
GRANT UPDATE(forgotten_at) ON TABLE veraz.conversation TO veraz_app;
GRANT UPDATE(forgotten_at) ON TABLE veraz.conversation TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_mine(c veraz.conversation) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_mine(c veraz.conversation) TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_mine(c veraz.conversation) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_mine(c veraz.conversation) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_mine(c veraz.conversation) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_mine(c veraz.conversation) TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_mine(c veraz.conversation) TO veraz_worker;

GRANT INSERT,DELETE ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT ON TABLE veraz.whatsapp_number TO veraz_search;

GRANT SELECT(id) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(id) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(tenant_id) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(tenant_id) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(project_id) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(project_id) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(agent_id),UPDATE(agent_id) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(agent_id),UPDATE(agent_id) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(name),UPDATE(name) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(name),UPDATE(name) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(phone_number_id) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(phone_number_id) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(answered_by),UPDATE(answered_by) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(answered_by),UPDATE(answered_by) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(active),UPDATE(active) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(active),UPDATE(active) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(access_token_sealed),UPDATE(access_token_sealed) ON TABLE veraz.whatsapp_number TO veraz_worker;
GRANT UPDATE(access_token_sealed) ON TABLE veraz.whatsapp_number TO veraz_app;

GRANT UPDATE(app_secret_sealed) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT UPDATE(app_secret_sealed) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT UPDATE(token_hash) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT UPDATE(token_hash) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(secrets_changed_at),UPDATE(secrets_changed_at) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(secrets_changed_at),UPDATE(secrets_changed_at) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(error_code),UPDATE(error_code) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(error_code),UPDATE(error_code) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(error_text),UPDATE(error_text) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(error_text),UPDATE(error_text) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(error_at),UPDATE(error_at) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(error_at),UPDATE(error_at) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(created_by) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(created_by) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(created_at),UPDATE(created_at) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(created_at),UPDATE(created_at) ON TABLE veraz.whatsapp_number TO veraz_worker;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE veraz.whatsapp_number TO veraz_app;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE veraz.whatsapp_number TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_passed_on(c veraz.conversation) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_personal(p_table text, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_personal(p_table text, p_row jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_personal(p_table text, p_row jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_personal(p_table text, p_row jsonb) TO veraz_keeper;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.message TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.message TO veraz_worker;
GRANT SELECT ON TABLE veraz.message TO veraz_search;
GRANT SELECT ON TABLE veraz.message TO veraz_ledger;

GRANT UPDATE(role) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(role) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(text) ON TABLE veraz.message TO veraz_ledger;
GRANT UPDATE(text) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(text) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(refused) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(refused) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(refusal) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(refusal) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(corrected) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(corrected) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(model) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(model) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(input_tokens) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(input_tokens) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(output_tokens) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(output_tokens) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(cost_usd) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(cost_usd) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(answerability) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(answerability) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(claims) ON TABLE veraz.message TO veraz_ledger;
GRANT UPDATE(claims) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(claims) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(evidence) ON TABLE veraz.message TO veraz_ledger;
GRANT UPDATE(evidence) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(evidence) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(latency_ms) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(latency_ms) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(error) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(error) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(personal) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(personal) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(turn) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(turn) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(degraded) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(degraded) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(held_back) ON TABLE veraz.message TO veraz_ledger;
GRANT UPDATE(held_back) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(held_back) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(forgotten_at) ON TABLE veraz.message TO veraz_ledger;
GRANT UPDATE(forgotten_at) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(forgotten_at) ON TABLE veraz.message TO veraz_worker;

GRANT UPDATE(forgotten_why) ON TABLE veraz.message TO veraz_ledger;
GRANT UPDATE(forgotten_why) ON TABLE veraz.message TO veraz_app;
GRANT UPDATE(forgotten_why) ON TABLE veraz.message TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_unread(c veraz.conversation) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_unread(c veraz.conversation) TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_unread(c veraz.conversation) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_unread(c veraz.conversation) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_unread(c veraz.conversation) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_unread(c veraz.conversation) TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_unread(c veraz.conversation) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) TO veraz_search;
GRANT ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) TO veraz_app;
GRANT ALL ON FUNCTION veraz.is_waiting(c veraz.conversation) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.kb_use(p_kb_id uuid, p_days integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.keep_agent_version() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.keep_agent_version() TO veraz_search;
GRANT ALL ON FUNCTION veraz.keep_agent_version() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.keep_agent_version() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.keep_an_admin(p_leaving uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.keep_previous_secret() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.keep_previous_secret() TO veraz_search;
GRANT ALL ON FUNCTION veraz.keep_previous_secret() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.keep_previous_secret() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.keep_previous_secret() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.keep_secrets() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.keep_secrets() TO veraz_search;
GRANT ALL ON FUNCTION veraz.keep_secrets() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.keep_secrets() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.keep_secrets() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.keep_trace(p_query_id uuid, p_agent_id uuid, p_conversation_id uuid, p_personal boolean, p_trace jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.key_by_hash(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.key_by_hash(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.key_used(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.key_used(p_id uuid) TO veraz_app;

REVOKE ALL ON FUNCTION veraz.keys_made_by(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.keys_made_by(p_user_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.keys_seen(p_after uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.keys_seen(p_after uuid, p_limit integer) TO veraz_app;

REVOKE ALL ON FUNCTION veraz.known_documents(p_documents uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.known_documents(p_documents uuid[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.known_documents(p_documents uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.known_documents(p_documents uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.known_documents(p_documents uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.known_documents(p_documents uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.known_terms(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_terms integer[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.leave_nothing() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_search;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_app;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_signin;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_platform;
GRANT ALL ON FUNCTION veraz.leave_nothing() TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.lexeme_id(p_lexeme text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.lexemes(p_text text, p_language text) TO veraz_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.password_link TO veraz_keeper;
GRANT DELETE ON TABLE veraz.password_link TO veraz_ledger;

GRANT SELECT(expires_at) ON TABLE veraz.password_link TO veraz_ledger;

REVOKE ALL ON FUNCTION veraz.link_counts(l veraz.password_link) FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.link_user(p_provider_id uuid, p_subject text, p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.link_user(p_provider_id uuid, p_subject text, p_user_id uuid) TO veraz_signin;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.identity_link TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.linked_user(p_provider_id uuid, p_subject text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.linked_user(p_provider_id uuid, p_subject text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.listed_by_the_platform() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.listed_by_the_platform() TO veraz_search;
GRANT ALL ON FUNCTION veraz.listed_by_the_platform() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.listed_by_the_platform() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.listed_by_the_platform() TO veraz_keeper;

GRANT INSERT,DELETE ON TABLE veraz.identity_provider TO veraz_app;
GRANT SELECT ON TABLE veraz.identity_provider TO veraz_keeper;

GRANT SELECT(id) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(tenant_id) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(name),UPDATE(name) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(issuer),UPDATE(issuer) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(client_id),UPDATE(client_id) ON TABLE veraz.identity_provider TO veraz_app;

GRANT UPDATE(secret_sealed) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(has_secret) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(scopes),UPDATE(scopes) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(domains),UPDATE(domains) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(links_users),UPDATE(links_users) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(creates_users),UPDATE(creates_users) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(shows_factor),UPDATE(shows_factor) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(groups_claim),UPDATE(groups_claim) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(groups),UPDATE(groups) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(listed),UPDATE(listed) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(enabled),UPDATE(enabled) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(created_at),UPDATE(created_at) ON TABLE veraz.identity_provider TO veraz_app;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE veraz.identity_provider TO veraz_app;

REVOKE ALL ON FUNCTION veraz.listed_providers() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.listed_providers() TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.plain(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.plain(p_text text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.plain(p_text text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.plain(p_text text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.plain(p_text text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.plain(p_text text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.plain(p_text text) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.chunk TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.chunk TO veraz_worker;
GRANT SELECT ON TABLE veraz.chunk TO veraz_search;
GRANT SELECT,UPDATE ON TABLE veraz.chunk TO veraz_ledger;

GRANT UPDATE(ordinal) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(ordinal) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(content) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(content) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(content_hash) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(content_hash) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(tokens) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(tokens) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(words) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(words) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(page_number) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(page_number) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(part) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(part) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(start_char) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(start_char) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(end_char) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(end_char) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(headers) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(headers) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(metadata) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(metadata) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(context) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(context) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(row_number) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(row_number) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(quality) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(quality) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(revision) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(revision) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(edited_by) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(edited_by) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(edited_at) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(edited_at) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(embedding) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(embedding) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(lexemes) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(lexemes) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(bm25) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(bm25) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.chunk TO veraz_worker;

GRANT UPDATE(original) ON TABLE veraz.chunk TO veraz_app;
GRANT UPDATE(original) ON TABLE veraz.chunk TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.living_text(p_queries text[], p_patterns text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.log_query(p_id uuid, p_kind text, p_agent_id uuid, p_kb_ids uuid[], p_question text, p_rewrites text[], p_stages jsonb, p_latency_ms double precision, p_chunks_searched bigint, p_chunks_retrieved integer, p_reranked_count integer, p_scores jsonb, p_best_relevance double precision, p_refused boolean, p_channel text, p_turn text, p_origin text, p_outcome text, p_model text, p_input_tokens integer, p_output_tokens integer, p_cost_usd numeric, p_credits integer, p_quoted_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.machine_named(p_machine_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.machine_named(p_machine_id text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.machine_named(p_machine_id text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.machine_named(p_machine_id text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.machine_named(p_machine_id text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.machine_named(p_machine_id text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.may_change_person(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.may_look(p_kb_id uuid, p_machine_id text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_worker;
GRANT ALL ON FUNCTION veraz.may_touch_platform_admin(p_id uuid) TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_worker;
GRANT ALL ON FUNCTION veraz.move_credits(p_credits bigint, p_reason text, p_key text, p_model text, p_tokens bigint, p_cost numeric, p_about uuid) TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.move_words() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.move_words() TO veraz_search;
GRANT ALL ON FUNCTION veraz.move_words() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.move_words() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.nearest_chunks(p_space_id integer, p_vector public.vector, p_editions bigint[], p_documents uuid[], p_count bigint, p_limit integer, p_machine text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.needs_of_sign_in(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.needs_of_sign_in(p_user_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.new_id() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_search;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_app;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_worker;
GRANT ALL ON FUNCTION veraz.new_id() TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.newest_forgetting(p_hold boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.newest_forgetting(p_hold boolean) TO veraz_search;
GRANT ALL ON FUNCTION veraz.newest_forgetting(p_hold boolean) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.newest_forgetting(p_hold boolean) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.newest_forgetting(p_hold boolean) TO veraz_app;
GRANT ALL ON FUNCTION veraz.newest_forgetting(p_hold boolean) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.no_self_promotion() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.no_self_promotion() TO veraz_search;
GRANT ALL ON FUNCTION veraz.no_self_promotion() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.no_self_promotion() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.no_self_promotion() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.note_query(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.note_vectors() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.note_vectors() TO veraz_search;
GRANT ALL ON FUNCTION veraz.note_vectors() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.note_vectors() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.nothing_forgotten(p_since uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.open_forgetting(p_tenant_id uuid, p_kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.open_forgetting(p_tenant_id uuid, p_kind text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.open_forgetting(p_tenant_id uuid, p_kind text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.open_forgetting(p_tenant_id uuid, p_kind text) TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.open_session(p_id uuid, p_hash bytea, p_expires timestamp with time zone, p_address text, p_device text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.open_session(p_id uuid, p_hash bytea, p_expires timestamp with time zone, p_address text, p_device text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) TO veraz_app;
GRANT ALL ON FUNCTION veraz.open_set(p_kb_ids uuid[], p_unassigned boolean) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.own_password() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.own_password() TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.own_sessions() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.own_sessions() TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.passage_originals(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) TO veraz_app;
GRANT ALL ON FUNCTION veraz.passage_text(p_agent_id uuid, p_kb_ids uuid[], p_chunk_ids uuid[], p_with_lines boolean) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.passed_questions(p_agent_id uuid, p_limit integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.password_link_by_hash(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.password_link_by_hash(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.users_seen() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.users_seen() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.users_seen() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.users_seen() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.users_seen() TO veraz_app;
GRANT ALL ON FUNCTION veraz.users_seen() TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.people(p_after uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.people(p_after uuid, p_limit integer) TO veraz_app;

REVOKE ALL ON FUNCTION veraz.person(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.person(p_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.person(p_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.place_words(p_place jsonb, p_part text, p_row integer, p_headers text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.platform_admins_stay() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.platform_admins_stay() TO veraz_search;
GRANT ALL ON FUNCTION veraz.platform_admins_stay() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.platform_admins_stay() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.platform_admins_stay() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.provider_for_sign_in(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.provider_for_sign_in(p_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.provider_of_session(p_token_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.provider_of_session(p_token_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.readable_titles(p_agent_id uuid, p_limit integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.record_security_events(p_events jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_worker;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_signin;
GRANT ALL ON FUNCTION veraz.record_security_events(p_events jsonb) TO veraz_platform;

REVOKE ALL ON FUNCTION veraz.refuse_closed_machine() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.refuse_closed_machine() TO veraz_search;
GRANT ALL ON FUNCTION veraz.refuse_closed_machine() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.refuse_closed_machine() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.release_jobs(p_worker text, p_ids uuid[], p_claims integer[]) TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.remove_end_users(p_forgetting_id uuid, p_users text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.remove_end_users(p_forgetting_id uuid, p_users text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.remove_factor(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.remove_factor(p_user_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.remove_person(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.remove_person(p_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) TO veraz_search;
GRANT ALL ON FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.renew_leases(p_worker text, p_ids uuid[], p_claims integer[], p_lease interval) TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.replace_recovery_codes(p_hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.replace_recovery_codes(p_hashes bytea[]) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.revoke_key(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.revoke_key(p_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.revoke_keys_made_by(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.revoke_keys_made_by(p_user_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.role_from_groups(p_user_id uuid, p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.role_from_groups(p_user_id uuid, p_role text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.search(p_agent_id uuid, p_kb_ids uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_words text[], p_terms integer[], p_limit integer, p_filters jsonb, p_found uuid[], p_by text) TO veraz_worker;

GRANT SELECT,INSERT ON TABLE veraz.embedding_space TO veraz_app;
GRANT SELECT,INSERT ON TABLE veraz.embedding_space TO veraz_worker;
GRANT SELECT ON TABLE veraz.embedding_space TO veraz_search;
GRANT SELECT ON TABLE veraz.embedding_space TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.search_plan(p_agent_id uuid, p_kb_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.search_settings(p_agent_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.secret_stays_with_issuer() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.secret_stays_with_issuer() TO veraz_search;
GRANT ALL ON FUNCTION veraz.secret_stays_with_issuer() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.secret_stays_with_issuer() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.secret_stays_with_issuer() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_bars(p_document_id uuid, p_version integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_chunks(p_document_id uuid, p_start integer, p_end integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_corrected_chunks(p_document_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_corrections(p_document_id uuid, p_start integer, p_end integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_document(p_chunk_id uuid, p_document_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_documents(p_document_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_documents(p_document_ids uuid[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_documents(p_document_ids uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_documents(p_document_ids uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_documents(p_document_ids uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_documents(p_document_ids uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_exact_chunks(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_sheets(p_document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_sheets(p_document_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_sheets(p_document_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_sheets(p_document_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_sheets(p_document_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_sheets(p_document_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_stretches(p_document_ids uuid[], p_starts integer[], p_ends integer[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.seen_text(p_document_id uuid, p_version integer, p_start integer, p_end integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.send_delivery() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.send_delivery() TO veraz_search;
GRANT ALL ON FUNCTION veraz.send_delivery() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.send_delivery() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.session_by_hash(p_hash bytea, p_idle interval) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.session_by_hash(p_hash bytea, p_idle interval) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.session_seen(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.session_seen(p_id uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.set_factor_rule(p_rule text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.set_factor_rule(p_rule text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.set_password(p_id uuid, p_hash text, p_must_change boolean, p_keep uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.set_password(p_id uuid, p_hash text, p_must_change boolean, p_keep uuid) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) TO veraz_search;
GRANT ALL ON FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) TO veraz_app;
GRANT ALL ON FUNCTION veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text, p_model text, p_tokens bigint, p_cost numeric) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.usual_curve(p_space text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.usual_curve(p_space text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.usual_curve(p_space text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.usual_curve(p_space text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.usual_curve(p_space text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.usual_curve(p_space text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.usual_curve(p_space text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.similarity(p_cosine double precision, p_space text, p_calibration jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.space_chunks(p_space_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.space_chunks(p_space_id integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.space_chunks(p_space_id integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.space_chunks(p_space_id integer) TO veraz_keeper;

GRANT SELECT ON TABLE veraz.vector_home TO veraz_app;
GRANT SELECT ON TABLE veraz.vector_home TO veraz_worker;
GRANT SELECT ON TABLE veraz.vector_home TO veraz_search;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.vector_home TO veraz_queue;
GRANT SELECT ON TABLE veraz.vector_home TO veraz_ledger;

REVOKE ALL ON FUNCTION veraz.spaces_without_index(p_chunks bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.spaces_without_index(p_chunks bigint) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.spaces_without_index(p_chunks bigint) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.spaces_without_index(p_chunks bigint) TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.spend_rates(p_keys bytea[], p_wanted integer[], p_seconds_each double precision[], p_bursts integer[]) TO veraz_app;

REVOKE ALL ON FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.standing_words(p_agent_id uuid, p_kb_ids uuid[], p_language text, p_words text[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.stem(p_word text, p_language text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.stem(p_word text, p_language text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.stem(p_word text, p_language text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.stem(p_word text, p_language text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.stem(p_word text, p_language text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.stem(p_word text, p_language text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.stem(p_word text, p_language text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.still_known(p_documents uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.still_known(p_documents uuid[]) TO veraz_search;
GRANT ALL ON FUNCTION veraz.still_known(p_documents uuid[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.still_known(p_documents uuid[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.still_known(p_documents uuid[]) TO veraz_app;
GRANT ALL ON FUNCTION veraz.still_known(p_documents uuid[]) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.stop_words(p_language text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.stop_words(p_language text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.stop_words(p_language text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.stop_words(p_language text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.stop_words(p_language text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.stop_words(p_language text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.stop_words(p_language text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.sure_page(c veraz.chunk, p_file_type text, p_pages integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) TO veraz_search;
GRANT ALL ON FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.take_back_jobs(p_code text, p_lost_per_attempt integer, p_lease interval) TO veraz_queue;

REVOKE ALL ON FUNCTION veraz.take_chunk(c veraz.chunk) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.take_chunk(c veraz.chunk) TO veraz_search;
GRANT ALL ON FUNCTION veraz.take_chunk(c veraz.chunk) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.take_chunk(c veraz.chunk) TO veraz_keeper;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.document_version TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.document_version TO veraz_worker;
GRANT SELECT ON TABLE veraz.document_version TO veraz_search;
GRANT SELECT ON TABLE veraz.document_version TO veraz_ledger;

GRANT UPDATE(status) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(job_id) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(job_id) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(content_hash) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(content_hash) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(size_bytes) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(size_bytes) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(file_type) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(file_type) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(name) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(name) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(title) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(title) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(source_url) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(source_url) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(error_code) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(error_code) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(error_message) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(error_message) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.document_version TO veraz_worker;

GRANT UPDATE(superseded_at) ON TABLE veraz.document_version TO veraz_app;
GRANT UPDATE(superseded_at) ON TABLE veraz.document_version TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.tenant_usage() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.tenant_usage() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.tenant_usage() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.tenant_usage() TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.tenant_usage() TO veraz_app;
GRANT ALL ON FUNCTION veraz.tenant_usage() TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.terms_of(p_bm25 public.sparsevec, p_words integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.touch() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.touch() TO veraz_search;
GRANT ALL ON FUNCTION veraz.touch() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.touch() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.touch() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.try_challenge(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.try_challenge(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.try_factor() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.try_factor() TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.uncount_words() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.uncount_words() TO veraz_search;
GRANT ALL ON FUNCTION veraz.uncount_words() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.uncount_words() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.use_factor_step(p_step bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.use_factor_step(p_step bigint) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.use_password_link(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.use_password_link(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.use_recovery_code(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.use_recovery_code(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.user_of_email(p_email text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.user_of_email(p_email text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.users_for_login(p_email text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.users_for_login(p_email text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.users_with_factor() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.users_with_factor() TO veraz_signin;

GRANT USAGE ON SEQUENCE veraz.vector_change TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.vector_change TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.vector_change TO veraz_ledger;
GRANT USAGE ON SEQUENCE veraz.vector_change TO veraz_queue;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.vector_outbox TO veraz_worker;
GRANT SELECT ON TABLE veraz.vector_outbox TO veraz_search;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.vector_outbox TO veraz_queue;
GRANT SELECT,INSERT,UPDATE ON TABLE veraz.vector_outbox TO veraz_ledger;

GRANT UPDATE(version) ON TABLE veraz.vector_outbox TO veraz_worker;

GRANT UPDATE(lease_until) ON TABLE veraz.vector_outbox TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) TO veraz_search;
GRANT ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) TO veraz_app;
GRANT ALL ON FUNCTION veraz.waiting_chunks(p_editions bigint[], p_documents uuid[], p_space_ids integer[], p_vectors public.vector[], p_languages text[], p_weights public.sparsevec[], p_limit integer) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.wake_whatsapp(p_contact_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.wake_whatsapp(p_contact_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.wake_whatsapp(p_contact_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.wake_whatsapp(p_contact_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.wake_whatsapp(p_contact_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.wake_whatsapp(p_contact_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.wake_workers() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.wake_workers() TO veraz_search;
GRANT ALL ON FUNCTION veraz.wake_workers() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.wake_workers() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.wake_workers() TO veraz_keeper;

REVOKE ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) TO veraz_search;
GRANT ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) TO veraz_app;
GRANT ALL ON FUNCTION veraz.whatsapp_conversation_of(p_contact_id uuid) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.whatsapp_numbers_of(p_phone_number_ids text[]) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.whatsapp_token_known(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.whatsapp_token_known(p_hash bytea) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.whatsapp_token_known(p_hash bytea) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.whatsapp_token_known(p_hash bytea) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.whatsapp_token_known(p_hash bytea) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.whatsapp_waits() FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.whatsapp_waits() TO veraz_search;
GRANT ALL ON FUNCTION veraz.whatsapp_waits() TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.whatsapp_waits() TO veraz_gate;
GRANT ALL ON FUNCTION veraz.whatsapp_waits() TO veraz_keeper;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.whatsapp_contact TO veraz_worker;
GRANT SELECT ON TABLE veraz.whatsapp_contact TO veraz_search;
GRANT SELECT ON TABLE veraz.whatsapp_contact TO veraz_ledger;

GRANT UPDATE(bsuid) ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT UPDATE(bsuid) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT UPDATE(phone) ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT UPDATE(phone) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT UPDATE(name) ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT UPDATE(name) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT UPDATE(conversation_id) ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT UPDATE(conversation_id) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT UPDATE(last_in_at) ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT UPDATE(last_in_at) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT UPDATE(job_id) ON TABLE veraz.whatsapp_contact TO veraz_ledger;
GRANT UPDATE(job_id) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.whatsapp_contact TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.whatsapp_contact TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.whatsapp_message TO veraz_worker;
GRANT SELECT ON TABLE veraz.whatsapp_message TO veraz_search;
GRANT SELECT ON TABLE veraz.whatsapp_message TO veraz_ledger;

GRANT UPDATE(direction) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(direction) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(kind) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(kind) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(text) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(text) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(part) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(part) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(wamid) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(wamid) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(state) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(state) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(asked_after) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(asked_after) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(job_id) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(error_code) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(error_code) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(error_text) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(error_text) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(said_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(said_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(sending_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(sending_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(sent_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(sent_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(delivered_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(delivered_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(read_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(read_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(failed_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(failed_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.whatsapp_message TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.whatsapp_message TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.who_talks(c veraz.conversation) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.who_talks(c veraz.conversation) TO veraz_search;
GRANT ALL ON FUNCTION veraz.who_talks(c veraz.conversation) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.who_talks(c veraz.conversation) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.who_talks(c veraz.conversation) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.who_talks(c veraz.conversation) TO veraz_app;
GRANT ALL ON FUNCTION veraz.who_talks(c veraz.conversation) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.widget TO veraz_app;
GRANT SELECT ON TABLE veraz.widget TO veraz_worker;
GRANT SELECT ON TABLE veraz.widget TO veraz_search;

GRANT UPDATE(enabled) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(origins) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(title) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(greeting) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(colour) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE("position") ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(language) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(suggestions) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(sources) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(visitor_per_minute) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(per_minute) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(per_day) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(used_on) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(used) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(created_at) ON TABLE veraz.widget TO veraz_app;

GRANT UPDATE(updated_at) ON TABLE veraz.widget TO veraz_app;

REVOKE ALL ON FUNCTION veraz.widget_of(p_public_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.widget_of(p_public_id text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.widget_of(p_public_id text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.widget_of(p_public_id text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.widget_of(p_public_id text) TO veraz_signin;

REVOKE ALL ON FUNCTION veraz.without_words(p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.without_words(p_changes jsonb) TO veraz_search;
GRANT ALL ON FUNCTION veraz.without_words(p_changes jsonb) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.without_words(p_changes jsonb) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.without_words(p_changes jsonb) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.without_words(p_changes jsonb) TO veraz_app;
GRANT ALL ON FUNCTION veraz.without_words(p_changes jsonb) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.word_query(p_words text[], p_terms integer[], p_editions bigint[], p_machine text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.words_alone(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.words_alone(p_text text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.words_alone(p_text text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.words_alone(p_text text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.words_alone(p_text text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.words_alone(p_text text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.words_alone(p_text text) TO veraz_worker;

REVOKE ALL ON FUNCTION veraz.word_runs(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION veraz.word_runs(p_text text) TO veraz_search;
GRANT ALL ON FUNCTION veraz.word_runs(p_text text) TO veraz_ledger;
GRANT ALL ON FUNCTION veraz.word_runs(p_text text) TO veraz_gate;
GRANT ALL ON FUNCTION veraz.word_runs(p_text text) TO veraz_keeper;
GRANT ALL ON FUNCTION veraz.word_runs(p_text text) TO veraz_app;
GRANT ALL ON FUNCTION veraz.word_runs(p_text text) TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.agent_change TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.agent_change TO veraz_worker;
GRANT SELECT ON TABLE veraz.agent_change TO veraz_search;

GRANT UPDATE(changes) ON TABLE veraz.agent_change TO veraz_app;
GRANT UPDATE(changes) ON TABLE veraz.agent_change TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.agent_change TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.agent_change TO veraz_worker;

GRANT UPDATE(message) ON TABLE veraz.agent_change TO veraz_app;
GRANT UPDATE(message) ON TABLE veraz.agent_change TO veraz_worker;

GRANT UPDATE(run_id) ON TABLE veraz.agent_change TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.agent_change TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.agent_change TO veraz_worker;

GRANT UPDATE(decided_at) ON TABLE veraz.agent_change TO veraz_app;
GRANT UPDATE(decided_at) ON TABLE veraz.agent_change TO veraz_worker;

GRANT SELECT ON TABLE veraz.agent_version TO veraz_app;
GRANT SELECT ON TABLE veraz.agent_version TO veraz_worker;
GRANT SELECT ON TABLE veraz.agent_version TO veraz_search;
GRANT SELECT,INSERT ON TABLE veraz.agent_version TO veraz_ledger;

GRANT SELECT ON TABLE veraz.audit_entry TO veraz_app;
GRANT SELECT ON TABLE veraz.audit_entry TO veraz_worker;
GRANT SELECT ON TABLE veraz.audit_entry TO veraz_search;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.audit_entry TO veraz_ledger;

GRANT UPDATE(changes) ON TABLE veraz.audit_entry TO veraz_ledger;

GRANT USAGE ON SEQUENCE veraz.audit_entry_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.audit_entry_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.audit_entry_id_seq TO veraz_ledger;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.correction TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.correction TO veraz_worker;
GRANT SELECT ON TABLE veraz.correction TO veraz_search;
GRANT SELECT ON TABLE veraz.correction TO veraz_ledger;

GRANT UPDATE(start_char) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(start_char) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(end_char) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(end_char) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(before) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(before) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(after) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(after) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(prefix) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(prefix) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(suffix) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(suffix) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(revision) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(revision) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.correction TO veraz_worker;

GRANT UPDATE(updated_at) ON TABLE veraz.correction TO veraz_app;
GRANT UPDATE(updated_at) ON TABLE veraz.correction TO veraz_worker;

GRANT SELECT ON TABLE veraz.credit_balance TO veraz_app;
GRANT SELECT ON TABLE veraz.credit_balance TO veraz_worker;
GRANT SELECT ON TABLE veraz.credit_balance TO veraz_search;
GRANT SELECT,INSERT,UPDATE ON TABLE veraz.credit_balance TO veraz_ledger;

GRANT SELECT ON TABLE veraz.credit_entry TO veraz_app;
GRANT SELECT ON TABLE veraz.credit_entry TO veraz_worker;
GRANT SELECT ON TABLE veraz.credit_entry TO veraz_search;
GRANT SELECT,INSERT ON TABLE veraz.credit_entry TO veraz_ledger;

GRANT USAGE ON SEQUENCE veraz.credit_entry_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.credit_entry_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.credit_entry_id_seq TO veraz_ledger;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.document_text TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.document_text TO veraz_worker;
GRANT SELECT ON TABLE veraz.document_text TO veraz_search;
GRANT SELECT ON TABLE veraz.document_text TO veraz_ledger;

GRANT UPDATE(end_char) ON TABLE veraz.document_text TO veraz_app;
GRANT UPDATE(end_char) ON TABLE veraz.document_text TO veraz_worker;

GRANT UPDATE(text) ON TABLE veraz.document_text TO veraz_app;
GRANT UPDATE(text) ON TABLE veraz.document_text TO veraz_worker;

GRANT UPDATE(blocks) ON TABLE veraz.document_text TO veraz_app;
GRANT UPDATE(blocks) ON TABLE veraz.document_text TO veraz_worker;

GRANT UPDATE(lines) ON TABLE veraz.document_text TO veraz_app;
GRANT UPDATE(lines) ON TABLE veraz.document_text TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.domain_intelligence TO veraz_worker;
GRANT SELECT ON TABLE veraz.domain_intelligence TO veraz_search;

GRANT UPDATE(user_input) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(user_input) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(interpreted_intent) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(interpreted_intent) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(subdomains) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(subdomains) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(source_categories) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(source_categories) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(critical_variables) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(critical_variables) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(validation_queries) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(validation_queries) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(known_debates) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(known_debates) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(recommended_config) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(recommended_config) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(model) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(model) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(user_confirmed) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(user_confirmed) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.domain_intelligence TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.domain_intelligence TO veraz_worker;

GRANT USAGE ON SEQUENCE veraz.edition_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.edition_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.edition_id_seq TO veraz_ledger;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.embedding_cache TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.embedding_cache TO veraz_worker;
GRANT SELECT ON TABLE veraz.embedding_cache TO veraz_search;

GRANT UPDATE(embedding) ON TABLE veraz.embedding_cache TO veraz_app;
GRANT UPDATE(embedding) ON TABLE veraz.embedding_cache TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.embedding_cache TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.embedding_cache TO veraz_worker;

GRANT USAGE ON SEQUENCE veraz.embedding_space_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.embedding_space_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.embedding_space_id_seq TO veraz_ledger;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.end_user_key TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.end_user_key TO veraz_worker;
GRANT SELECT ON TABLE veraz.end_user_key TO veraz_search;

GRANT UPDATE(name) ON TABLE veraz.end_user_key TO veraz_app;
GRANT UPDATE(name) ON TABLE veraz.end_user_key TO veraz_worker;

GRANT UPDATE(algorithm) ON TABLE veraz.end_user_key TO veraz_app;
GRANT UPDATE(algorithm) ON TABLE veraz.end_user_key TO veraz_worker;

GRANT UPDATE(secret_sealed) ON TABLE veraz.end_user_key TO veraz_app;
GRANT UPDATE(secret_sealed) ON TABLE veraz.end_user_key TO veraz_worker;

GRANT UPDATE(public_key) ON TABLE veraz.end_user_key TO veraz_app;
GRANT UPDATE(public_key) ON TABLE veraz.end_user_key TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.end_user_key TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.end_user_key TO veraz_worker;

GRANT UPDATE(ends_at) ON TABLE veraz.end_user_key TO veraz_app;
GRANT UPDATE(ends_at) ON TABLE veraz.end_user_key TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.end_user_token TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.end_user_token TO veraz_worker;
GRANT SELECT ON TABLE veraz.end_user_token TO veraz_search;

GRANT UPDATE(until) ON TABLE veraz.end_user_token TO veraz_app;
GRANT UPDATE(until) ON TABLE veraz.end_user_token TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.event TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.event TO veraz_worker;
GRANT SELECT ON TABLE veraz.event TO veraz_search;
GRANT SELECT,DELETE ON TABLE veraz.event TO veraz_ledger;

GRANT UPDATE(kind) ON TABLE veraz.event TO veraz_app;
GRANT UPDATE(kind) ON TABLE veraz.event TO veraz_worker;

GRANT UPDATE(payload) ON TABLE veraz.event TO veraz_app;
GRANT UPDATE(payload) ON TABLE veraz.event TO veraz_worker;

GRANT UPDATE(at) ON TABLE veraz.event TO veraz_app;
GRANT UPDATE(at) ON TABLE veraz.event TO veraz_worker;

GRANT USAGE ON SEQUENCE veraz.event_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.event_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.event_id_seq TO veraz_ledger;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.exam_question TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.exam_question TO veraz_worker;
GRANT SELECT ON TABLE veraz.exam_question TO veraz_search;

GRANT UPDATE(question) ON TABLE veraz.exam_question TO veraz_app;
GRANT UPDATE(question) ON TABLE veraz.exam_question TO veraz_worker;

GRANT UPDATE(expected_text) ON TABLE veraz.exam_question TO veraz_app;
GRANT UPDATE(expected_text) ON TABLE veraz.exam_question TO veraz_worker;

GRANT UPDATE(expected_document_id) ON TABLE veraz.exam_question TO veraz_app;

GRANT UPDATE(must_refuse) ON TABLE veraz.exam_question TO veraz_app;
GRANT UPDATE(must_refuse) ON TABLE veraz.exam_question TO veraz_worker;

GRANT UPDATE(origin) ON TABLE veraz.exam_question TO veraz_app;
GRANT UPDATE(origin) ON TABLE veraz.exam_question TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.exam_question TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.exam_question TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.exam_run TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.exam_run TO veraz_worker;
GRANT SELECT ON TABLE veraz.exam_run TO veraz_search;

GRANT UPDATE(model) ON TABLE veraz.exam_run TO veraz_app;
GRANT UPDATE(model) ON TABLE veraz.exam_run TO veraz_worker;

GRANT UPDATE(passed) ON TABLE veraz.exam_run TO veraz_app;
GRANT UPDATE(passed) ON TABLE veraz.exam_run TO veraz_worker;

GRANT UPDATE(failed) ON TABLE veraz.exam_run TO veraz_app;
GRANT UPDATE(failed) ON TABLE veraz.exam_run TO veraz_worker;

GRANT UPDATE(results) ON TABLE veraz.exam_run TO veraz_app;
GRANT UPDATE(results) ON TABLE veraz.exam_run TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.exam_run TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.exam_run TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.feedback TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.feedback TO veraz_worker;
GRANT SELECT ON TABLE veraz.feedback TO veraz_search;

GRANT UPDATE(user_id) ON TABLE veraz.feedback TO veraz_worker;

GRANT UPDATE(rating) ON TABLE veraz.feedback TO veraz_app;
GRANT UPDATE(rating) ON TABLE veraz.feedback TO veraz_worker;

GRANT UPDATE(reason) ON TABLE veraz.feedback TO veraz_app;
GRANT UPDATE(reason) ON TABLE veraz.feedback TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.feedback TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.feedback TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.forgetting_source TO veraz_worker;
GRANT SELECT ON TABLE veraz.forgetting_source TO veraz_search;
GRANT INSERT ON TABLE veraz.forgetting_source TO veraz_ledger;

GRANT UPDATE(text) ON TABLE veraz.forgetting_source TO veraz_worker;

GRANT UPDATE(what) ON TABLE veraz.forgetting_source TO veraz_worker;

GRANT UPDATE(language) ON TABLE veraz.forgetting_source TO veraz_worker;

GRANT USAGE ON SEQUENCE veraz.forgetting_source_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.forgetting_source_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.forgetting_source_id_seq TO veraz_ledger;

GRANT SELECT,INSERT ON TABLE veraz.forgotten_span TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.forgotten_span TO veraz_worker;
GRANT SELECT ON TABLE veraz.forgotten_span TO veraz_search;

GRANT UPDATE(words) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT UPDATE(head) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT UPDATE(digest) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT UPDATE(lead) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT UPDATE(tail) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT UPDATE(whole) ON TABLE veraz.forgotten_span TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.licence TO veraz_app;
GRANT SELECT ON TABLE veraz.licence TO veraz_worker;
GRANT SELECT ON TABLE veraz.licence TO veraz_search;
GRANT SELECT,INSERT ON TABLE veraz.licence TO veraz_ledger;

GRANT UPDATE(user_name) ON TABLE veraz.licence TO veraz_app;

GRANT UPDATE(metadata) ON TABLE veraz.licence TO veraz_app;

GRANT UPDATE(status) ON TABLE veraz.licence TO veraz_ledger;
GRANT UPDATE(status) ON TABLE veraz.licence TO veraz_app;

GRANT UPDATE(created_at) ON TABLE veraz.licence TO veraz_app;

GRANT UPDATE(updated_at) ON TABLE veraz.licence TO veraz_app;

GRANT UPDATE(admitted_at) ON TABLE veraz.licence TO veraz_app;

GRANT SELECT ON TABLE veraz.migration TO veraz_app;
GRANT SELECT ON TABLE veraz.migration TO veraz_worker;
GRANT SELECT ON TABLE veraz.migration TO veraz_search;

GRANT SELECT ON TABLE veraz.plan TO veraz_app;
GRANT SELECT ON TABLE veraz.plan TO veraz_worker;
GRANT SELECT ON TABLE veraz.plan TO veraz_search;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.plan TO veraz_platform;

GRANT SELECT,INSERT ON TABLE veraz.query_trace TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.query_trace TO veraz_worker;
GRANT SELECT ON TABLE veraz.query_trace TO veraz_search;
GRANT SELECT,DELETE ON TABLE veraz.query_trace TO veraz_ledger;

GRANT UPDATE(personal) ON TABLE veraz.query_trace TO veraz_worker;

GRANT UPDATE(trace) ON TABLE veraz.query_trace TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.query_trace TO veraz_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE veraz.rate TO veraz_ledger;

GRANT SELECT ON TABLE veraz.scope_key TO veraz_gate;

GRANT USAGE ON SEQUENCE veraz.security_event_id_seq TO veraz_app;
GRANT USAGE ON SEQUENCE veraz.security_event_id_seq TO veraz_worker;
GRANT USAGE ON SEQUENCE veraz.security_event_id_seq TO veraz_ledger;

GRANT INSERT,DELETE ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT ON TABLE veraz.webhook TO veraz_search;
GRANT SELECT ON TABLE veraz.webhook TO veraz_ledger;

GRANT SELECT(id) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(id) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(tenant_id) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(tenant_id) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(project_id) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(project_id) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(name),UPDATE(name) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(name),UPDATE(name) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(url),UPDATE(url) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(url),UPDATE(url) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(events),UPDATE(events) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(events),UPDATE(events) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(secret_sealed),UPDATE(secret_sealed) ON TABLE veraz.webhook TO veraz_worker;
GRANT UPDATE(secret_sealed) ON TABLE veraz.webhook TO veraz_app;

GRANT SELECT(secret_changed_at),UPDATE(secret_changed_at) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(secret_changed_at),UPDATE(secret_changed_at) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(previous_sealed),UPDATE(previous_sealed) ON TABLE veraz.webhook TO veraz_worker;
GRANT UPDATE(previous_sealed) ON TABLE veraz.webhook TO veraz_app;

GRANT SELECT(previous_until),UPDATE(previous_until) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(previous_until),UPDATE(previous_until) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(enabled),UPDATE(enabled) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(enabled),UPDATE(enabled) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(failures),UPDATE(failures) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(failures),UPDATE(failures) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(note),UPDATE(note) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(note),UPDATE(note) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(created_by) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(created_by) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(created_at),UPDATE(created_at) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(created_at),UPDATE(created_at) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE veraz.webhook TO veraz_app;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE veraz.webhook TO veraz_worker;

GRANT SELECT,INSERT,DELETE ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.webhook_delivery TO veraz_worker;
GRANT SELECT ON TABLE veraz.webhook_delivery TO veraz_search;
GRANT SELECT,INSERT,DELETE ON TABLE veraz.webhook_delivery TO veraz_ledger;

GRANT UPDATE(kind) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(kind) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(data) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(data) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(status) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(status) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(attempts) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(attempts) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(response_status) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(response_status) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(response_ms) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(response_ms) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(error) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(error) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(happened_at) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(happened_at) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(created_at) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(created_at) ON TABLE veraz.webhook_delivery TO veraz_worker;

GRANT UPDATE(attempted_at) ON TABLE veraz.webhook_delivery TO veraz_app;
GRANT UPDATE(attempted_at) ON TABLE veraz.webhook_delivery TO veraz_worker;
