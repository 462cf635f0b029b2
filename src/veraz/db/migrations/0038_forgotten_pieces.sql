-- FORGOTTEN PIECES. A stretch is known by its sentences. Words that say little alone are known by what stands beside them:
-- the first `lead` and the last `tail` words of the run stay. `whole`: only where they are a whole line or sentence.
alter table veraz.forgotten_span
    add column lead int not null default 0 check (lead >= 0),
    add column tail int not null default 0 check (tail >= 0),
    add column whole boolean not null default false,
    add constraint forgotten_span_says check (lead + tail < words);

-- What this installation had forgotten before a backup was brought back, so that the next restore knows it too, also where the
-- backup holds no tenant or document it could belong to. Ids and digests, no text; only the owner reads it.
create table veraz.forgotten_before (
    entry jsonb primary key,
    restored_at timestamptz not null default now()
);
comment on table veraz.forgotten_before is 'Receipts, digests and closed licences from before a restore. No text.';
