-- «Global» is no machine's name, however it is written; and a closed machine does not come back in other letters. Names that
-- are there already stay.
alter table veraz.licence add constraint licence_not_global check (lower(machine_id) <> 'global') not valid;
alter table veraz.document add constraint document_global_as_written
    check (machine_id = 'global' or lower(machine_id) <> 'global') not valid;
create index licence_by_letters on veraz.licence (tenant_id, lower(machine_id));
