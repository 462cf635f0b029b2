-- Every change of what an agent's managers decide becomes a version, in the transaction of the change.
create or replace function veraz.keep_agent_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.keep_agent_version() owner to veraz_ledger;
create or replace trigger keep_version after insert or update on veraz.agent
    for each row execute function veraz.keep_agent_version();
