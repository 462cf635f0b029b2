-- WHERE THE TIME GOES: when each stage of a job's last attempt began; and what the pages about work look up.
alter table veraz.job add column stages jsonb not null default '{}' check (jsonb_typeof(stages) = 'object');
alter table veraz.job_history add column stages jsonb not null default '{}';
comment on column veraz.job.stages is 'Stage → when it began, of the last attempt; it ends where the next one begins or the job does.';
create index job_finished on veraz.job (tenant_id, finished_at) where finished_at is not null;
create index job_history_finished on veraz.job_history (tenant_id, finished_at);
create index document_problem on veraz.document (kb_id, error_code) where error_code is not null;
