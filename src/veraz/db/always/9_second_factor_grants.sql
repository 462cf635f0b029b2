-- After 9_grants.sql, which starts from nothing: the second factor belongs to the role that looks credentials up.
revoke all on veraz.second_factor, veraz.recovery_code, veraz.sign_in_challenge from veraz_app, veraz_worker, veraz_search;
revoke execute on function veraz.owes_factor(uuid, uuid), veraz.needs_of_sign_in(uuid), veraz.factor_of(uuid), veraz.users_with_factor(),
    veraz.begin_factor(bytea, bytea), veraz.replace_recovery_codes(bytea[]), veraz.confirm_factor(bigint), veraz.use_factor_step(bigint),
    veraz.use_recovery_code(bytea), veraz.try_factor(), veraz.asked_for_factor(), veraz.remove_factor(uuid), veraz.describe_session(bytea, boolean, uuid),
    veraz.set_factor_rule(text), veraz.begin_challenge(bytea, text, uuid, int), veraz.challenge_by_hash(bytea),
    veraz.try_challenge(bytea), veraz.end_challenge(bytea) from veraz_app, veraz_worker;
grant execute on function veraz.needs_of_sign_in(uuid), veraz.factor_of(uuid), veraz.users_with_factor(),
    veraz.begin_factor(bytea, bytea), veraz.replace_recovery_codes(bytea[]), veraz.confirm_factor(bigint), veraz.use_factor_step(bigint),
    veraz.use_recovery_code(bytea), veraz.try_factor(), veraz.asked_for_factor(), veraz.remove_factor(uuid), veraz.describe_session(bytea, boolean, uuid),
    veraz.set_factor_rule(text), veraz.begin_challenge(bytea, text, uuid, int), veraz.challenge_by_hash(bytea),
    veraz.try_challenge(bytea), veraz.end_challenge(bytea) to veraz_signin;
grant select, insert, update, delete on veraz.second_factor, veraz.recovery_code, veraz.sign_in_challenge to veraz_keeper;
grant update (second_factor) on veraz.tenant to veraz_keeper;
grant select on veraz.project_member to veraz_keeper;
