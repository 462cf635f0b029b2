-- Least privilege, after everything else is there. The ledger and the audit log are written only by their own functions.
do $$
begin
    execute 'revoke all on all tables in schema veraz from public, veraz_app, veraz_worker, veraz_signin, veraz_platform,
        veraz_queue, veraz_search, veraz_ledger, veraz_gate, veraz_keeper';
    execute 'revoke all on all functions in schema veraz from public, veraz_app, veraz_worker, veraz_signin, veraz_platform,
        veraz_queue';
end $$;
grant select, insert, update, delete on all tables in schema veraz to veraz_app, veraz_worker;
revoke insert, update, delete on veraz.migration, veraz.audit_entry, veraz.credit_entry, veraz.credit_balance
    from veraz_app, veraz_worker;
revoke update, delete on veraz.embedding_space from veraz_app, veraz_worker;
revoke insert, update, delete on veraz.agent_version from veraz_app, veraz_worker;
revoke insert, update, delete on veraz.plan from veraz_app;
revoke insert, update, delete on veraz.tenant from veraz_app;
grant update (name, links_open, unknown_machines, signed_end_users) on veraz.tenant to veraz_app;
revoke insert, update, delete on veraz.plan, veraz.tenant, veraz.project, veraz.project_member, veraz.licence
    from veraz_worker;
revoke insert, delete on veraz.webhook from veraz_worker;
grant usage on all sequences in schema veraz to veraz_app, veraz_worker, veraz_ledger;
grant select on all tables in schema veraz to veraz_search;
revoke all on veraz.scope_key from veraz_app, veraz_worker, veraz_search;
grant select on veraz.scope_key to veraz_gate;
grant insert on veraz.audit_entry, veraz.credit_entry to veraz_ledger;
grant select on veraz.credit_entry to veraz_ledger;
grant select, insert, update on veraz.credit_balance to veraz_ledger;
grant select on veraz.tenant, veraz.edition, veraz.knowledge_base to veraz_ledger;
grant insert on veraz.job, veraz.edition_term to veraz_ledger;
grant update on veraz.job to veraz_ledger;
grant update on veraz.chunk to veraz_ledger;  -- to lock the table; no policy lets it change a row
grant update (last_queried_at) on veraz.knowledge_base to veraz_ledger;
grant select, delete on veraz.edition_term to veraz_ledger;
revoke update, delete on veraz.query_log, veraz.query_trace from veraz_app;
-- Only the queue moves vectors; a worker notes those of its tenant.
revoke insert, update, delete on veraz.vector_home from veraz_app, veraz_worker;
revoke all on veraz.vector_outbox from veraz_app;
grant select, insert, update, delete on veraz.vector_outbox, veraz.vector_home to veraz_queue;
grant select on veraz.embedding_space to veraz_queue;
grant usage on sequence veraz.vector_change to veraz_queue;
-- The platform's admin: tenants, plans, and what a new tenant starts with.
grant select, insert, update, delete on veraz.plan to veraz_platform;
grant select, insert, update on veraz.tenant to veraz_platform;
grant insert on veraz.project to veraz_platform;
grant select, insert, update on veraz.vector_outbox to veraz_ledger;
grant select on veraz.vector_home to veraz_ledger;
grant select on veraz.webhook, veraz.agent to veraz_ledger;
grant insert on veraz.webhook_delivery to veraz_ledger;
grant select, insert on veraz.agent_version to veraz_ledger;
grant select, insert on veraz.licence to veraz_ledger;

-- Trigger functions stay with their triggers: hung on a temporary table, one that runs as its owner would tell about,
-- or write into, any tenant.
do $$
declare
    f record;
begin
    for f in select p.oid::regprocedure as signature, p.prorettype = 'trigger'::regtype as is_trigger
             from pg_proc p where p.pronamespace = 'veraz'::regnamespace loop
        execute format('grant execute on function %s to veraz_search, veraz_ledger, veraz_gate, veraz_keeper', f.signature);
        if not f.is_trigger then
            execute format('grant execute on function %s to veraz_app, veraz_worker', f.signature);
        end if;
    end loop;
end $$;
revoke execute on function veraz.book_credits(bigint, text, text, text, bigint, numeric, uuid),
    veraz.is_personal(text, jsonb), veraz.spaces_without_index(bigint), veraz.fold_terms(bigint),
    veraz.space_chunks(int)
    from veraz_app, veraz_worker;
revoke execute on function veraz.claim_jobs(text, text[], int, interval, boolean), veraz.renew_leases(text, uuid[], int[], interval),
    veraz.release_jobs(text, uuid[], int[]), veraz.take_back_jobs(text, int, interval), veraz.hopeless_jobs(int, interval),
    veraz.every_tenant(), veraz.forget_old(int, int, int, int, int), veraz.hold_chunk_writers()
    from veraz_app, veraz_worker;
-- Roles that do one thing may call only what that takes.
grant execute on function veraz.claim_jobs(text, text[], int, interval, boolean), veraz.renew_leases(text, uuid[], int[], interval),
    veraz.release_jobs(text, uuid[], int[]), veraz.take_back_jobs(text, int, interval), veraz.hopeless_jobs(int, interval),
    veraz.every_tenant(), veraz.forget_old(int, int, int, int, int), veraz.hold_chunk_writers(),
    veraz.scope(), veraz.current_tenant()
    to veraz_queue;
grant execute on function veraz.is_installed() to veraz_signin;
grant execute on function veraz.scope(), veraz.current_tenant(), veraz.current_user_id(), veraz.current_role_name(),
    veraz.is_tenant_admin(), veraz.is_platform_admin(), veraz.may_touch_platform_admin(uuid), veraz.is_installed(),
    veraz.new_id(), veraz.move_credits(bigint, text, text, text, bigint, numeric, uuid)
    to veraz_platform;
grant select, delete on veraz.query_log, veraz.query_trace, veraz.edition, veraz.event, veraz.job, veraz.job_history,
    veraz.webhook_delivery to veraz_ledger;
