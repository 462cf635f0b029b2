-- Security events (veraz/security.py): written and forgotten by functions of the ledger, read by who they are for.

-- Of the tenant that the scope names; without one, of the installation itself. The keys that were not seen at their address
-- before come back, so that those are told of once.
create or replace function veraz.record_security_events(p_events jsonb)
returns table (at timestamptz, key_id uuid, address text)
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
    insert into veraz.security_event (tenant_id, at, kind, outcome, user_id, key_id, about, address, request_id, details)
    select coalesce((select veraz.current_tenant()), '00000000-0000-0000-0000-000000000000'), e.at, e.kind, e.outcome, e.user_id,
           e.key_id, e.about, e.address, e.request_id, coalesce(e.details, '{}')
    from jsonb_to_recordset(p_events) as e(at timestamptz, kind text, outcome text, user_id uuid, key_id uuid, about uuid,
                                           address text, request_id text, details jsonb)
    where (select veraz.current_tenant()) is null
       or exists (select from veraz.tenant t where t.id = (select veraz.current_tenant())) -- what comes late of a deleted one
    on conflict do nothing
    returning at, key_id, address;
end;
alter function veraz.record_security_events(jsonb) owner to veraz_ledger;

-- Those of the installation itself, for the platform's administrators.
create or replace function veraz.installation_events()
returns setof veraz.security_event
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select e.* from veraz.security_event e
    where e.tenant_id = '00000000-0000-0000-0000-000000000000' and (select veraz.is_platform_admin());
end;
alter function veraz.installation_events() owner to veraz_search;

create or replace function veraz.forget_security_events(p_days int) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare gone bigint;
begin
    delete from veraz.security_event where at < now() - make_interval(days => p_days);
    get diagnostics gone = row_count;
    return gone;
end $$;
alter function veraz.forget_security_events(int) owner to veraz_ledger;

create policy seen on veraz.security_event for select to veraz_app using ((select veraz.is_tenant_admin()));
create policy installation on veraz.security_event for select to veraz_search
    using (tenant_id = '00000000-0000-0000-0000-000000000000' and (select veraz.is_platform_admin()));
create policy written on veraz.security_event for insert to veraz_ledger with check (true);
create policy forgotten on veraz.security_event for delete to veraz_ledger using (true);
create policy forgotten_seen on veraz.security_event for select to veraz_ledger using (true);
