-- VERSIONS OF AGENTS: what an agent was told to do, after every change of it, to compare and to go back to.
create table veraz.agent_version (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    agent_id uuid not null,
    number integer not null check (number > 0),
    settings jsonb not null check (jsonb_typeof(settings) = 'object'),
    created_by uuid,
    created_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (agent_id, number),
    foreign key (tenant_id, agent_id) references veraz.agent (tenant_id, id) on delete cascade
);
comment on table veraz.agent_version is 'Written by a trigger with the change itself; nobody changes it afterwards.';
comment on column veraz.agent_version.created_by is 'Who made the change; none when a key or an exam did.';

insert into veraz.agent_version (id, tenant_id, agent_id, number, settings, created_by, created_at)
select gen_random_uuid(), tenant_id, id, 1,
       to_jsonb(a) - array['id', 'tenant_id', 'project_id', 'created_by', 'created_at', 'updated_at'], null, updated_at
from veraz.agent a;
