-- MACHINES. Whoever acts for a machine, or adds something for one, names it; a name without a licence is let in by the
-- tenant's own rule and never without a trace: it gets a licence, or is refused.
create policy admitted on veraz.licence to veraz_ledger
    using (tenant_id = (select veraz.current_tenant())) with check (tenant_id = (select veraz.current_tenant()));

-- What a machine's licence is; «unknown» where there is none and the rule makes none. «created» says that it got one now, and
-- «many» that a hundred let themselves in within this hour: a leaked key does not fill the register. Those who register
-- machines are not counted.
create or replace function veraz.admit_machine(p_machine_id text, p_id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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
alter function veraz.admit_machine(text, uuid) owner to veraz_ledger;

-- Keys of end users are for the tenant's admins; the doorkeeper reads them in the tenant whose service key was shown.
create policy managed on veraz.end_user_key to veraz_app using ((select veraz.is_tenant_admin()));
create policy managed on veraz.end_user_token to veraz_app using ((select veraz.is_tenant_admin()));
create or replace trigger audit after insert or update or delete on veraz.end_user_key
    for each row execute function veraz.audit('name', 'algorithm', 'ends_at');
