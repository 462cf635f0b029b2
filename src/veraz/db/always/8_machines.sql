-- MACHINES. Whoever acts for a machine, or adds something for one, names it; a name without a licence is let in by the
-- tenant's own rule and never without a trace: it gets a licence, or is refused.
create policy admitted on veraz.licence to veraz_ledger
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));

-- What a machine's licence is; «unknown» where there is none and the rule makes none.
create or replace function veraz.admit_machine(p_machine_id text, p_id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    tenant constant uuid := veraz.current_tenant();
    found text;
begin
    select l.status into found from veraz.licence l where l.tenant_id = tenant and l.machine_id = p_machine_id;
    if found is null then
        if (select t.unknown_machines from veraz.tenant t where t.id = tenant) is distinct from 'create' then
            return 'unknown';
        end if;
        insert into veraz.licence (id, tenant_id, machine_id) values (p_id, tenant, p_machine_id)
        on conflict (tenant_id, machine_id) do nothing;
        return 'active';
    end if;
    return found;
end $$;
alter function veraz.admit_machine(text, uuid) owner to veraz_ledger;

-- Keys of end users are for the tenant's admins; the doorkeeper reads them in the tenant whose service key was shown.
create policy managed on veraz.end_user_key to veraz_app using ((select veraz.is_tenant_admin()));
create policy managed on veraz.end_user_token to veraz_app using ((select veraz.is_tenant_admin()));
create or replace trigger audit after insert or update or delete on veraz.end_user_key
    for each row execute function veraz.audit('name', 'algorithm', 'ends_at');
