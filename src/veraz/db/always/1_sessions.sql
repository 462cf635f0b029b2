-- What a transaction may leave on its connection besides rows: settings, prepared statements, cursors, locks, ears, the last
-- value of a sequence. Ours leaves none; injected SQL might, for the next caller, who may be of another tenant. Called
-- where a transaction says who is calling, with every commit and after every failure (db/pool.py). Not DISCARD ALL: it also forgets plans, and making them again costs more
-- than a search.
create or replace function veraz.leave_nothing() returns void language plpgsql as $$
begin
    execute 'close all';
    execute 'deallocate all';
    execute 'unlisten *';
    execute 'discard sequences';
    perform pg_catalog.pg_advisory_unlock_all();
    execute 'reset all';
end $$;
