-- WHO IS CALLING. A transaction carries one setting, `veraz.scope`: a signature and the caller it vouches for, as text. Anybody
-- may write a setting, but only who knows the installation's secret can sign one (db/scope.py). It is verified here and
-- nowhere else, once per statement where it is read in a sub-select. A forged or old scope ends the statement.
create or replace function veraz.scope() returns veraz.caller
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.scope() owner to veraz_gate;

create or replace function veraz.current_tenant() returns uuid language sql stable parallel safe
return (veraz.scope()).tenant_id;

create or replace function veraz.current_user_id() returns uuid language sql stable parallel safe
return (veraz.scope()).user_id;

create or replace function veraz.current_machine() returns text language sql stable parallel safe
return (veraz.scope()).machine_id;

create or replace function veraz.current_key() returns uuid language sql stable parallel safe
return (veraz.scope()).key_id;

-- admin: everything in the tenant. member: by membership. service: a key, by its level. worker: the queue.
create or replace function veraz.current_role_name() returns text language sql stable parallel safe
return coalesce((veraz.scope()).role, '');

create or replace function veraz.is_tenant_admin() returns boolean language sql stable parallel safe
begin atomic
    select coalesce(me.tenant_id is not null and me.role in ('admin', 'worker'), false) from veraz.scope() me;
end;

create or replace function veraz.is_platform_admin() returns boolean language sql stable parallel safe
return coalesce((veraz.scope()).platform, false);

-- A value, and from here to the end of the transaction who is calling. For one function called in a statement of its own:
-- PostgreSQL works out its arguments before it calls it. Null: as it is.
create or replace function veraz.as_caller(p_caller jsonb, p_value anyelement) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    if p_caller is null then
        return p_value; -- inside a transaction that goes on as whom it began
    end if;
    perform veraz.leave_nothing();
    perform set_config('veraz.' || s.key, s.value, true) from jsonb_each_text(p_caller) s;
    return p_value;
end $$;

create or replace function veraz.level_at_least(held text, wanted text) returns boolean
language sql immutable parallel safe
return array_position(array['member', 'manager', 'admin'], held)
    >= array_position(array['member', 'manager', 'admin'], wanted);

-- Projects in which the caller has at least this level. A person's key is worth as much as its owner there, and no more than
-- the key itself.
create or replace function veraz.projects_with(p_level text) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select p.id from veraz.scope() me join veraz.project p on p.tenant_id = me.tenant_id
    where case me.role
          when 'admin' then true
          when 'worker' then true
          when 'service' then
              veraz.level_at_least(me.key_level, p_level) and coalesce(me.key_project, p.id) = p.id
          when 'member' then exists (
              select from veraz.project_member m
              where m.project_id = p.id and m.user_id = me.user_id and veraz.level_at_least(m.role, p_level))
              and (me.key_level is null or veraz.level_at_least(me.key_level, p_level))
              and coalesce(me.key_project, p.id) = p.id
          else false end;
end;

