-- The key of a file begins with whose it is, so that no row names a file of another tenant or knowledge base.
alter table veraz.document add constraint document_storage_key check (
    starts_with(storage_key, tenant_id::text || '/' || kb_id::text || '/') and storage_key ~ '/[0-9A-Za-z][0-9A-Za-z_.-]*$');
alter table veraz.document_version add constraint document_version_storage_key check (
    starts_with(storage_key, tenant_id::text || '/' || kb_id::text || '/') and storage_key ~ '/[0-9A-Za-z][0-9A-Za-z_.-]*$');

-- It also says whether end users have to be signed; always/ makes it again.
drop function if exists veraz.key_by_hash(bytea);
