-- A QUESTION IS ANSWERED: the log of questions.
create table veraz.query_log (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    kind text not null check (kind in ('search', 'ask')),
    agent_id uuid,
    project_id uuid,
    kb_ids uuid[] not null,
    user_id uuid,
    key_id uuid,
    machine_id text,
    question text not null,
    rewrites text[] not null default '{}',
    stages jsonb not null check (jsonb_typeof(stages) = 'object'),
    latency_ms real not null,
    chunks_searched bigint not null default 0,
    chunks_retrieved int not null default 0,
    reranked_count int not null default 0,
    scores jsonb not null default '[]' check (jsonb_typeof(scores) = 'array'),
    best_relevance real,
    refused boolean not null default false,
    created_at timestamptz not null default now(),
    foreign key (tenant_id, agent_id) references veraz.agent (tenant_id, id) on delete cascade
);
comment on table veraz.query_log is
    'Every question with its times and scores. Kept for VERAZ_QUERY_LOG_DAYS. project_id: the agent''s, filled at insert.';
create index query_log_list on veraz.query_log (tenant_id, id desc);
create index query_log_agent on veraz.query_log (agent_id, id desc) where agent_id is not null;
create index query_log_user on veraz.query_log (user_id, id desc) where user_id is not null;
create index query_log_kbs on veraz.query_log using gin (kb_ids);
create index query_log_age on veraz.query_log (created_at);
