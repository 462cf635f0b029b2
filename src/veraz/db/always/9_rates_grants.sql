-- After 9_grants.sql, which starts from nothing: buckets are touched by their functions alone.
revoke all on veraz.rate from veraz_app, veraz_worker, veraz_search;
grant select, insert, update, delete on veraz.rate to veraz_ledger;
revoke execute on function veraz.spend_rates(bytea[], int[], float8[], int[]), veraz.forget_rates() from veraz_worker;
revoke execute on function veraz.forget_rates() from veraz_app;
grant execute on function veraz.forget_rates() to veraz_queue;