-- Whether the caller may look into ('read') or change ('write') knowledge bases of the whole tenant, without being its admin.
create or replace function veraz.uses_shared_kbs(p_right text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select case p_right
        when 'read' then exists (select veraz.projects_with('manager'))
        else coalesce((select me.role = 'service' and me.key_project is null
                           and veraz.level_at_least(me.key_level, 'manager') from veraz.scope() me), false) end;
end;

-- Knowledge bases the caller may look into ('read') or change ('write'). What an agent reads is reading_set below.
create or replace function veraz.kbs_with(p_right text) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select kb.id from veraz.scope() me join veraz.knowledge_base kb on kb.tenant_id = me.tenant_id
    where case
        when kb.kind = 'personal' then kb.owner_id = me.user_id or me.role = 'worker'
        when me.role in ('admin', 'worker') then true
        when kb.project_id is not null then kb.project_id in (select veraz.projects_with('manager'))
        else (select veraz.uses_shared_kbs(p_right)) end;
end;

-- Users the caller may see: all for an admin, oneself, and the members of projects one manages.
create or replace function veraz.users_seen() returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.id from veraz.app_user u
    where u.tenant_id = (select veraz.current_tenant())
      and ((select veraz.is_tenant_admin())
           or u.id = (select veraz.current_user_id())
           or exists (select from veraz.project_member m
                      where m.user_id = u.id and m.project_id in (select veraz.projects_with('manager'))));
end;

-- THE READING SET: what an agent may read for the caller. The one rule of isolation; everything that searches
-- starts from it. A chunk is readable when its edition is in here, its document is indexed, and its machine is 'global'
-- or the caller's.
create or replace function veraz.reading_set(p_agent_id uuid)
returns table (kb_id uuid, edition_id bigint, space_id int, kind text, priority int, search_weight numeric)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select kb.id, e.id, e.space_id, kb.kind, a.priority, a.search_weight
    from veraz.assignment a
    join veraz.agent g on g.id = a.agent_id and g.tenant_id = a.tenant_id
    join veraz.knowledge_base kb on kb.id = a.kb_id and kb.tenant_id = a.tenant_id
    join veraz.edition e on e.id = kb.live_edition_id and e.kb_id = kb.id and e.tenant_id = a.tenant_id
    where a.tenant_id = (select veraz.current_tenant())
      and a.agent_id = p_agent_id
      and g.project_id in (select veraz.projects_with('member'))
      and kb.status <> 'archived'
      and (kb.kind = 'global'
           or (kb.owner_id = (select veraz.current_user_id()) and g.allows_personal_corpus))
    order by a.priority, kb.id;
end;

-- What members may know of the global knowledge bases their agents read: that they are there, and (contents_of) the titles
-- of their documents.
create or replace function veraz.read_by_agents()
returns table (agent_id uuid, kb_id uuid, project_id uuid, name text, description text, language text, status text,
    kb_agent_id uuid, total_documents bigint, priority int, search_weight numeric, assigned_at timestamptz,
    created_at timestamptz, updated_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select a.agent_id, kb.id, kb.project_id, kb.name, kb.description, kb.language, kb.status, kb.agent_id,
           (select count(*) from veraz.document d
            where d.kb_id = kb.id and d.tenant_id = kb.tenant_id and d.indexed_at is not null
              and (d.machine_id = 'global' or d.machine_id = (select veraz.current_machine()))),
           a.priority, a.search_weight, a.created_at, kb.created_at, kb.updated_at
    from veraz.assignment a
    join veraz.agent g on g.id = a.agent_id and g.tenant_id = a.tenant_id
    join veraz.knowledge_base kb on kb.id = a.kb_id and kb.tenant_id = a.tenant_id
    where a.tenant_id = (select veraz.current_tenant())
      and g.project_id in (select veraz.projects_with('member'))
      and kb.kind = 'global' and kb.status <> 'archived';
end;

-- The name of a global knowledge base whose documents the caller may know by title: one they may look into, or one that an
-- agent reads for them. Null: of no such one.
create or replace function veraz.listable_kb(p_kb_id uuid) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select kb.name from veraz.knowledge_base kb
    where kb.id = p_kb_id and kb.tenant_id = (select veraz.current_tenant()) and kb.kind = 'global'
      and (kb.id in (select veraz.kbs_with('read')) or kb.id in (select r.kb_id from veraz.read_by_agents() r));
end;

-- The documents of such a knowledge base by title, newest first; none that another took the place of, and of machines only
-- the caller's.
create or replace function veraz.contents_of(p_kb_id uuid, p_after uuid, p_limit int)
returns table (id uuid, name text, title text, file_type text, version int, status text, created_date date,
    created_at timestamptz, indexed_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select d.id, d.name, d.title, d.file_type, d.version, d.status, d.created_date, d.created_at, d.indexed_at
    from veraz.document d
    where d.kb_id = p_kb_id and d.tenant_id = (select veraz.current_tenant()) and veraz.listable_kb(p_kb_id) is not null
      and d.superseded_by is null and (d.machine_id = 'global' or d.machine_id = (select veraz.current_machine()))
      and (p_after is null or d.id < p_after)
    order by d.id desc limit p_limit;
end;

-- A project's admin adds people by e-mail without seeing the whole list of users.
create or replace function veraz.colleague_by_email(p_email text) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select u.id from veraz.app_user u
    where u.tenant_id = (select veraz.current_tenant()) and u.email = lower(p_email)
      and ((select veraz.is_tenant_admin()) or exists (select veraz.projects_with('admin')));
end;

create or replace function veraz.is_installed() returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select from veraz.tenant);
end;

-- Quotas count what the caller may not see too (a colleague's personal kb uses the same plan).
create or replace function veraz.tenant_usage()
returns table (knowledge_bases bigint, documents bigint, bytes bigint, users bigint, agents bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select
        (select count(*) from veraz.knowledge_base where tenant_id = (select veraz.current_tenant()) and agent_id is null),
        (select count(*) from veraz.document where tenant_id = (select veraz.current_tenant())),
        (select coalesce(sum(size_bytes), 0)::bigint from veraz.document where tenant_id = (select veraz.current_tenant()))
            + (select coalesce(sum(size_bytes), 0)::bigint from veraz.document_version
               where tenant_id = (select veraz.current_tenant()) and status <> 'current'),
        (select count(*) from veraz.app_user where tenant_id = (select veraz.current_tenant())),
        (select count(*) from veraz.agent where tenant_id = (select veraz.current_tenant()));
end;

do $$
declare f text;
begin
    foreach f in array array[
        'projects_with(text)', 'kbs_with(text)', 'uses_shared_kbs(text)', 'users_seen()',
        'reading_set(uuid)', 'read_by_agents()', 'listable_kb(uuid)', 'contents_of(uuid, uuid, int)',
        'colleague_by_email(text)', 'is_installed()', 'tenant_usage()'
    ] loop
        execute format('alter function veraz.%s owner to veraz_search', f);
    end loop;
end $$;
