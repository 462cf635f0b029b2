-- Rules that must hold whoever writes the row, and the audit log of every change.

-- An assignment carries the agent's project and the kb's owner; personal kbs only go to agents that allow them.
create or replace function veraz.assignment_rules() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.assignment_rules() owner to veraz_search;
create or replace trigger assignment_rules before insert or update on veraz.assignment
    for each row execute function veraz.assignment_rules();

-- What never changes once a row exists: whose it is. Requests and workers may not even try (9_whose_grants.sql).
create or replace function veraz.belongs_forever() returns trigger language plpgsql as $$
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
create or replace trigger belongs_forever before update on veraz.agent
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'project_id');
create or replace trigger belongs_forever before update on veraz.knowledge_base
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'project_id', 'kind', 'owner_id', 'agent_id');
create or replace trigger belongs_forever before update on veraz.document
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'kb_id');
create or replace trigger belongs_forever before update on veraz.conversation for each row execute function
    veraz.belongs_forever('id', 'tenant_id', 'agent_id', 'project_id', 'user_id', 'key_id', 'machine_id', 'channel', 'external_id');
create or replace trigger belongs_forever before update on veraz.api_key
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'key_hash', 'scopes', 'project_id', 'user_id');
create or replace trigger belongs_forever before update on veraz.app_user
    for each row execute function veraz.belongs_forever('id', 'tenant_id');
create or replace trigger belongs_forever before update on veraz.session
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'user_id', 'token_hash');
create or replace trigger belongs_forever before update on veraz.edition
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'kb_id', 'space_id');

-- A tenant's admin who could reset a platform admin's password, or remove them, would hold the platform.
create or replace function veraz.may_touch_platform_admin(p_id uuid) returns boolean language sql stable parallel safe
return veraz.is_platform_admin() or veraz.current_tenant() is null
    or p_id is not distinct from (select veraz.current_user_id());

create or replace function veraz.platform_admins_stay() returns trigger language plpgsql as $$
begin
    if old.is_platform_admin and not veraz.may_touch_platform_admin(old.id) then
        raise exception 'change a platform administrator' using errcode = 'VZ004';
    end if;
    return old;
end $$;
create or replace trigger platform_admins_stay before delete on veraz.app_user
    for each row execute function veraz.platform_admins_stay();

-- Only the platform's admin changes plans and features; only admins change roles; nobody promotes themselves.
create or replace function veraz.no_self_promotion() returns trigger language plpgsql as $$
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
create or replace trigger no_self_promotion before update on veraz.tenant
    for each row execute function veraz.no_self_promotion();
create or replace trigger no_self_promotion before insert or update on veraz.app_user
    for each row execute function veraz.no_self_promotion();

