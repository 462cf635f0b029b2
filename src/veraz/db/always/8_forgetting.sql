-- FORGETTING. Documents and people leave by many ways: one by one, with their knowledge base, their agent, their owner.
-- So triggers begin it, whatever the way: in the deletion's own transaction what was said from a document is blanked and
-- no model hears of it again, and a job is left that looks for its words everywhere else (veraz/forgetting).

-- What stands where something stood: what happened, and when.
create or replace function veraz.forgotten_mark(p_kind text) returns text
language sql stable parallel safe set search_path = pg_catalog, pg_temp
return format('[olvidado el %s: %s]', to_char(now() at time zone 'utc', 'YYYY-MM-DD'), case p_kind
    when 'document' then 'se borró el documento' when 'chunk' then 'se borró el fragmento'
    when 'machine' then 'se borró la licencia' when 'end_user' then 'se borró el usuario'
    when 'person' then 'se borró la persona' else 'se borró' end);

-- The columns of an audit entry that say what somebody wrote or is called, blanked as those of personal knowledge bases are.
create or replace function veraz.without_words(p_changes jsonb) returns jsonb
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return (select coalesce(jsonb_object_agg(c.key, case when c.key = any (array[
        'name', 'description', 'title', 'author', 'metadata', 'source_url', 'institution', 'replaces', 'edition_stem',
        'before', 'after', 'prefix', 'suffix', 'error_message', 'email', 'external_id', 'display_name', 'user_name'])
    then '["…", "…"]'::jsonb else c.value end), '{}') from jsonb_each(p_changes) c);

-- The forgetting this transaction belongs to, begun with its job where there is none yet. Null: the whole tenant goes.
-- Whoever is writing down what was said before is waited for (newest_forgetting).
create or replace function veraz.open_forgetting(p_tenant_id uuid, p_kind text) returns uuid
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    begun uuid := nullif(current_setting('veraz.forgetting', true), '')::uuid;
begin
    if exists (select from veraz.forgetting f where f.id = begun and f.tenant_id = p_tenant_id and f.status <> 'done') then
        return begun;
    end if;
    if not exists (select from veraz.tenant t where t.id = p_tenant_id) then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('veraz.forgetting ' || p_tenant_id, 0));
    begun := veraz.new_id();
    insert into veraz.forgetting (id, tenant_id, kind, created_by)
    values (begun, p_tenant_id, p_kind, (select veraz.current_user_id()));
    insert into veraz.job (id, tenant_id, kind, payload, max_attempts, created_by)
    values (veraz.new_id(), p_tenant_id, 'forget', jsonb_build_object('forgetting_id', begun), 20,
        (select veraz.current_user_id()));
    perform set_config('veraz.forgetting', begun::text, true);
    return begun;
end $$;
alter function veraz.open_forgetting(uuid, text) owner to veraz_ledger;

-- The tenant's newest forgetting; held, it stays the newest until the transaction ends. Asked before something is read that will
-- be written down much later, and again, held, before it is: another one then means that some of it may have been forgotten.
create or replace function veraz.newest_forgetting(p_hold boolean) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if p_hold then
        perform pg_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0));
    end if;
    return (select f.id from veraz.forgetting f where f.tenant_id = (select veraz.current_tenant()) order by f.id desc limit 1);
end $$;
alter function veraz.newest_forgetting(boolean) owner to veraz_ledger;

-- Whether p_since still is the newest, and stays so; no, where one is just beginning: nobody waits for it here.
create or replace function veraz.nothing_forgotten(p_since uuid) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    return pg_try_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0))
        and veraz.newest_forgetting(false) is not distinct from p_since;
end $$;

-- A document is about to go: its words are kept for the job that looks for them, apart from what it is called.
create or replace function veraz.gather_document() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    begun constant uuid := veraz.open_forgetting(old.tenant_id, 'document');
    language constant text := coalesce(
        (select k.language from veraz.knowledge_base k where k.id = old.kb_id and k.tenant_id = old.tenant_id), old.language);
