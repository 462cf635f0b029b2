-- Webhooks: an event becomes a delivery for everybody who asked for it, and a delivery becomes a job, in the
-- transaction of the event itself.

-- A UUIDv7 as ids.py makes them, so that rows made here sort by age too.
create or replace function veraz.new_id() returns uuid language sql volatile
return encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid;

-- What happens in somebody's personal knowledge base is not told to anybody else.
create or replace function veraz.announce() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into veraz.webhook_delivery (id, tenant_id, webhook_id, event_id, kind, data, happened_at)
    select veraz.new_id(), w.tenant_id, w.id, e.id, e.kind,
        e.payload || jsonb_strip_nulls(jsonb_build_object('kb_id', e.kb_id, 'document_id', e.document_id)), e.at
    from added e
    join veraz.webhook w on w.tenant_id = e.tenant_id and w.enabled and e.kind = any (w.events)
    left join veraz.knowledge_base kb on kb.id = e.kb_id and kb.tenant_id = e.tenant_id
    left join veraz.agent a on a.id::text = e.payload ->> 'agent_id' and a.tenant_id = e.tenant_id
    where (e.kb_id is null or kb.kind = 'global')
      and (w.project_id is null or w.project_id = coalesce(kb.project_id, a.project_id));
    return null;
end $$;
alter function veraz.announce() owner to veraz_ledger;
create or replace trigger announce after insert on veraz.event
    referencing new table as added for each statement execute function veraz.announce();

create or replace function veraz.send_delivery() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into veraz.job (id, tenant_id, kind, payload, max_attempts, created_by)
    values (veraz.new_id(), new.tenant_id, 'deliver_webhook', jsonb_build_object('delivery_id', new.id), 8,
        (select veraz.current_user_id()));
    return null;
end $$;
alter function veraz.send_delivery() owner to veraz_ledger;
create or replace trigger send_delivery after insert on veraz.webhook_delivery
    for each row when (new.status = 'pending') execute function veraz.send_delivery();
create or replace trigger send_delivery_again after update of status on veraz.webhook_delivery
    for each row when (new.status = 'pending' and old.status <> 'pending') execute function veraz.send_delivery();

create or replace trigger touch before update on veraz.webhook for each row execute function veraz.touch();
create or replace trigger belongs_forever before update on veraz.webhook
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'project_id');
create or replace trigger belongs_forever before update on veraz.webhook_delivery
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'webhook_id', 'kind', 'data');
create or replace trigger audit after insert or update or delete on veraz.webhook
    for each row execute function veraz.audit('name', 'url', 'events', 'enabled', 'note', 'secret_changed_at');

-- A new secret: the one before it signs for another day, for receivers that have not heard of the new one. Kept here, because
-- who changes a webhook cannot read its secrets.
create or replace function veraz.keep_previous_secret() returns trigger language plpgsql as $$
begin
    new.previous_sealed := old.secret_sealed;
    new.previous_until := now() + interval '1 day';
    return new;
end $$;
create or replace trigger keep_previous_secret before update of secret_sealed on veraz.webhook
    for each row execute function veraz.keep_previous_secret();
