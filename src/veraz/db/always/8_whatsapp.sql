-- WhatsApp: who answers at a number, a message's way in, and the one job that works on a person's messages.

-- Before the tenant is known, and only then: the numbers of this id, the oldest first, and whether a verify token exists.
create or replace function veraz.whatsapp_numbers_of(p_phone_number_ids text[])
returns table (id uuid, tenant_id uuid, phone_number_id text, app_secret_sealed bytea, active boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select n.id, n.tenant_id, n.phone_number_id, n.app_secret_sealed, n.active
    from veraz.whatsapp_number n
    where n.phone_number_id = any (p_phone_number_ids)
    order by n.created_at, n.id;
end;
alter function veraz.whatsapp_numbers_of(text[]) owner to veraz_search;

create or replace function veraz.whatsapp_token_known(p_hash bytea) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select from veraz.whatsapp_number n where n.token_hash = p_hash);
end;
alter function veraz.whatsapp_token_known(bytea) owner to veraz_search;

-- The person behind a message. Meta's own id of them comes first; a phone that now belongs to another id is another
-- person, who must not continue the first one's conversation. Somebody known by phone alone may turn out to be somebody
-- known by id: both keep what they are reached by, and the one with the id goes on.
create or replace function veraz.whatsapp_contact_of(p_number_id uuid, p_bsuid text, p_phone text, p_name text)
returns uuid language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    found_id uuid;
begin
    select c.id into found_id from veraz.whatsapp_contact c where c.number_id = p_number_id and c.bsuid = p_bsuid;
    if found_id is null then
        select c.id into found_id from veraz.whatsapp_contact c
        where c.number_id = p_number_id and c.phone = p_phone and (c.bsuid is null or p_bsuid is null);
    end if;
    update veraz.whatsapp_contact c set phone = null
    where c.number_id = p_number_id and c.phone = p_phone and c.id is distinct from found_id and c.bsuid is not null;
    if found_id is not null then
        update veraz.whatsapp_contact c set bsuid = coalesce(p_bsuid, c.bsuid), name = coalesce(nullif(p_name, ''), c.name),
            phone = case when exists (select from veraz.whatsapp_contact o where o.number_id = p_number_id
                                          and o.phone = p_phone and o.id <> found_id)
                    then c.phone else coalesce(p_phone, c.phone) end
        where c.id = found_id;
        return found_id;
    end if;
    insert into veraz.whatsapp_contact (id, project_id, number_id, bsuid, phone, name)
    select veraz.new_id(), n.project_id, n.id, p_bsuid, p_phone, p_name
    from veraz.whatsapp_number n where n.id = p_number_id
    returning id into found_id;
    return found_id;
end $$;

-- The contact's conversation with the number's agent; the number, as the key that started it, owns it.
create or replace function veraz.whatsapp_conversation_of(p_contact_id uuid)
returns uuid language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    found_id uuid;
begin
    select v.id into found_id
    from veraz.whatsapp_contact c
    join veraz.whatsapp_number n on n.id = c.number_id
    join veraz.conversation v on v.id = c.conversation_id and v.agent_id = n.agent_id
    where c.id = p_contact_id;
    if found_id is not null then
        return found_id;
    end if;
    insert into veraz.conversation (id, agent_id, project_id, key_id, channel, title)
    select veraz.new_id(), n.agent_id, n.project_id, n.id, 'whatsapp', left(coalesce(nullif(c.name, ''), c.phone, c.bsuid), 120)
    from veraz.whatsapp_contact c join veraz.whatsapp_number n on n.id = c.number_id
    where c.id = p_contact_id
    returning id into found_id;
    update veraz.whatsapp_contact set conversation_id = found_id where id = p_contact_id;
    return found_id;
end $$;

-- Messages come in; how many are new. One call at a time for each number, so that nothing can wait in circles.
create or replace function veraz.receive_whatsapp(p_number_id uuid, p_messages jsonb)
returns int language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    m record;
    contact uuid;
    new_ones int := 0;