begin
    if begun is null then
        return old;
    end if;
    insert into veraz.forgetting_source (tenant_id, forgetting_id, document_id, language, what, text)
    select old.tenant_id, begun, old.id, language, w.what, w.text from (
        select 'name' as what, n.name as text from (values (old.name), (old.title)) n(name)
        union all
        select 'text', concat_ws(E'\n', old.author, old.source_url, old.institution, old.replaces)
        union all
        select 'text', string_agg(v.value, E'\n') from jsonb_each_text(old.metadata) v
        union all
        select 'text', t.text from veraz.document_text t where t.tenant_id = old.tenant_id and t.document_id = old.id
        union all
        select 'text', c.content from veraz.chunk c
        where c.tenant_id = old.tenant_id and c.document_id = old.id
          and not exists (select from veraz.document_text t where t.tenant_id = old.tenant_id and t.document_id = old.id)
        union all
        select 'text', c.after from veraz.correction c where c.tenant_id = old.tenant_id and c.document_id = old.id
        union all
        select 'name', v.name from veraz.document_version v where v.tenant_id = old.tenant_id and v.document_id = old.id
    ) w where btrim(w.text) <> '';
    update veraz.audit_entry a set changes = veraz.without_words(a.changes)
    from veraz.correction c
    where c.tenant_id = old.tenant_id and c.document_id = old.id
      and a.tenant_id = old.tenant_id and a.thing = 'correction' and a.thing_id = c.id::text;
    return old;
end $$;
alter function veraz.gather_document() owner to veraz_ledger;
create or replace trigger gather before delete on veraz.document
    for each row execute function veraz.gather_document();

-- Documents are gone: answers that stand on them are blanked, nothing said before is sent to a model again, and the audit
-- log keeps that they were there. Answers under way are waited for, or see that the documents are gone (still_known).
create or replace function veraz.forget_documents() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    whose uuid;
    ids uuid[];
    begun uuid;
    why text;
begin
    for whose, ids in select g.tenant_id, array_agg(g.id) from gone g group by g.tenant_id loop
        begun := veraz.open_forgetting(whose, 'document');
        continue when begun is null;
        perform pg_advisory_xact_lock(hashtextextended('veraz.forgetting ' || whose, 0));
        update veraz.forgetting f set removed = f.removed || jsonb_build_object('documents',
                coalesce((f.removed ->> 'documents')::int, 0) + cardinality(ids)),
            subjects = case f.kind when 'document' then f.subjects || ids::text[] else f.subjects end
        where f.id = begun returning f.kind into why;
        perform veraz.blank_answers(whose, begun, ids, why);
        update veraz.audit_entry a set changes = veraz.without_words(a.changes)
        where a.tenant_id = whose and a.thing = 'document' and a.thing_id = any (ids::text[]);
    end loop;
    return null;
end $$;
alter function veraz.forget_documents() owner to veraz_ledger;
create or replace trigger forget_documents after delete on veraz.document
    referencing old table as gone for each statement execute function veraz.forget_documents();

