-- Forgetting is begun by triggers and one function, and done by workers.
revoke insert, update, delete on veraz.forgetting from veraz_app;
revoke insert, delete on veraz.forgetting from veraz_worker; -- a receipt of a tenant's end ends it again when a backup is restored
revoke all on veraz.forgetting_source from veraz_app;
revoke all on veraz.forgotten_before from veraz_app, veraz_worker, veraz_search;
revoke update, delete on veraz.forgotten_span from veraz_app;
grant select, insert, update on veraz.forgetting to veraz_ledger;
grant insert on veraz.forgetting_source to veraz_ledger;
grant select on veraz.document, veraz.document_text, veraz.document_version, veraz.chunk, veraz.correction, veraz.message,
    veraz.conversation, veraz.audit_entry to veraz_ledger;
grant update (text, claims, evidence, held_back, forgotten_at, forgotten_why) on veraz.message to veraz_ledger;
grant update (forgotten_at) on veraz.conversation to veraz_ledger;
grant delete on veraz.audit_entry, veraz.tenant to veraz_ledger;
grant execute on function veraz.forget_tenant(uuid) to veraz_platform;
grant execute on function veraz.is_forgetting(uuid) to veraz_keeper;
grant execute on function veraz.remove_end_users(uuid, text[]) to veraz_worker;
grant update (changes) on veraz.audit_entry to veraz_ledger;
revoke execute on function veraz.open_forgetting(uuid, text), veraz.blank_answers(uuid, uuid, uuid[], text),
    veraz.forget_tenant(uuid), veraz.take_chunk(veraz.chunk),
    veraz.blank_repeats(uuid, uuid, text[], int[], int[], uuid) from veraz_app, veraz_worker;
revoke execute on function veraz.forget_in_audit(uuid, bigint[], text, text[]), veraz.gone_tenants(text[]) from veraz_app;
revoke execute on function veraz.living_text(text[], text[]) from veraz_app;
grant update (status) on veraz.licence to veraz_ledger;  -- to lock the row
grant update (description, described_by_domain) on veraz.knowledge_base to veraz_ledger;
