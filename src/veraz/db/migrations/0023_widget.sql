-- THE WEBSITE WIDGET: an agent on other people's pages, which pages may show it, how it looks and how much it may be asked.
create table veraz.widget (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid not null,
    agent_id uuid not null,
    public_id text not null unique check (public_id ~ '^[A-Za-z0-9_-]{16}$'),
    enabled boolean not null default false,
    origins text[] not null default '{}' check (cardinality(origins) <= 50),
    title text not null check (length(title) between 1 and 80),
    greeting text not null default '' check (length(greeting) <= 500),
    colour text not null default '#0f766e' check (colour ~ '^#[0-9a-f]{6}$'),
    position text not null default 'right' check (position in ('right', 'left')),
    language text not null default 'auto' check (language in ('auto', 'es', 'en')),
    suggestions boolean not null default true,
    sources boolean not null default true,
    visitor_per_minute int not null default 6 check (visitor_per_minute between 1 and 1000),
    per_minute int not null default 60 check (per_minute between 1 and 100000),
    per_day int not null default 1000 check (per_day between 1 and 10000000),
    used_on date,
    used int not null default 0,
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (tenant_id, agent_id),
    foreign key (tenant_id, project_id, agent_id) references veraz.agent (tenant_id, project_id, id) on delete cascade
);
comment on column veraz.widget.public_id is 'What a page names it by; anybody may know it.';
comment on column veraz.widget.origins is 'Scheme, host and port of the pages that may show it, or https://*.example.com; none: nowhere.';
comment on column veraz.widget.used is 'Questions on the day used_on, in UTC.';

-- A visitor's conversations: each visitor is a caller of their own.
create index conversation_widget on veraz.conversation (key_id, id desc) where channel = 'widget';