-- What was answered from these documents: blanked where it stands on them; where they were only read, their names go.
create or replace function veraz.blank_answers(p_tenant_id uuid, p_forgetting_id uuid, p_documents uuid[], p_why text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    blanked bigint;
begin
    with said as (
        update veraz.message m set text = veraz.forgotten_mark(p_why), claims = '[]', evidence = '[]', held_back = '[]',
            forgotten_at = now(), forgotten_why = p_why
        where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && p_documents
          and exists (select from jsonb_array_elements(m.evidence) e
                      where (e ->> 'document_id')::uuid = any (p_documents) and (e ->> 'cited')::boolean)
        returning m.conversation_id
    ), cut as (
        update veraz.conversation c set forgotten_at = clock_timestamp()
        where c.tenant_id = p_tenant_id and c.id in (select s.conversation_id from said s)
    )
    select count(*) into blanked from said;
    update veraz.message m set held_back = '[]', evidence = (
            select jsonb_agg(case when (e.value ->> 'document_id')::uuid = any (p_documents)
                then e.value || '{"document_name": "[olvidado]", "place": [], "url": null}' else e.value end order by e.ordinality)
            from jsonb_array_elements(m.evidence) with ordinality e)
    where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && p_documents;
    update veraz.forgetting f set removed = f.removed || jsonb_build_object('answers',
        coalesce((f.removed ->> 'answers')::int, 0) + blanked) where f.id = p_forgetting_id;
end $$;
alter function veraz.blank_answers(uuid, uuid, uuid[], text) owner to veraz_ledger;

-- Whether all these documents are still there, and stay so until the transaction ends: asked by who is about to write down
-- what was answered from them. Tells nothing else about them.
create or replace function veraz.still_known(p_documents uuid[]) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0));
    return not exists (
        select from unnest(p_documents) wanted(id)
        where not exists (select from veraz.document d where d.id = wanted.id and d.tenant_id = (select veraz.current_tenant())));
end $$;
alter function veraz.still_known(uuid[]) owner to veraz_ledger;

-- A text as its words alone, between single blanks, however they are written.
create or replace function veraz.words_alone(p_text text) returns text
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return ' ' || btrim(regexp_replace(lower(regexp_replace(normalize(p_text, nfkd), '[\u0300-\u036f]', '', 'g')),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2500-\u25ff\u3000-\u303f\uff00-\uff0f]+', ' ', 'g'))
    || ' ';

-- What tells that another text repeats this one: five words in the same order that are not all articles, all of a shorter
-- text, and a word as long as a clause where nobody writes blanks.
create or replace function veraz.word_runs(p_text text) returns setof text
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
begin atomic
    with said as (
        select string_to_array(btrim(veraz.words_alone(p_text)), ' ') as words
    ), run as (
        select s.words[n:n + 4] as words, cardinality(s.words) < 5 as short
        from said s cross join generate_series(1, greatest(cardinality(s.words) - 4, 1)) n
    )
    select ' ' || array_to_string(r.words, ' ') || ' ' from run r
    where r.words <> '{""}' and (r.short or (select count(*) from unnest(r.words) w where length(w) >= 4) >= 3)
    union
    select ' ' || w || ' ' from said s cross join unnest(s.words) w where octet_length(w) >= 24;
end;

-- Answers from a document that repeat these texts are blanked, and nothing said before in their conversations is sent to a
-- model again: those that say or quote them, from whatever version and place, and those that stand on a stretch of the text
-- as it is now. How many.
create or replace function veraz.blank_repeats(
    p_tenant_id uuid, p_document_id uuid, p_texts text[], p_starts int[], p_ends int[], p_chunk_id uuid default null)
returns bigint language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    runs constant text[] := array(select distinct r from unnest(p_texts) t cross join veraz.word_runs(t) r);
    wholes constant text[] := array(select veraz.words_alone(t) from unnest(p_texts) t);
    blanked bigint;
begin
    with quote as (
        select m.id, q ->> 'text' as text, (q ->> 'start_char')::int as start_char, (q ->> 'end_char')::int as end_char
        from veraz.message m cross join jsonb_array_elements(m.claims) l cross join jsonb_array_elements(l -> 'quotes') q
        where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && array[p_document_id]
          and q ->> 'document_id' = p_document_id::text
    ), repeating as (
        select m.id from veraz.message m cross join veraz.words_alone(m.text) said
        where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && array[p_document_id]
          and (exists (select from unnest(runs) r where strpos(said, r) > 0)
               or exists (select from jsonb_array_elements(m.evidence) e
                          where e ->> 'chunk_id' = p_chunk_id::text and (e ->> 'cited')::boolean))
        union
        select q.id from quote q cross join veraz.words_alone(q.text) said
        where btrim(said) <> '' and exists (select from unnest(wholes) w where strpos(w, said) > 0)
           or exists (select from unnest(runs) r where strpos(said, r) > 0)
           or exists (select from unnest(p_starts, p_ends) gone(first, last)
                      where q.start_char < gone.last and q.end_char > gone.first)
    ), said as (
        update veraz.message m set text = veraz.forgotten_mark('chunk'), claims = '[]', evidence = '[]', held_back = '[]',
            forgotten_at = now(), forgotten_why = 'chunk'
        where m.tenant_id = p_tenant_id and m.id in (select r.id from repeating r)
        returning m.conversation_id
    ), cut as (
        update veraz.conversation t set forgotten_at = clock_timestamp()
        where t.tenant_id = p_tenant_id and t.id in (select s.conversation_id from said s)
    )
    select count(*) into blanked from said;
    update veraz.message m set held_back = '[]', evidence = (
            select jsonb_agg(case when e.value ->> 'document_id' = p_document_id::text
                    and exists (select from unnest(p_starts, p_ends) gone(first, last)
                                where (e.value ->> 'start_char')::int < gone.last and (e.value ->> 'end_char')::int > gone.first)
                then e.value || '{"place": [], "url": null}' else e.value end order by e.ordinality)
            from jsonb_array_elements(m.evidence) with ordinality e)
    where m.tenant_id = p_tenant_id and m.role = 'assistant' and veraz.documents_of(m.evidence) && array[p_document_id];
    return blanked;
end $$;
alter function veraz.blank_repeats(uuid, uuid, text[], int[], int[], uuid) owner to veraz_ledger;


-- Which of these documents are still there, and stay so until the transaction ends. Tells nothing else about them.
create or replace function veraz.known_documents(p_documents uuid[]) returns setof uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('veraz.forgetting ' || (select veraz.current_tenant()), 0));
    return query select d.id from veraz.document d
        where d.id = any (p_documents) and d.tenant_id = (select veraz.current_tenant());
