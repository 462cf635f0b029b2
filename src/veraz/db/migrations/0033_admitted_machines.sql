-- Machines that let themselves in by naming themselves, so that these can be few in an hour. Null: somebody registered it.
alter table veraz.licence add column admitted_at timestamptz;
create index licence_admitted on veraz.licence (tenant_id, admitted_at) where admitted_at is not null;