create or replace function veraz.touch() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end $$;
do $$
declare t text;
begin
    foreach t in array array['tenant', 'app_user', 'project', 'licence', 'agent', 'document', 'correction'] loop
        execute format('create or replace trigger touch before update on veraz.%I
                        for each row execute function veraz.touch()', t);
    end loop;
end $$;
-- Being asked changes nothing about a knowledge base.
create or replace trigger touch before update on veraz.knowledge_base
    for each row when (new.last_queried_at is not distinct from old.last_queried_at) execute function veraz.touch();

-- Whether the row is, or lies in, somebody's personal knowledge base. When its kb is gone already, it may have been.
create or replace function veraz.is_personal(p_table text, p_row jsonb) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select case
        when p_table = 'knowledge_base' then p_row ->> 'kind' = 'personal'
        when p_table in ('document', 'correction') then not exists (
            select from veraz.knowledge_base kb where kb.id = (p_row ->> 'kb_id')::uuid and kb.kind = 'global')
        else false end;
end;
alter function veraz.is_personal(text, jsonb) owner to veraz_ledger;

-- Audit: one entry per changed row, with the columns that changed; secrets never enter it.
create or replace function veraz.audit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.audit() owner to veraz_ledger;
do $$
declare t text;
begin
    foreach t in array array['tenant', 'app_user', 'project', 'project_member', 'api_key', 'licence', 'agent',
                             'knowledge_base', 'edition', 'assignment'] loop
        execute format('create or replace trigger audit after insert or update or delete on veraz.%I
                        for each row execute function veraz.audit()', t);
    end loop;
end $$;
-- A document's progress is not news; what people say about it is.
create or replace trigger audit after insert or delete or update of name, machine_id, metadata, tier, authority_score,
    evidence_level, institution, peer_reviewed, title, author, version, superseded_by on veraz.document
    for each row execute function veraz.audit('name', 'machine_id', 'metadata', 'tier', 'authority_score',
    'evidence_level', 'institution', 'peer_reviewed', 'title', 'author', 'version', 'superseded_by');
-- A correction is audited with what stood there before and what a person made of it. It leaves with its document.
create or replace trigger audit after insert or update of status on veraz.correction
    for each row execute function veraz.audit('status', 'before', 'after');

-- Who granted credits, and who changed a plan (in the platform admin's own log).
create or replace trigger audit after insert on veraz.credit_entry
    for each row when (new.idempotency_key is null and new.about is null) execute function veraz.audit();
create or replace trigger audit after insert or update or delete on veraz.plan
    for each row when (veraz.current_tenant() is not null) execute function veraz.audit();

-- Credits: each entry once (idempotency key), the balance never below zero. Only the platform moves them; everybody spends by
-- what they have done (settle_credits).
create or replace function veraz.move_credits(p_credits bigint, p_reason text, p_key text default null,
    p_model text default null, p_tokens bigint default null, p_cost numeric default null, p_about uuid default null)
returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not veraz.is_platform_admin() and veraz.current_role_name() <> 'worker' then
        raise exception 'grant credits' using errcode = 'VZ004';
    end if;
    return veraz.book_credits(p_credits, p_reason, p_key, p_model, p_tokens, p_cost, p_about);
end $$;
alter function veraz.move_credits(bigint, text, text, text, bigint, numeric, uuid) owner to veraz_ledger;

create or replace function veraz.book_credits(p_credits bigint, p_reason text, p_key text,
    p_model text, p_tokens bigint, p_cost numeric, p_about uuid)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.book_credits(bigint, text, text, text, bigint, numeric, uuid) owner to veraz_ledger;

-- What one thing (a job, an answer) has cost so far is brought to exactly this many credits: reserving, charging and
-- refunding are the same verb, and calling it twice changes nothing.
create or replace function veraz.settle_credits(p_about uuid, p_credits bigint, p_reason text,
    p_model text default null, p_tokens bigint default null, p_cost numeric default null)
returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.settle_credits(uuid, bigint, text, text, bigint, numeric) owner to veraz_ledger;

-- A deleted document's file goes too, however the row was deleted: one job per statement names the files.
create or replace function veraz.forget_files() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into veraz.job (id, tenant_id, kind, payload)
    select gen_random_uuid(), g.tenant_id, 'forget_files', jsonb_build_object('keys', jsonb_agg(g.storage_key))
    from gone g
    where g.storage_key is not null and exists (select from veraz.tenant t where t.id = g.tenant_id)
    group by g.tenant_id;
    return null;
end $$;
alter function veraz.forget_files() owner to veraz_ledger;
create or replace trigger forget_files after delete on veraz.document
    referencing old table as gone for each statement execute function veraz.forget_files();
create or replace trigger forget_files after delete on veraz.document_version
    referencing old table as gone for each statement execute function veraz.forget_files();

-- The terms a chunk was counted by, -1 for itself and -2 for its words.
create or replace function veraz.terms_of(p_bm25 public.sparsevec, p_words int) returns table (term int, count bigint)
language sql immutable set search_path = pg_catalog, public, pg_temp
begin atomic
    select split_part(t.entry, ':', 1)::int - 1, 1
    from string_to_table(trim(both '{}' from split_part(p_bm25::text, '/', 1)), ',') t(entry) where t.entry <> ''
    union all values (-1, 1::bigint), (-2, p_words);
end;

-- Chunks leave the word counts they entered, in the same statement that removes them. Where the whole edition or
-- knowledge base goes there is nothing left to count.
create or replace function veraz.uncount_words() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
    select g.tenant_id, g.edition_id, g.machine_id, t.term, -sum(t.count)
    from gone g cross join lateral veraz.terms_of(g.bm25, g.words) t
    where exists (select from veraz.edition e where e.id = g.edition_id)
      and exists (select from veraz.knowledge_base kb where kb.id = g.kb_id)
    group by 1, 2, 3, 4;
    return null;
end $$;
alter function veraz.uncount_words() owner to veraz_ledger;
create or replace trigger uncount_words after delete on veraz.chunk
    referencing old table as gone for each statement execute function veraz.uncount_words();

-- Chunks that are bound to another machine from now on take their words along.
create or replace function veraz.move_words() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
    select g.tenant_id, g.edition_id, m.machine_id, t.term, sum(m.sign * t.count)
    from gone g join came c on c.id = g.id and c.machine_id <> g.machine_id
    cross join lateral (values (g.machine_id, -1), (c.machine_id, 1)) m(machine_id, sign)
    cross join lateral veraz.terms_of(g.bm25, g.words) t
    group by 1, 2, 3, 4;
    return null;
end $$;
alter function veraz.move_words() owner to veraz_ledger;
create or replace trigger move_words after update on veraz.chunk
    referencing old table as gone new table as came for each statement execute function veraz.move_words();
