-- How often somebody called lately, shared by all processes. Unlogged: after a crash everybody starts anew.
create unlogged table veraz.rate (
    key bytea primary key check (length(key) = 32),
    full_at timestamptz not null    -- when the bucket is full again
) with (fillfactor = 60);
comment on table veraz.rate is 'Buckets by a keyed hash of who it is about: no address, name or id is kept. Only functions touch it.';
