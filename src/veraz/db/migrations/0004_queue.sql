-- JOBS: the queue and its history.
create table veraz.job (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    kind text not null check (kind <> ''),
    kb_id uuid,
    document_id uuid,
    stage text,
    status text not null default 'PENDING' check (status in ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'DLQ')),
    bulk boolean not null default false,
    payload jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
    attempt int not null default 0 check (attempt >= 0),
    max_attempts int not null default 5 check (max_attempts >= 1),
    claims int not null default 0,
    lost int not null default 0,
    run_after timestamptz not null default now(),
    lease_until timestamptz,
    worker text,
    progress_percent int not null default 0 check (progress_percent between 0 and 100),
    error_code text,
    error_message text,
    created_by uuid,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    foreign key (tenant_id, kb_id) references veraz.knowledge_base (tenant_id, id) on delete cascade,
    foreign key (tenant_id, document_id) references veraz.document (tenant_id, id) on delete cascade,
    check ((status = 'RUNNING') = (worker is not null and lease_until is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
comment on column veraz.job.bulk is 'Work nobody waits for (a whole kb re-embedded): after the tenant''s other jobs.';
comment on column veraz.job.claims is 'How often it was handed out; with worker, the proof of holding the lease.';
comment on column veraz.job.attempt is 'Tries that count: the one running and those that ended in an error.';
comment on column veraz.job.lost is 'Times a worker vanished while holding it; has its own, larger budget.';
-- No index holds lease_until, stage or progress: heart-beats and reports are in-page (HOT) updates.
create index job_next on veraz.job (tenant_id, bulk, run_after, id) where status = 'PENDING';
create index job_running on veraz.job (tenant_id) where status = 'RUNNING';
create index job_served on veraz.job (tenant_id, started_at) where started_at is not null;
create index job_kb on veraz.job (kb_id, status);
create index job_list on veraz.job (tenant_id, id desc);
create index job_document on veraz.job (document_id) where document_id is not null;
create unique index job_one_per_document on veraz.job (document_id)
    where document_id is not null and status in ('PENDING', 'RUNNING');

create table veraz.job_history (like veraz.job including defaults);
alter table veraz.job_history
    add column archived_at timestamptz not null default now(),
    add primary key (id),
    add foreign key (tenant_id) references veraz.tenant (id) on delete cascade;
create index job_history_list on veraz.job_history (tenant_id, id desc);
