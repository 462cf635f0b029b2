-- WHAT: agents, knowledge bases, their editions, assignments.
create table veraz.agent (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid not null,
    name text not null check (length(name) between 1 and 200),
    company_name text not null default '',
    description text not null default '',
    system_prompt text not null default '',
    answer_style text not null default 'strict' check (answer_style in ('strict', 'evidence', 'chat')),
    model text,
    fallback_model text,
    allows_personal_corpus boolean not null default false,
    language text not null default 'auto',
    fallback_message text,
    handoff_on_refusal boolean not null default false,
    retrieval jsonb not null default '{}' check (jsonb_typeof(retrieval) = 'object'),
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (tenant_id, project_id, id),
    foreign key (tenant_id, project_id) references veraz.project (tenant_id, id) on delete cascade
);
create unique index agent_name on veraz.agent (project_id, lower(name));

create table veraz.embedding_space (
    id int generated always as identity primary key,
    name text not null unique,
    dimensions int not null check (dimensions between 1 and 4000),
    created_at timestamptz not null default now()
);
comment on table veraz.embedding_space is 'provider:model@dimensions. Vectors of different spaces are never compared.';

create table veraz.knowledge_base (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid,
    kind text not null check (kind in ('global', 'personal')),
    owner_id uuid,
    agent_id uuid,
    name text not null check (length(name) between 1 and 100),
    description text not null default '',
    language text not null default 'es' check (length(language) between 2 and 10),
    status text not null default 'active' check (status in ('active', 'processing', 'archived')),
    live_edition_id bigint,
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_queried_at timestamptz,
    unique (tenant_id, id),
    foreign key (tenant_id, project_id) references veraz.project (tenant_id, id) on delete cascade,
    foreign key (tenant_id, owner_id) references veraz.app_user (tenant_id, id) on delete cascade,
    foreign key (tenant_id, project_id, agent_id) references veraz.agent (tenant_id, project_id, id) on delete cascade,
    check (agent_id is null or project_id is not null),
    check ((kind = 'personal') = (owner_id is not null)),
    check (kind = 'global' or (project_id is null and agent_id is null))
);
comment on column veraz.knowledge_base.project_id is 'Null for a global kb: it serves the whole tenant.';
comment on column veraz.knowledge_base.agent_id is 'Set: the agent''s own kb of manual entries.';
create unique index knowledge_base_name on veraz.knowledge_base
    (tenant_id, coalesce(project_id, owner_id, tenant_id), lower(name));
create unique index knowledge_base_of_agent on veraz.knowledge_base (agent_id) where agent_id is not null;
create index knowledge_base_owner on veraz.knowledge_base (owner_id) where owner_id is not null;

create table veraz.edition (
    id bigint generated always as identity primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    kb_id uuid not null,
    space_id int not null references veraz.embedding_space (id),
    chunking jsonb not null check (jsonb_typeof(chunking) = 'object'),
    embedding jsonb not null check (jsonb_typeof(embedding) = 'object'),
    status text not null check (status in ('building', 'live', 'retired')),
    calibration jsonb,
    created_at timestamptz not null default now(),
    switched_at timestamptz,
    unique (tenant_id, id),
    unique (tenant_id, kb_id, id),
    foreign key (tenant_id, kb_id) references veraz.knowledge_base (tenant_id, id) on delete cascade
);
comment on table veraz.edition is
    'One way of cutting and embedding a kb. The live one is searched; another can be built beside it and switched in.';
create unique index edition_live on veraz.edition (kb_id) where status = 'live';
create unique index edition_building on veraz.edition (kb_id) where status = 'building';
alter table veraz.knowledge_base -- only an edition of its own, or one kb would be searched under another's name
    add foreign key (tenant_id, id, live_edition_id) references veraz.edition (tenant_id, kb_id, id)
    on delete set null (live_edition_id) deferrable initially deferred;

create table veraz.assignment (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    agent_id uuid not null,
    kb_id uuid not null,
    project_id uuid not null,
    owner_id uuid,
    priority int not null default 1 check (priority between 1 and 1000),
    search_weight numeric(3, 2) not null default 1.0 check (search_weight > 0),
    assigned_by uuid,
    created_at timestamptz not null default now(),
    unique (agent_id, kb_id),
    foreign key (tenant_id, agent_id) references veraz.agent (tenant_id, id) on delete cascade,
    foreign key (tenant_id, kb_id) references veraz.knowledge_base (tenant_id, id) on delete cascade
);
comment on table veraz.assignment is 'project_id (the agent''s) and owner_id (the kb''s) are filled by a trigger.';
create index assignment_kb on veraz.assignment (kb_id);
