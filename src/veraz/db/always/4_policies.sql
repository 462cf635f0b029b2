-- Row level security. Every table with tenant_id gets the wall; the policies below it say who may do what inside.
-- The wall is restrictive: whatever another policy allows, a row of another tenant stays invisible.
do $$
declare
    t text;
    p record;
begin
    for p in select tablename, policyname from pg_policies where schemaname = 'veraz' loop
        execute format('drop policy %I on veraz.%I', p.policyname, p.tablename);
    end loop;
    for t in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
             where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p')
               and a.attname = 'tenant_id' and not a.attisdropped loop
        execute format('alter table veraz.%I enable row level security', t);
        execute format('alter table veraz.%I force row level security', t);
        execute format('create policy wall on veraz.%I as restrictive to veraz_app, veraz_worker, veraz_platform
            using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()))', t);
        -- Where BYPASSRLS cannot be granted the definer functions still see exactly one tenant.
        execute format('create policy definer on veraz.%I for select to veraz_search
            using (tenant_id = (select veraz.current_tenant()))', t);
    end loop;
end $$;

alter table veraz.tenant enable row level security;
alter table veraz.tenant force row level security;
alter table veraz.plan enable row level security;
alter table veraz.plan force row level security;

-- The worker acts inside the tenant of its job; jobs are handed out by functions of their own (6_jobs.sql).
do $$
declare t text;
begin
    for t in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
             where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p')
               and a.attname = 'tenant_id' and not a.attisdropped loop
        execute format('create policy working on veraz.%I to veraz_worker using (true) with check (true)', t);
    end loop;
end $$;
-- A plan may have been made for one customer: a tenant knows its own.
create policy seen on veraz.plan for select to veraz_app, veraz_worker
    using (code = (select t.plan from veraz.tenant t where t.id = (select veraz.current_tenant())));
create policy managed on veraz.plan to veraz_platform
    using ((select veraz.is_platform_admin())) with check ((select veraz.is_platform_admin()));

create policy seen on veraz.tenant for select to veraz_app, veraz_worker
    using (id = (select veraz.current_tenant()));
create policy changed on veraz.tenant for update to veraz_app
    using (id = (select veraz.current_tenant()) and (select veraz.is_tenant_admin()));
create policy managed on veraz.tenant to veraz_platform
    using ((select veraz.is_platform_admin())) with check ((select veraz.is_platform_admin()));
-- A new tenant gets its first project from the platform, inside the new tenant's wall.
create policy founded on veraz.project for insert to veraz_platform with check ((select veraz.is_platform_admin()));
create policy installed on veraz.tenant for select to veraz_search using (true);

create policy seen on veraz.app_user for select to veraz_app
    using ((select veraz.is_tenant_admin()) or id in (select veraz.users_seen()));
create policy looked_up on veraz.app_user for select to veraz_search using (true);

create policy seen on veraz.project for select to veraz_app
    using ((select veraz.is_tenant_admin()) or id in (select veraz.projects_with('member')));
create policy created on veraz.project for insert to veraz_app with check ((select veraz.is_tenant_admin()));
create policy changed on veraz.project for update to veraz_app using (id in (select veraz.projects_with('admin')));
create policy removed on veraz.project for delete to veraz_app using ((select veraz.is_tenant_admin()));

create policy seen on veraz.project_member for select to veraz_app
    using (user_id = (select veraz.current_user_id()) or project_id in (select veraz.projects_with('manager')));
create policy managed on veraz.project_member to veraz_app
    using (project_id in (select veraz.projects_with('admin')));

create policy managed on veraz.licence to veraz_app using ((select veraz.is_tenant_admin()));
create policy own on veraz.licence for select to veraz_app using (machine_id = (select veraz.current_machine()));

create policy seen on veraz.credit_balance for select to veraz_app using ((select veraz.current_tenant()) is not null);
create policy moved on veraz.credit_balance to veraz_ledger using (true) with check (true);
create policy seen on veraz.credit_entry for select to veraz_app using ((select veraz.is_tenant_admin()));
create policy moved on veraz.credit_entry to veraz_ledger using (true) with check (true);
create policy seen on veraz.audit_entry for select to veraz_app using ((select veraz.is_tenant_admin()));
create policy written on veraz.audit_entry for insert to veraz_ledger with check (true);

create policy seen on veraz.agent for select to veraz_app using (project_id in (select veraz.projects_with('member')));
create policy managed on veraz.agent to veraz_app using (project_id in (select veraz.projects_with('manager')));

create policy seen on veraz.knowledge_base for select to veraz_app
    using (case when kind = 'personal' then owner_id = (select veraz.current_user_id())
                                           or (select veraz.current_role_name()) = 'worker'
           when (select veraz.is_tenant_admin()) then true
           when project_id is not null then project_id in (select veraz.projects_with('manager'))
           else (select veraz.uses_shared_kbs('read')) end);
create policy managed on veraz.knowledge_base to veraz_app
    using (case when kind = 'personal' then owner_id = (select veraz.current_user_id())
                                           or (select veraz.current_role_name()) = 'worker'
           when (select veraz.is_tenant_admin()) then true
           when project_id is not null then project_id in (select veraz.projects_with('manager'))
           else (select veraz.uses_shared_kbs('write')) end);

create policy seen on veraz.edition for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.edition to veraz_app using (kb_id in (select veraz.kbs_with('write')));

create policy seen on veraz.assignment for select to veraz_app
    using (case when owner_id is null then project_id in (select veraz.projects_with('manager'))
           else owner_id = (select veraz.current_user_id()) end);
create policy managed on veraz.assignment to veraz_app
    using (case when owner_id is null then project_id in (select veraz.projects_with('manager'))
                and kb_id in (select veraz.kbs_with('read'))
           else owner_id = (select veraz.current_user_id()) and project_id in (select veraz.projects_with('member')) end);

create policy seen on veraz.document for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.document to veraz_app using (kb_id in (select veraz.kbs_with('write')));
create policy seen on veraz.chunk for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.chunk to veraz_app using (kb_id in (select veraz.kbs_with('write')));
create policy seen on veraz.document_text for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.document_text to veraz_app using (kb_id in (select veraz.kbs_with('write')));
create policy seen on veraz.document_version for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.document_version to veraz_app using (kb_id in (select veraz.kbs_with('write')));
create policy seen on veraz.correction for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.correction to veraz_app using (kb_id in (select veraz.kbs_with('write')));
-- Who acts for one machine sees nothing that is bound to another.
create policy machine on veraz.document as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy machine on veraz.chunk as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy machine on veraz.edition_term as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy machine on veraz.document_text as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy machine on veraz.document_version as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy machine on veraz.correction as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy seen on veraz.edition_term for select to veraz_app
    using (edition_id in (select e.id from veraz.edition e));
create policy managed on veraz.edition_term for insert to veraz_app
    with check (edition_id in (select e.id from veraz.edition e where e.kb_id in (select veraz.kbs_with('write'))));
create policy cached on veraz.embedding_cache to veraz_app
    using (document_id in (select d.id from veraz.document d where d.kb_id in (select veraz.kbs_with('write'))));

create policy seen on veraz.job for select to veraz_app
    using (case when kb_id is null then (select veraz.is_tenant_admin()) else kb_id in (select veraz.kbs_with('read')) end);
create policy managed on veraz.job to veraz_app
    using (case when kb_id is null then (select veraz.is_tenant_admin()) else kb_id in (select veraz.kbs_with('write')) end);
-- Requests begin to read documents and sites, of documents they may see. Every other job begins with what happened to a row.
create policy begun on veraz.job as restrictive for insert to veraz_app
    with check (kind in ('ingest', 'crawl') and (document_id is null or exists (
        select from veraz.document d where d.id = job.document_id and d.kb_id = job.kb_id)));
create policy seen on veraz.job_history for select to veraz_app
    using (case when kb_id is null then (select veraz.is_tenant_admin()) else kb_id in (select veraz.kbs_with('read')) end);
create policy managed on veraz.job_history to veraz_app
    using (case when kb_id is null then (select veraz.is_tenant_admin()) else kb_id in (select veraz.kbs_with('write')) end);

-- What the ledger's own functions touch on the way: file clean-up jobs and word counts.
create policy counted on veraz.edition_term for insert to veraz_ledger with check (true);
create policy cleaned on veraz.job for insert to veraz_ledger with check (true);
create policy handed_out on veraz.job for update to veraz_ledger using (true) with check (true);
create policy looked_up on veraz.tenant for select to veraz_ledger using (true);
create policy looked_up on veraz.edition for select to veraz_ledger using (true);
create policy looked_up on veraz.knowledge_base for select to veraz_ledger using (true);

create policy seen on veraz.event for select to veraz_app
    using (case when kb_id is null then (select veraz.is_tenant_admin()) else kb_id in (select veraz.kbs_with('read')) end);
-- Requests tell of conversations they may see, and of documents they may change.
create policy written on veraz.event for insert to veraz_app
    with check (case when kb_id is null then document_id is null and exists (
            select from veraz.conversation c
            where c.id = (payload ->> 'conversation_id')::uuid and c.agent_id = (payload ->> 'agent_id')::uuid)
        else kb_id in (select veraz.kbs_with('write')) and (document_id is null or exists (
            select from veraz.document d where d.id = event.document_id and d.kb_id = event.kb_id)) end);

-- What tells of a document of another machine is bound to that machine as the document is.
create policy machine on veraz.job as restrictive to veraz_app
    using ((select veraz.current_machine()) is null
        or coalesce(payload ->> 'machine_id', 'global') in ('global', (select veraz.current_machine()))
           and (document_id is null or exists (select from veraz.document d where d.id = job.document_id)));
create policy machine on veraz.job_history as restrictive to veraz_app
    using ((select veraz.current_machine()) is null
        or coalesce(payload ->> 'machine_id', 'global') in ('global', (select veraz.current_machine()))
           and (document_id is null or exists (select from veraz.document d where d.id = job_history.document_id)));
create policy machine on veraz.event as restrictive for select to veraz_app
    using ((select veraz.current_machine()) is null or kb_id is not null and (document_id is null or exists (
        select from veraz.document d where d.id = event.document_id)));
create policy machine on veraz.query_log as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id is null or machine_id = (select veraz.current_machine()));

