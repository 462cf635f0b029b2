-- What happened, for whoever wants to know: an outbox written in the same transaction as the thing itself.
create table veraz.event (
    id bigint generated always as identity primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    kind text not null,
    kb_id uuid,
    document_id uuid,
    payload jsonb not null default '{}',
    at timestamptz not null default now()
);
create index event_tenant on veraz.event (tenant_id, id);

create index credit_entry_about on veraz.credit_entry (tenant_id, about) where about is not null;
