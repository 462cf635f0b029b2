-- CONVERSATIONS. As the caller sees them: these functions are bound by row level security as whoever calls them.

-- A text as it is looked through: without accents, in small letters.
create or replace function veraz.plain(p_text text) returns text
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
begin atomic
    select lower(regexp_replace(normalize(p_text, nfkd), '[\u0300-\u036f]+', '', 'g'));
end;

-- Whether it is the caller's own talk: of the same person or end user, or without one of the same key.
create or replace function veraz.is_mine(c veraz.conversation) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select (c.user_id, case when c.user_id is null then c.key_id end) is not distinct from
        (me.user_id, case when me.user_id is null then me.key_id end) from veraz.scope() me;
end;

-- Whether programs pass on what a lead says there: it is with a number that somebody outside answers.
create or replace function veraz.is_passed_on(c veraz.conversation) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select from veraz.whatsapp_number n where n.id = c.key_id and n.answered_by = 'outside');
end;

-- Whether a person has to answer: it was handed over, and nobody of the team has written since the asker did.
create or replace function veraz.is_waiting(c veraz.conversation) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select c.handoff_mode = 'human' and 'user' = (
        select m.role from veraz.message m where m.conversation_id = c.id and m.role <> 'assistant'
        order by m.id desc limit 1);
end;

-- Whether somebody wrote in a conversation that was handed over and none of its managers, of whom the caller must be one,
-- has looked since.
create or replace function veraz.is_unread(c veraz.conversation) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
begin atomic
    select c.handoff_mode = 'human' and c.project_id in (select veraz.projects_with('manager')) and exists (
        select from veraz.message m
        where m.conversation_id = c.id and m.role = 'user' and (c.seen_at is null or m.created_at > c.seen_at));
end;