begin
    perform pg_advisory_xact_lock(hashtextextended(p_number_id::text, 10));
    for m in
        select r.* from jsonb_to_recordset(p_messages)
            as r (bsuid text, phone text, name text, wamid text, kind text, text text, said_at timestamptz)
    loop
        continue when exists (
            select from veraz.whatsapp_message k where k.number_id = p_number_id and k.wamid = m.wamid);
        contact := veraz.whatsapp_contact_of(p_number_id, m.bsuid, m.phone, m.name);
        update veraz.whatsapp_contact c set last_in_at = greatest(c.last_in_at, least(m.said_at, now()))
        where c.id = contact or (c.number_id = p_number_id and c.phone = m.phone);
        insert into veraz.whatsapp_message (id, number_id, contact_id, conversation_id, direction, kind, text, wamid, state,
            said_at)
        values (veraz.new_id(), p_number_id, contact, veraz.whatsapp_conversation_of(contact), 'in', m.kind, m.text, m.wamid,
            'waiting', m.said_at);
        new_ones := new_ones + 1;
    end loop;
    return new_ones;
end $$;

-- Somebody has to look at this contact's messages: a job, unless one is at it. The lock makes both sides wait for each
-- other, so that no message can arrive just as the last job leaves. Somebody is waiting at the other end: it goes before
-- the tenant's documents.
create or replace function veraz.wake_whatsapp(p_contact_id uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    at_work uuid;
    job uuid := veraz.new_id();
begin
    select c.job_id into at_work from veraz.whatsapp_contact c
    where c.id = p_contact_id and c.tenant_id = (select veraz.current_tenant()) for update;
    if not found or exists (
        select from veraz.job j where j.id = at_work and j.status in ('PENDING', 'RUNNING')) or not exists (
        select from veraz.whatsapp_message m
        where m.contact_id = p_contact_id and m.tenant_id = (select veraz.current_tenant())
          and m.state in ('waiting', 'ready', 'sending')) then
        return;
    end if;
    insert into veraz.job (id, tenant_id, kind, payload, run_after)
    values (job, (select veraz.current_tenant()), 'whatsapp', jsonb_build_object('contact_id', p_contact_id), now() - interval '1 day');
    update veraz.whatsapp_contact set job_id = job where id = p_contact_id;
end $$;
alter function veraz.wake_whatsapp(uuid) owner to veraz_ledger;

create or replace function veraz.whatsapp_waits() returns trigger language plpgsql as $$
begin
    perform veraz.wake_whatsapp(new.contact_id);
    return null;
end $$;
create or replace trigger whatsapp_waits after insert on veraz.whatsapp_message
    for each row execute function veraz.whatsapp_waits();

create or replace trigger touch before update on veraz.whatsapp_number for each row execute function veraz.touch();
create or replace trigger belongs_forever before update on veraz.whatsapp_number
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'project_id', 'phone_number_id');
create or replace trigger belongs_forever before update on veraz.whatsapp_contact
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'project_id', 'number_id');
create or replace trigger belongs_forever before update on veraz.whatsapp_message
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'number_id', 'contact_id', 'direction');
create or replace trigger audit after insert or update or delete on veraz.whatsapp_number
    for each row execute function veraz.audit('agent_id', 'name', 'answered_by', 'active', 'secrets_changed_at');

-- For who manages the project; the number's secrets are sealed besides.
create policy managed on veraz.whatsapp_number to veraz_app using (project_id in (select veraz.projects_with('manager')));
create policy managed on veraz.whatsapp_contact to veraz_app using (project_id in (select veraz.projects_with('manager')));
create policy managed on veraz.whatsapp_message to veraz_app
    using (contact_id in (select c.id from veraz.whatsapp_contact c));
create policy looked_up on veraz.whatsapp_number for select to veraz_search using (true);
create policy waking on veraz.whatsapp_contact to veraz_ledger using (tenant_id = (select veraz.current_tenant()));
create policy waking on veraz.whatsapp_message for select to veraz_ledger using (tenant_id = (select veraz.current_tenant()));

-- Secrets that are not given stay. Here, because who changes a number cannot read them.
create or replace function veraz.keep_secrets() returns trigger language plpgsql as $$
begin
    new.access_token_sealed := coalesce(new.access_token_sealed, old.access_token_sealed);
    new.app_secret_sealed := coalesce(new.app_secret_sealed, old.app_secret_sealed);
    new.token_hash := coalesce(new.token_hash, old.token_hash);
    return new;
end $$;
create or replace trigger keep_secrets before update on veraz.whatsapp_number
    for each row execute function veraz.keep_secrets();
