-- After 9_grants.sql, which starts from nothing: workers have nothing to do with widgets.
revoke insert, update, delete on veraz.widget from veraz_worker;
revoke execute on function veraz.widget_of(text) from veraz_app, veraz_worker;
grant execute on function veraz.widget_of(text) to veraz_signin;
