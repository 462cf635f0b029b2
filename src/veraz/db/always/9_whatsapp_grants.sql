-- After 9_grants.sql, which starts from nothing: what waking a contact's job touches, and what only the door looks up.
grant select on veraz.whatsapp_contact, veraz.whatsapp_message to veraz_ledger;
grant update (job_id) on veraz.whatsapp_contact to veraz_ledger;
revoke execute on function veraz.whatsapp_numbers_of(text[]), veraz.whatsapp_token_known(bytea) from veraz_app, veraz_worker;
grant execute on function veraz.whatsapp_numbers_of(text[]), veraz.whatsapp_token_known(bytea) to veraz_signin;
revoke insert, delete on veraz.whatsapp_number from veraz_worker;
