-- A change of an agent that has an exam becomes a job, in the transaction of the change.
create or replace function veraz.examine_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into veraz.job (id, tenant_id, kind, payload, max_attempts, created_by)
    values (veraz.new_id(), new.tenant_id, 'run_exam', jsonb_build_object('change_id', new.id), 3, new.created_by);
    return null;
end $$;
alter function veraz.examine_change() owner to veraz_ledger;
create or replace trigger examine_change after insert on veraz.agent_change
    for each row when (new.status <> 'held') execute function veraz.examine_change();
create or replace trigger belongs_forever before update on veraz.agent_change
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'agent_id', 'changes');
