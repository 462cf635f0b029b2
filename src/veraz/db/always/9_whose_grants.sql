-- After 9_grants.sql, which starts from nothing: whose a row is, is said when it is written. An update may change what a row
-- says, and no column that says whose it is: of a key, of a reference, or called …_id, …_by or storage_key.
do $$
declare
    t record;
begin
    for t in
        select c.oid::regclass as name, r.role, string_agg(quote_ident(a.attname), ', ') filter (where not (
            a.attname ~ '(_ids?|_by)$' or a.attname = 'storage_key'
            or exists (select from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'f') and a.attnum = any (k.conkey))
        )) as free
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        cross join (values ('veraz_app'), ('veraz_worker')) r (role)
        where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege(r.role, c.oid, 'update')
          and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'tenant_id')
        group by c.oid, r.role
    loop
        execute format('revoke update on %s from %I', t.name, t.role);
        execute format('grant update (%s) on %s to %I', t.free, t.name, t.role);
    end loop;
end $$;
-- What may change hands all the same, each for a reason (tests/laws/test_catalogue.py).
grant update (superseded_by) on veraz.document to veraz_app, veraz_worker;
grant update (live_edition_id) on veraz.knowledge_base to veraz_app, veraz_worker;
grant update (edited_by) on veraz.chunk to veraz_app, veraz_worker;
grant update (job_id) on veraz.document_version to veraz_app, veraz_worker;
grant update (expected_document_id) on veraz.exam_question to veraz_app;
grant update (client_id) on veraz.identity_provider to veraz_app;
grant update (conversation_id) on veraz.whatsapp_contact to veraz_app, veraz_worker;
grant update (agent_id, answered_by) on veraz.whatsapp_number to veraz_app, veraz_worker;
grant update (storage_key) on veraz.document to veraz_worker;
grant update (run_id) on veraz.agent_change to veraz_worker;
grant update (job_id) on veraz.whatsapp_contact, veraz.whatsapp_message to veraz_worker;
grant update (user_id) on veraz.query_log, veraz.feedback to veraz_worker;
-- What a job does is said with it; requests only let it be tried again, or end it.
revoke update (kind, payload) on veraz.job from veraz_app;
revoke update (kind) on veraz.job from veraz_worker;
-- A receipt says what was forgotten, and a worker that it is done.
revoke update on veraz.forgetting from veraz_worker;
grant update (status, removed, finished_at) on veraz.forgetting to veraz_worker;
