-- When a manager last looked at a conversation or answered in it; and the order in which people look for conversations.
alter table veraz.conversation add column seen_at timestamptz;
comment on column veraz.conversation.seen_at is 'When one of its managers last looked at it or answered in it; what was written since is unread.';
create index conversation_recent on veraz.conversation (tenant_id, updated_at desc, id desc);