-- Questions: one's own too.
create policy own on veraz.query_log for select to veraz_app using (user_id = (select veraz.current_user_id()));
-- Questions put to an agent are for who manages it; a search in knowledge bases for who may look into all of them.
create policy seen on veraz.query_log for select to veraz_app
    using (case when project_id is not null then project_id in (select veraz.projects_with('manager'))
           else kb_ids <@ array(select veraz.kbs_with('read')) end);
create policy written on veraz.query_log for insert to veraz_app
    with check (user_id is not distinct from (select veraz.current_user_id())
        and (project_id is null or project_id in (select veraz.projects_with('member'))));
-- How a question was answered is for who manages the agent; what stands on personal knowledge only for who asked.
create policy managed on veraz.query_trace for select to veraz_app
    using (project_id in (select veraz.projects_with('manager')));
create policy personal on veraz.query_trace as restrictive for select to veraz_app
    using (not personal or user_id = (select veraz.current_user_id()));
create policy machine on veraz.query_trace as restrictive for select to veraz_app
    using ((select veraz.current_machine()) is null);
create policy written on veraz.query_trace for insert to veraz_app
    with check (user_id is not distinct from (select veraz.current_user_id())
        and project_id in (select veraz.projects_with('member')));
create policy noted on veraz.knowledge_base for update to veraz_ledger
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));
create policy folded on veraz.edition_term for delete to veraz_ledger using (true);
create policy folding on veraz.edition_term for select to veraz_ledger using (true);

