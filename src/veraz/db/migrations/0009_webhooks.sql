-- WEBHOOKS: who outside wants to hear of events, and what was sent to them.
create table veraz.webhook (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid,
    name text not null check (length(name) between 1 and 200),
    url text not null check (url <> ''),
    events text[] not null check (cardinality(events) > 0),
    secret_sealed bytea not null,
    secret_changed_at timestamptz not null default now(),
    previous_sealed bytea,
    previous_until timestamptz,
    enabled boolean not null default true,
    failures int not null default 0,
    note text,
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    foreign key (tenant_id, project_id) references veraz.project (tenant_id, id) on delete cascade
);
comment on column veraz.webhook.project_id is 'Null: events of the whole tenant. Set: only those of this project.';
comment on column veraz.webhook.failures is 'Deliveries given up one after another; a delivery that arrives starts again at 0.';
comment on column veraz.webhook.previous_sealed is 'Until previous_until, deliveries are signed with the old secret too.';
create index webhook_list on veraz.webhook (tenant_id, id desc);

create table veraz.webhook_delivery (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    webhook_id uuid not null,
    event_id bigint,
    kind text not null,
    data jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
    status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    attempts int not null default 0,
    response_status int,
    response_ms real,
    error text,
    happened_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    attempted_at timestamptz,
    foreign key (tenant_id, webhook_id) references veraz.webhook (tenant_id, id) on delete cascade
);
comment on table veraz.webhook_delivery is 'Its id is the webhook-id header: the same at every attempt and resend.';
create index webhook_delivery_list on veraz.webhook_delivery (webhook_id, id desc);
create index webhook_delivery_age on veraz.webhook_delivery (created_at);
