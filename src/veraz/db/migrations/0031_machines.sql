-- MACHINES. A name that says nothing was meant for one machine; nobody can be that machine, so nobody reads it.
update veraz.document set machine_id = 'unnamed ' || id where machine_id !~ '\S';
alter table veraz.document add constraint document_machine_named check (machine_id ~ '\S');
alter table veraz.licence add constraint licence_machine_named check (machine_id ~ '\S');
