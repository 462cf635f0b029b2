-- USE: where a question came from, how it ended and what it cost; and, for some days, how it was answered.
alter table veraz.query_log
    add column origin text not null default 'person'
        check (origin in ('person', 'program', 'test_search', 'studio', 'exam', 'eval')),
    add column outcome text check (outcome in ('answered', 'refused', 'handed_over', 'failed')),
    add column model text,
    add column input_tokens int not null default 0,
    add column output_tokens int not null default 0,
    add column cost_usd numeric,
    add column credits int not null default 0,
    add column quoted_ids uuid[] not null default '{}';
comment on column veraz.query_log.origin is
    'person: somebody asked an agent, by whatever channel · program: a search over HTTP, MCP or SQL · the rest are tests of our own.';
comment on column veraz.query_log.outcome is 'Of a question to an agent; none for a search.';
comment on column veraz.query_log.quoted_ids is 'The documents the answer quotes.';
update veraz.query_log
set origin = case when kind = 'search' then 'test_search' when channel in ('exam', 'eval', 'studio') then channel else 'person' end,
    outcome = case when kind = 'search' then null when turn = 'handoff' then 'handed_over'
                   when refused then 'refused' else 'answered' end;
update veraz.query_log q
set model = m.model, input_tokens = m.input_tokens, output_tokens = m.output_tokens, cost_usd = m.cost_usd,
    quoted_ids = array(select distinct (quote ->> 'document_id')::uuid
                       from jsonb_array_elements(m.claims) claim, jsonb_array_elements(claim -> 'quotes') quote
                       where quote ->> 'document_id' is not null)
from veraz.message m where m.query_id = q.id;
drop index veraz.query_log_list;
alter table veraz.query_log add unique (tenant_id, id);
drop function if exists veraz.log_query(uuid, text, uuid, uuid[], text, text[], jsonb, float8, bigint, int, int, jsonb, float8,
    boolean, text, text);
drop function if exists veraz.forget_old(int, int, int, int);

create table veraz.query_trace (
    query_id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid not null,
    conversation_id uuid,
    user_id uuid,
    personal boolean not null default false,
    trace jsonb not null check (jsonb_typeof(trace) = 'object'),
    created_at timestamptz not null default now(),
    foreign key (tenant_id, query_id) references veraz.query_log (tenant_id, id) on delete cascade,
    foreign key (tenant_id, conversation_id) references veraz.conversation (tenant_id, id) on delete cascade
);
comment on table veraz.query_trace is
    'How a question was answered: wordings, passages, prompts, drafts, verdicts. Kept for VERAZ_TRACE_DAYS; goes with its conversation.';
comment on column veraz.query_trace.personal is 'Holds words of somebody''s personal kb: only the person who asked reads it.';
create index query_trace_conversation on veraz.query_trace (conversation_id) where conversation_id is not null;
create index query_trace_age on veraz.query_trace (created_at);