end $$;
alter function veraz.known_documents(uuid[]) owner to veraz_ledger;

-- One chunk goes, from a document that stays: its words are gathered, and answers that quote its stretch are blanked. The rows
-- themselves are the caller's to delete. Null where the caller may not change it.
create or replace function veraz.forget_chunk(p_document_id uuid, p_chunk_id uuid) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    c veraz.chunk;
begin
    select k.* into c from veraz.chunk k
    where k.id = p_chunk_id and k.document_id = p_document_id and k.tenant_id = (select veraz.current_tenant())
      and k.kb_id in (select veraz.kbs_with('write'))
      and ((select veraz.current_machine()) is null or k.machine_id in ('global', (select veraz.current_machine())));
    if c.id is null then
        return null;
    end if;
    return veraz.take_chunk(c);
end $$;
alter function veraz.forget_chunk(uuid, uuid) owner to veraz_ledger;

-- The same for whoever may anyway.
create or replace function veraz.take_chunk(c veraz.chunk) returns uuid
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    begun uuid;
    blanked bigint;
    texts constant text[] := array(
        select w.text from (
            select c.content as text union all select c.original union all
            select r.after from veraz.correction r
            where r.document_id = c.document_id and r.start_char < c.end_char and r.end_char > c.start_char
        ) w where btrim(w.text) <> '');
begin
    perform set_config('veraz.forgetting', '', true);
    begun := veraz.open_forgetting(c.tenant_id, 'chunk');
    perform pg_advisory_xact_lock(hashtextextended('veraz.forgetting ' || c.tenant_id, 0));
    insert into veraz.forgetting_source (tenant_id, forgetting_id, text)
    select c.tenant_id, begun, t from unnest(texts) t;
    update veraz.audit_entry a set changes = veraz.without_words(a.changes)
    from veraz.correction r
    where r.document_id = c.document_id and r.start_char < c.end_char and r.end_char > c.start_char
      and a.tenant_id = c.tenant_id and a.thing = 'correction' and a.thing_id = r.id::text;
    blanked := veraz.blank_repeats(
        c.tenant_id, c.document_id, texts, array[c.start_char], array[c.end_char], c.id);
    update veraz.forgetting f set subjects = array[c.id::text],
        removed = f.removed || jsonb_build_object('chunks', 1, 'answers', blanked)
    where f.id = begun;
    return begun;
