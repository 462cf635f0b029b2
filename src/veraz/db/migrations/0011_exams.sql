-- EXAMS: run after every change of what an agent answers with, and able to hold that change back; a model as judge.
alter table veraz.agent
    add column exam_blocks boolean not null default false,
    add column judge_model text;
comment on column veraz.agent.exam_blocks is 'Changes of model, prompt or thresholds wait until the exam has passed with them.';
comment on column veraz.agent.judge_model is 'provider:model that is asked about claims whose words leave doubt; none without it.';

create table veraz.agent_change (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    agent_id uuid not null,
    changes jsonb not null check (jsonb_typeof(changes) = 'object'),
    status text not null check (status in ('waiting', 'applied', 'held')),
    message text not null default '',
    run_id uuid,
    created_by uuid,
    created_at timestamptz not null default now(),
    decided_at timestamptz,
    unique (tenant_id, id),
    foreign key (tenant_id, agent_id) references veraz.agent (tenant_id, id) on delete cascade
);
comment on column veraz.agent_change.status is 'waiting for its exam · applied · held back by it.';
create index agent_change_agent on veraz.agent_change (agent_id, id desc);

alter table veraz.exam_run add column change_id uuid;
comment on column veraz.exam_run.change_id is 'The change that made it run; none when somebody asked for it.';
