-- The website widget: found by its public id before the tenant is known; changed by who manages the agent.

create or replace function veraz.widget_of(p_public_id text)
returns table (
    id uuid, tenant_id uuid, project_id uuid, agent_id uuid, public_id text, enabled boolean, origins text[], title text,
    greeting text, colour text, "position" text, language text, suggestions boolean, sources boolean,
    visitor_per_minute int, per_minute int, per_day int, used_today int)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
    select w.id, w.tenant_id, w.project_id, w.agent_id, w.public_id, w.enabled, w.origins, w.title, w.greeting, w.colour,
           w.position, w.language, w.suggestions, w.sources, w.visitor_per_minute, w.per_minute, w.per_day,
           case when w.used_on = (now() at time zone 'utc')::date then w.used else 0 end
    from veraz.widget w
    where w.public_id = p_public_id;
end;
alter function veraz.widget_of(text) owner to veraz_search;

create or replace trigger touch before update on veraz.widget
    for each row when (new.used is not distinct from old.used) execute function veraz.touch();
create or replace trigger belongs_forever before update on veraz.widget
    for each row execute function veraz.belongs_forever('id', 'tenant_id', 'project_id', 'agent_id', 'public_id');
create or replace trigger audit after insert or update or delete on veraz.widget
    for each row execute function veraz.audit('enabled', 'origins', 'title', 'greeting', 'colour', 'position', 'language',
        'suggestions', 'sources', 'visitor_per_minute', 'per_minute', 'per_day');

create policy managed on veraz.widget to veraz_app using (project_id in (select veraz.projects_with('manager')));
create policy looked_up on veraz.widget for select to veraz_search using (true);