-- Answers. A conversation belongs to who started it: the user, or without one the key; managers of its project see it.
create policy own on veraz.conversation to veraz_app
    using (case when user_id is not null then user_id = (select veraz.current_user_id())
           else key_id = (select veraz.current_key())
               and (select veraz.current_user_id()) is null end
           and project_id in (select veraz.projects_with('member')));
create policy managed on veraz.conversation to veraz_app using (project_id in (select veraz.projects_with('manager')));
create policy machine on veraz.conversation as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id is null or machine_id = (select veraz.current_machine()));
-- Looked up one by one: a message that is written must not wait until every conversation has been read.
create policy own on veraz.message to veraz_app
    using (exists (select from veraz.conversation c where c.id = message.conversation_id));
-- What an agent said from somebody's personal knowledge base is not for the managers who may read along.
create policy personal on veraz.message as restrictive to veraz_app
    using (not personal or exists (
        select from veraz.conversation c
        where c.id = message.conversation_id and c.user_id = (select veraz.current_user_id())));
create policy own on veraz.feedback to veraz_app
    using (exists (select from veraz.message m where m.id = feedback.message_id));
create policy managed on veraz.exam_question to veraz_app
    using (agent_id in (select a.id from veraz.agent a where a.project_id in (select veraz.projects_with('manager'))));
create policy managed on veraz.exam_run to veraz_app
    using (agent_id in (select a.id from veraz.agent a where a.project_id in (select veraz.projects_with('manager'))));
create policy managed on veraz.agent_change to veraz_app
    using (agent_id in (select a.id from veraz.agent a where a.project_id in (select veraz.projects_with('manager'))));
create policy seen on veraz.agent_version for select to veraz_app
    using (agent_id in (select a.id from veraz.agent a where a.project_id in (select veraz.projects_with('manager'))));
create policy kept on veraz.agent_version for insert to veraz_ledger with check (true);
create policy counted on veraz.agent_version for select to veraz_ledger using (true);
create policy seen on veraz.domain_intelligence for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.domain_intelligence to veraz_app using (kb_id in (select veraz.kbs_with('write')));

-- Webhooks: of the whole tenant for its admins, of a project for who manages it.
create policy managed on veraz.webhook to veraz_app
    using (case when project_id is null then (select veraz.is_tenant_admin())
           else project_id in (select veraz.projects_with('manager')) end);
create policy managed on veraz.webhook_delivery to veraz_app
    using (webhook_id in (select w.id from veraz.webhook w));
create policy machine on veraz.webhook_delivery as restrictive for select to veraz_app
    using ((select veraz.current_machine()) is null or not data ? 'conversation_id' and (not data ? 'document_id' or exists (
        select from veraz.document d where d.id = (data ->> 'document_id')::uuid)));
create policy announcing on veraz.webhook for select to veraz_ledger using (tenant_id = (select veraz.current_tenant()));
create policy announcing on veraz.agent for select to veraz_ledger using (tenant_id = (select veraz.current_tenant()));
create policy announced on veraz.webhook_delivery for insert to veraz_ledger
    with check (tenant_id = (select veraz.current_tenant()));
