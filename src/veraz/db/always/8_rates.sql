-- RATES: buckets that fill again steadily (tenancy/rates.py). The time at which a bucket is full again says all about it.

-- Takes from each bucket as many as are wanted, or nothing where they are not there; how many seconds until they will be.
create or replace function veraz.spend_rates(p_keys bytea[], p_wanted int[], p_seconds_each float8[], p_bursts int[])
returns setof float8
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    at timestamptz := clock_timestamp();
    price interval;
    full_before timestamptz;
begin
    for i in 1 .. cardinality(p_keys) loop
        price := p_wanted[i] * make_interval(secs => p_seconds_each[i]);
        insert into veraz.rate as r (key, full_at) values (p_keys[i], at + price)
        on conflict (key) do update set full_at = greatest(r.full_at, at) + price
            where greatest(r.full_at, at) + price <= at + p_bursts[i] * make_interval(secs => p_seconds_each[i]);
        if found then
            return next 0;
        else
            select r.full_at into full_before from veraz.rate r where r.key = p_keys[i];
            return next greatest(0.001, extract(epoch from
                full_before + price - at - p_bursts[i] * make_interval(secs => p_seconds_each[i]))::float8);
        end if;
    end loop;
end $$;
alter function veraz.spend_rates(bytea[], int[], float8[], int[]) owner to veraz_ledger;

-- Buckets that are full say nothing.
create or replace function veraz.forget_rates() returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    gone bigint;
begin
    delete from veraz.rate r where r.full_at < clock_timestamp();
    get diagnostics gone = row_count;
    return gone;
end $$;
alter function veraz.forget_rates() owner to veraz_ledger;
