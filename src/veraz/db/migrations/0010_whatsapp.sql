-- WHATSAPP: the numbers agents answer at, the people who write to them, and every message's way in and out.
create table veraz.whatsapp_number (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid not null,
    agent_id uuid not null,
    name text not null check (length(name) between 1 and 200),
    phone_number_id text not null check (phone_number_id ~ '^[0-9]{1,32}$'),
    answered_by text not null default 'veraz' check (answered_by in ('veraz', 'outside')),
    active boolean not null default true,
    access_token_sealed bytea not null,
    app_secret_sealed bytea not null,
    token_hash bytea not null,
    secrets_changed_at timestamptz not null default now(),
    error_code int,
    error_text text,
    error_at timestamptz,
    created_by uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (tenant_id, project_id, id),
    unique (tenant_id, phone_number_id),
    foreign key (tenant_id, project_id, agent_id) references veraz.agent (tenant_id, project_id, id) on delete cascade
);
comment on column veraz.whatsapp_number.phone_number_id is
    'Meta''s id of the number. Several tenants may claim it; a message goes to the one whose app secret signed it.';
comment on column veraz.whatsapp_number.answered_by is 'outside: messages are kept and told as events, and a program answers.';
comment on column veraz.whatsapp_number.token_hash is 'Of the verify token, which Meta shows once when the webhook is set up.';
comment on column veraz.whatsapp_number.error_code is 'What Meta last refused for a reason that concerns the number, such as an expired token.';
create index whatsapp_number_phone on veraz.whatsapp_number (phone_number_id);
create index whatsapp_number_token on veraz.whatsapp_number (token_hash);
create index whatsapp_number_list on veraz.whatsapp_number (tenant_id, id desc);

create table veraz.whatsapp_contact (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    project_id uuid not null,
    number_id uuid not null,
    bsuid text,
    phone text,
    name text not null default '',
    conversation_id uuid,
    last_in_at timestamptz not null default now(),
    job_id uuid,
    created_at timestamptz not null default now(),
    unique (tenant_id, id),
    unique (tenant_id, number_id, id),
    unique (number_id, bsuid),
    unique (number_id, phone),
    foreign key (tenant_id, project_id, number_id)
        references veraz.whatsapp_number (tenant_id, project_id, id) on delete cascade,
    foreign key (tenant_id, conversation_id)
        references veraz.conversation (tenant_id, id) on delete set null (conversation_id),
    check (bsuid is not null or phone is not null)
);
comment on column veraz.whatsapp_contact.bsuid is 'Meta''s id of the person for this business; people with a user name may show no phone.';
comment on column veraz.whatsapp_contact.last_in_at is 'Free text may be sent for 24 hours after it.';
comment on column veraz.whatsapp_contact.job_id is 'The one job that works on this person''s messages, in their order.';
create index whatsapp_contact_conversation on veraz.whatsapp_contact (conversation_id) where conversation_id is not null;

create table veraz.whatsapp_message (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    number_id uuid not null,
    contact_id uuid not null,
    conversation_id uuid not null,
    message_id uuid,
    direction text not null check (direction in ('in', 'out')),
    kind text not null default 'text' check (length(kind) between 1 and 40),
    text text,
    part int not null default 0,
    wamid text,
    state text not null check (state in
        ('waiting', 'answered', 'kept', 'ready', 'sending', 'sent', 'delivered', 'read', 'failed')),
    asked_after uuid,
    job_id uuid,
    error_code int,
    error_text text,
    said_at timestamptz not null default now(),
    sending_at timestamptz,
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    failed_at timestamptz,
    created_at timestamptz not null default now(),
    unique (number_id, wamid),
    foreign key (tenant_id, number_id, contact_id)
        references veraz.whatsapp_contact (tenant_id, number_id, id) on delete cascade,
    foreign key (tenant_id, conversation_id) references veraz.conversation (tenant_id, id) on delete cascade
);
comment on column veraz.whatsapp_message.state is
    'in: waiting → answered, or kept for a person or a program. out: ready → sending → sent → delivered → read. Both: failed.';
comment on column veraz.whatsapp_message.text is 'Until it is answered or sent; then only the conversation holds it.';
comment on column veraz.whatsapp_message.asked_after is
    'Made before the agent is asked: what the conversation holds after it belongs to this question.';
comment on column veraz.whatsapp_message.job_id is 'The job that gave up on it; started again, it takes it up again.';
create index whatsapp_message_next on veraz.whatsapp_message (contact_id, direction desc, said_at, id)
    where state in ('waiting', 'ready', 'sending');
create index whatsapp_message_talk on veraz.whatsapp_message (conversation_id, id);
create index whatsapp_message_job on veraz.whatsapp_message (job_id) where job_id is not null;

-- A program's own name for a conversation (KAIRO's conversation or lead).
alter table veraz.conversation add column external_id text check (length(external_id) between 1 and 200);
create unique index conversation_external on veraz.conversation
    (tenant_id, agent_id, coalesce(user_id, key_id, tenant_id), external_id) where external_id is not null;
