-- ANSWERS: conversations with agents, what was answered on which evidence, ratings, exams, and what a kb is about.
create table veraz.conversation (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    agent_id uuid not null,
    project_id uuid not null,
    user_id uuid,
    key_id uuid,
    machine_id text,
    channel text not null default 'api',
    title text not null default '',
    handoff_mode text not null default 'ai' check (handoff_mode in ('ai', 'human')),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    foreign key (tenant_id, project_id, agent_id) references veraz.agent (tenant_id, project_id, id) on delete cascade,
    foreign key (tenant_id, user_id) references veraz.app_user (tenant_id, id) on delete cascade
);
comment on table veraz.conversation is 'Belongs to the user, or without one to the key, that started it; managers of the agent see it too.';
create index conversation_list on veraz.conversation (tenant_id, agent_id, id desc);
create index conversation_user on veraz.conversation (user_id, id desc) where user_id is not null;

create table veraz.message (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    conversation_id uuid not null,
    role text not null check (role in ('user', 'assistant', 'human')),
    text text not null,
    refused boolean not null default false,
    refusal text,
    corrected boolean not null default false,
    model text,
    input_tokens int not null default 0,
    output_tokens int not null default 0,
    cost_usd numeric,
    answerability real,
    claims jsonb not null default '[]' check (jsonb_typeof(claims) = 'array'),
    evidence jsonb not null default '[]' check (jsonb_typeof(evidence) = 'array'),
    latency_ms real,
    error text,
    query_id uuid,
    personal boolean not null default false,
    created_at timestamptz not null default now(),
    unique (tenant_id, id),
    foreign key (tenant_id, conversation_id) references veraz.conversation (tenant_id, id) on delete cascade
);
comment on column veraz.message.personal is 'Stands on somebody''s personal kb: only the person who asked reads it.';
create index message_list on veraz.message (conversation_id, id);

create table veraz.feedback (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    message_id uuid not null,
    user_id uuid,
    rating smallint not null check (rating in (-1, 1)),
    reason text not null default '',
    created_at timestamptz not null default now(),
    foreign key (tenant_id, message_id) references veraz.message (tenant_id, id) on delete cascade,
    unique nulls not distinct (message_id, user_id)
);

create table veraz.exam_question (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    agent_id uuid not null,
    question text not null,
    expected_text text,
    expected_document_id uuid,
    must_refuse boolean not null default false,
    origin text not null default 'manual' check (origin in ('manual', 'imported', 'proposed')),
    created_at timestamptz not null default now(),
    foreign key (tenant_id, agent_id) references veraz.agent (tenant_id, id) on delete cascade,
    check (must_refuse or expected_text is not null or expected_document_id is not null)
);
create index exam_question_agent on veraz.exam_question (agent_id, id);

create table veraz.exam_run (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    agent_id uuid not null,
    model text not null,
    passed int not null,
    failed int not null,
    results jsonb not null check (jsonb_typeof(results) = 'array'),
    created_at timestamptz not null default now(),
    foreign key (tenant_id, agent_id) references veraz.agent (tenant_id, id) on delete cascade
);
create index exam_run_agent on veraz.exam_run (agent_id, id desc);

create table veraz.domain_intelligence (
    kb_id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    user_input text not null default '',
    interpreted_intent text not null,
    subdomains jsonb not null default '[]',
    source_categories jsonb not null default '[]',
    critical_variables jsonb not null default '[]',
    validation_queries jsonb not null default '[]',
    known_debates jsonb not null default '[]',
    recommended_config jsonb not null default '{}',
    model text,
    user_confirmed boolean not null default false,
    created_at timestamptz not null default now(),
    foreign key (tenant_id, kb_id) references veraz.knowledge_base (tenant_id, id) on delete cascade
);
