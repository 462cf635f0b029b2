-- A CHAT'S PACE: people write several short messages in half a minute; who never chose another limit gets one that lets them.
alter table veraz.widget alter column visitor_per_minute set default 20;
update veraz.widget set visitor_per_minute = 20 where visitor_per_minute = 6;
