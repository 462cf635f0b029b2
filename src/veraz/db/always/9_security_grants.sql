-- After 9_grants.sql, which starts from nothing: security events are added by their function and otherwise only read.
revoke insert, update, delete on veraz.security_event from veraz_app;
revoke all on veraz.security_event from veraz_worker;
grant select, insert, delete on veraz.security_event to veraz_ledger;
revoke execute on function veraz.forget_security_events(int), veraz.installation_events() from veraz_app, veraz_worker;
grant execute on function veraz.record_security_events(jsonb) to veraz_app, veraz_worker, veraz_signin, veraz_platform;
grant execute on function veraz.installation_events() to veraz_platform;
grant execute on function veraz.forget_security_events(int) to veraz_queue;
