-- WHAT PEOPLE SAID STAYS: a new file brings its own title and author, unless a person gave the document another.
alter table veraz.document
    add column by_hand text[] not null default '{}' check (by_hand <@ array['title', 'author']);
comment on column veraz.document.by_hand is 'Which of title and author a person gave it; the others are its file''s own.';
update veraz.document d set by_hand = said.fields
from (
    select d.id, array_remove(array[
        case when d.title is not null and (d.origin in ('text', 'manual') or last_title.by_person) then 'title' end,
        case when d.author is not null and last_author.by_person then 'author' end], null) as fields
    from veraz.document d
    -- who changed it last: workers have neither a user nor a key
    left join lateral (
        select coalesce(a.user_id, a.key_id) is not null as by_person from veraz.audit_entry a
        where a.tenant_id = d.tenant_id and a.thing = 'document' and a.thing_id = d.id::text and a.action = 'update'
          and a.changes ? 'title' order by a.id desc limit 1) last_title on true
    left join lateral (
        select coalesce(a.user_id, a.key_id) is not null as by_person from veraz.audit_entry a
        where a.tenant_id = d.tenant_id and a.thing = 'document' and a.thing_id = d.id::text and a.action = 'update'
          and a.changes ? 'author' order by a.id desc limit 1) last_author on true
) said
where said.id = d.id and said.fields <> '{}';