end $$;
alter function veraz.take_chunk(veraz.chunk) owner to veraz_ledger;

-- Somebody is about to go: what they are called is looked for everywhere. What they wrote goes by whose it is, and is not looked
-- for in what others wrote; it is kept only to know what was made of it (exam questions).
create or replace function veraz.gather_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    begun constant uuid := veraz.open_forgetting(old.tenant_id, case when old.email is null then 'end_user' else 'person' end);
begin
    if begun is null then
        return old;
    end if;
    update veraz.forgetting f set subjects = f.subjects || old.id::text
    where f.id = begun and f.kind in ('end_user', 'person') and not old.id::text = any (f.subjects);
    insert into veraz.forgetting_source (tenant_id, forgetting_id, what, text)
    select old.tenant_id, begun, w.what, w.text from (
        select 'name' as what, n.name as text from (values (old.email), (old.external_id), (old.display_name)) n(name)
        union
        select 'typed', m.text from veraz.message m
        join veraz.conversation c on c.id = m.conversation_id and c.tenant_id = m.tenant_id
        where c.tenant_id = old.tenant_id and c.user_id = old.id and m.role = 'user' and m.forgotten_at is null
        union
        select 'typed', q.question from veraz.query_log q where q.tenant_id = old.tenant_id and q.user_id = old.id
    ) w where btrim(w.text) <> '' and w.text <> '[olvidado]';
    return old;
end $$;
alter function veraz.gather_user() owner to veraz_ledger;
create or replace trigger gather before delete on veraz.app_user
    for each row execute function veraz.gather_user();

create or replace function veraz.forget_users() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    update veraz.audit_entry a set changes = veraz.without_words(a.changes)
    from gone g
    where a.tenant_id = g.tenant_id and a.thing = 'app_user' and a.thing_id = g.id::text;
    return null;
end $$;
alter function veraz.forget_users() owner to veraz_ledger;
create or replace trigger forget_users after delete on veraz.app_user
    referencing old table as gone for each statement execute function veraz.forget_users();

-- Begins to forget what no row stands for alone: a machine, an end user of a channel. Only the tenant's admins may. Whatever
-- else is forgotten begins with the deletion of its row.
create or replace function veraz.begin_forgetting(p_kind text, p_subjects text[]) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    begun uuid;
begin
    if not veraz.is_tenant_admin() or p_kind is null or p_kind not in ('machine', 'end_user') then
        raise exception 'forget' using errcode = 'VZ004';
    end if;
    perform set_config('veraz.forgetting', '', true);
    begun := veraz.open_forgetting((select veraz.current_tenant()), p_kind);
    update veraz.forgetting f set subjects = p_subjects where f.id = begun;
    return begun;
end $$;
alter function veraz.begin_forgetting(text, text[]) owner to veraz_ledger;

-- Who talks in a conversation, as a forgetting names them: a user of a service, somebody on WhatsApp, or all that a visitor of a
-- website said; where nobody is known, the conversation itself. Row level security decides what the caller sees.
create or replace function veraz.who_talks(c veraz.conversation) returns text[]
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select array(
        select u.id::text from veraz.app_user u where u.email is null and u.id = c.user_id
        union
        select k.id::text from veraz.whatsapp_contact k where k.conversation_id = c.id or exists (
            select from veraz.whatsapp_message m where m.contact_id = k.id and m.conversation_id = c.id)
        union
        select o.id::text from veraz.conversation o where c.channel = 'widget' and o.channel = 'widget' and o.key_id = c.key_id
        union
        select c.id::text where c.user_id is null or c.channel in ('whatsapp', 'kairo')
        order by 1);
end;

-- Whether a worker is at it.
create or replace function veraz.is_forgetting(p_forgetting_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select from veraz.forgetting f where f.id = p_forgetting_id
                   and f.tenant_id = (select veraz.current_tenant()) and f.status = 'running');
