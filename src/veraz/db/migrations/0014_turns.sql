-- What kind of turn a message answers, what was held back of it, why it is poorer than promised; since when a person answers.
alter table veraz.message
    add column turn text not null default 'question' check (turn in ('conversation', 'handoff', 'question')),
    add column degraded text,
    add column held_back jsonb not null default '[]' check (jsonb_typeof(held_back) = 'array');
comment on column veraz.message.held_back is 'Sentences the model wrote and nobody could prove, each with the reason; for managers.';
alter table veraz.conversation add column handoff_at timestamptz;
comment on column veraz.conversation.handoff_at is 'When a person took over, or last wrote: after VERAZ_HANDOFF_HOURS the agent answers again.';
update veraz.conversation set handoff_at = updated_at where handoff_mode = 'human';
-- Where a question came from, so that exams and tests are not taken for people.
alter table veraz.query_log
    add column channel text not null default '',
    add column turn text not null default 'question';
drop function if exists veraz.log_query(uuid, text, uuid, uuid[], text, text[], jsonb, float8, bigint, int, int, jsonb, float8, boolean);
comment on column veraz.agent.judge_model is 'provider:model that says which claims follow from the passages; the writing model without it.';
