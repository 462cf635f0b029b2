-- Who made a key is told: what somebody leaves behind is found when they go.
alter type veraz.known_key add attribute created_by uuid;
create index api_key_maker on veraz.api_key (tenant_id, created_by) where user_id is null and revoked_at is null;
create index password_link_maker on veraz.password_link (tenant_id, created_by);