end;
alter function veraz.is_forgetting(uuid) owner to veraz_ledger;

-- Users of a service that is answered for: they have no way in of their own. Those of a forgetting under way.
create or replace function veraz.remove_end_users(p_forgetting_id uuid, p_users text[]) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    removed bigint;
begin
    if not veraz.is_forgetting(p_forgetting_id) then
        raise exception 'forget' using errcode = 'VZ004';
    end if;
    delete from veraz.app_user u
    where u.tenant_id = veraz.current_tenant() and u.email is null and u.id::text = any (p_users);
    get diagnostics removed = row_count;
    return removed;
end $$;
alter function veraz.remove_end_users(uuid, text[]) owner to veraz_keeper;

-- A whole tenant goes: its rows, what was logged of it, and (by the job, which works where the caller is at home) its files.
-- Nobody deletes the tenant they act in.
create or replace function veraz.forget_tenant(p_tenant_id uuid) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    home constant uuid := (select veraz.current_tenant());
    begun uuid;
begin
    if not veraz.is_platform_admin() or home is null or home = p_tenant_id then
        raise exception 'delete a tenant' using errcode = 'VZ004';
    end if;
    delete from veraz.tenant t where t.id = p_tenant_id;
    if not found then
        return null;
    end if;
    delete from veraz.audit_entry a where a.tenant_id = p_tenant_id;
    delete from veraz.security_event e where e.tenant_id = p_tenant_id;
    begun := veraz.open_forgetting(home, 'tenant');
    update veraz.forgetting f set subjects = array[p_tenant_id::text], removed = '{"tenants": 1}' where f.id = begun;
    return begun;
end $$;
alter function veraz.forget_tenant(uuid) owner to veraz_ledger;

-- Of these the tenants that are there no more, whose files nobody needs. What is no id of one is left out.
create or replace function veraz.gone_tenants(p_ids text[]) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select said.id::uuid from unnest(p_ids) said(id)
    where case when said.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then not exists (
        select from veraz.tenant t where t.id = said.id::uuid) else false end;
end;
alter function veraz.gone_tenants(text[]) owner to veraz_ledger;

-- What a forgetting that is under way still has to blank in the audit log, which nobody else changes.
create or replace function veraz.forget_in_audit(p_forgetting_id uuid, p_entries bigint[], p_thing text, p_things text[])
returns bigint language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    blanked bigint;
begin
    if not veraz.is_forgetting(p_forgetting_id) then
        raise exception 'forget' using errcode = 'VZ004';
    end if;
    update veraz.audit_entry a set changes = case when a.id = any (p_entries)
        then (select coalesce(jsonb_object_agg(k, '["…", "…"]'::jsonb), '{}') from jsonb_object_keys(a.changes) k)
        else veraz.without_words(a.changes) end
    where a.tenant_id = (select veraz.current_tenant())
      and (a.id = any (p_entries) or a.thing = p_thing and a.thing_id = any (p_things));
    get diagnostics blanked = row_count;
    return blanked;
end $$;
alter function veraz.forget_in_audit(uuid, bigint[], text, text[]) owner to veraz_ledger;

-- What a knowledge base was described with goes with what was found out about it. Somebody's own description stays.
create or replace function veraz.forget_description() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    said constant text := (select k.description from veraz.knowledge_base k
        where k.tenant_id = old.tenant_id and k.id = old.kb_id and k.described_by_domain);
begin
    if said is not null then
        update veraz.knowledge_base k set description = '', described_by_domain = false
        where k.tenant_id = old.tenant_id and k.id = old.kb_id;
        update veraz.audit_entry a set changes = a.changes || '{"description": ["…", "…"]}'
        where a.tenant_id = old.tenant_id and a.thing = 'knowledge_base' and a.thing_id = old.kb_id::text
          and a.changes -> 'description' ? said;
    end if;
    return null;
end $$;
alter function veraz.forget_description() owner to veraz_ledger;
create or replace trigger forget_description after delete on veraz.domain_intelligence
    for each row execute function veraz.forget_description();

-- Somebody writes a description of their own.
create or replace function veraz.describe_by_hand() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    new.described_by_domain := new.described_by_domain and not old.described_by_domain;
    return new;
end $$;
create or replace trigger describe_by_hand before update of description on veraz.knowledge_base
    for each row when (new.description is distinct from old.description) execute function veraz.describe_by_hand();

-- Nothing is added for a machine whose licence was revoked or closed, whoever adds it; nor while it is being closed.
create or replace function veraz.refuse_closed_machine() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    known text;
begin
    select l.status into known from veraz.licence l
    where l.tenant_id = new.tenant_id and l.machine_id = new.machine_id for share;
    if known in ('revoked', 'closed') then
        raise exception '%', new.machine_id using errcode = 'VZ012';
    end if;
    return new;
end $$;
alter function veraz.refuse_closed_machine() owner to veraz_ledger;
create or replace trigger refuse_closed_machine before insert or update of machine_id on veraz.document
    for each row when (new.machine_id <> 'global') execute function veraz.refuse_closed_machine();

-- Texts of the tenant that hold all the words of a query and, plain, match its pattern, if it has one; some of each query, by its
-- number. For workers, who look whether what is being forgotten also stands elsewhere.
create or replace function veraz.living_text(p_queries text[], p_patterns text[]) returns table (query int, text text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select q.number::int, c.text from unnest(p_queries, p_patterns) with ordinality q(words, pattern, number)
    cross join lateral (
        select found.text from (
            select concat_ws(E'\n', array_to_string(k.headers, E'\n'), k.content) as text from veraz.chunk k
            where k.lexemes @@ q.words::tsquery and k.tenant_id = (select veraz.current_tenant()) limit 2000) found
        where q.pattern is null or veraz.plain(found.text) ~ q.pattern limit 50) c;
end;
alter function veraz.living_text(text[], text[]) owner to veraz_search;

-- Who began it, and what: one entry in the audit log.
create or replace trigger audit after insert on veraz.forgetting
    for each row execute function veraz.audit('kind', 'status');

-- Receipts are for the tenant's admins; the words on their way out for nobody.
create policy seen on veraz.forgetting for select to veraz_app using ((select veraz.is_tenant_admin()));
create policy seen on veraz.forgotten_span for select to veraz_app using (kb_id in (select veraz.kbs_with('read')));
create policy managed on veraz.forgotten_span for insert to veraz_app with check (kb_id in (select veraz.kbs_with('write')));
create policy machine on veraz.forgotten_span as restrictive to veraz_app
    using ((select veraz.current_machine()) is null or machine_id in ('global', (select veraz.current_machine())));
create policy begun on veraz.forgetting to veraz_ledger using (true) with check (true);
create policy gathered on veraz.forgetting_source for insert to veraz_ledger with check (true);
create policy gathering on veraz.document for select to veraz_ledger using (true);
create policy gathering on veraz.document_text for select to veraz_ledger using (true);
create policy gathering on veraz.document_version for select to veraz_ledger using (true);
create policy gathering on veraz.chunk for select to veraz_ledger using (true);
create policy gathering on veraz.correction for select to veraz_ledger using (true);
create policy blanked on veraz.message for select to veraz_ledger using (true);
create policy blanking on veraz.message for update to veraz_ledger using (true) with check (true);
create policy blanked on veraz.conversation for select to veraz_ledger using (true);
create policy blanking on veraz.conversation for update to veraz_ledger using (true) with check (true);
create policy left_behind on veraz.audit_entry for delete to veraz_ledger using ((select veraz.is_platform_admin()));
create policy left_behind on veraz.tenant for delete to veraz_ledger using ((select veraz.is_platform_admin()));
create policy blanked on veraz.audit_entry for select to veraz_ledger using (true);
create policy blanking on veraz.audit_entry for update to veraz_ledger using (true) with check (true);
