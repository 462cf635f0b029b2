-- MACHINES. A name that says nothing was meant for one machine; nobody can be that machine, so nobody reads it.
update veraz.document set machine_id = 'unnamed ' || id where machine_id !~ '\S';
alter table veraz.document add constraint document_machine_named check (machine_id ~ '\S');
alter table veraz.licence add constraint licence_machine_named check (machine_id ~ '\S');

-- Words are counted for the machine that reads them: what only one machine holds is no word, and weighs nothing, for others.
alter table veraz.edition_term add column machine_id text not null default 'global';
with bound as materialized (
    select c.tenant_id, c.edition_id, c.machine_id, c.words, c.bm25 from veraz.chunk c where c.machine_id <> 'global'
), terms as (
    select b.tenant_id, b.edition_id, b.machine_id, split_part(t.entry, ':', 1)::int - 1 as term, 1::bigint as count
    from bound b cross join lateral string_to_table(trim(both '{}' from split_part(b.bm25::text, '/', 1)), ',') t(entry)
    where t.entry <> ''
    union all select b.tenant_id, b.edition_id, b.machine_id, -1, 1 from bound b
    union all select b.tenant_id, b.edition_id, b.machine_id, -2, b.words from bound b
)
insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count)
select t.tenant_id, t.edition_id, m.machine_id, t.term, sum(m.sign * t.count)
from terms t cross join lateral (values ('global', -1), (t.machine_id, 1)) m(machine_id, sign)
group by 1, 2, 3, 4;
alter table veraz.edition_term alter column machine_id drop default;
drop index veraz.edition_term_lookup;
create index edition_term_lookup on veraz.edition_term (edition_id, term) include (count, machine_id);

-- What a cosine means is measured again where chunks of single machines took part; it is everybody's.
update veraz.edition e set calibration = null
where exists (select from veraz.chunk c where c.edition_id = e.id and c.machine_id <> 'global');

-- Signatures that change; always/ makes them again.
drop function if exists veraz.search_plan(uuid, uuid[]);
drop function if exists veraz.word_query(text[], int[], bigint[]);
drop function if exists veraz.chunks_in(bigint, uuid[]);

-- A licence that is deleted stays as a closed one: nobody is that machine again, however it is named.
alter table veraz.licence drop constraint licence_status_check;
alter table veraz.licence add constraint licence_status_check check (status in ('active', 'revoked', 'closed'));
alter table veraz.tenant add column unknown_machines text not null default 'create'
    check (unknown_machines in ('refuse', 'create'));

-- SIGNED END USERS: keys with which a tenant's own programs sign whom a service key acts for.
create table veraz.end_user_key (
    id uuid primary key,
    tenant_id uuid not null default veraz.current_tenant() references veraz.tenant (id) on delete cascade,
    name text not null check (length(name) between 1 and 200),
    algorithm text not null check (algorithm in ('HS256', 'EdDSA')),
    secret_sealed bytea,
    public_key text,
    created_by uuid,
    created_at timestamptz not null default now(),
    ends_at timestamptz,
    unique (tenant_id, id),
    check ((algorithm = 'HS256') = (secret_sealed is not null) and (algorithm = 'EdDSA') = (public_key is not null))
);
comment on column veraz.end_user_key.secret_sealed is 'Of HS256; of EdDSA only the public key is here.';
create index end_user_key_list on veraz.end_user_key (tenant_id, id desc);

create table veraz.end_user_token (
    tenant_id uuid not null,
    key_id uuid not null,
    jti_hash bytea not null,
    until timestamptz not null,
    primary key (tenant_id, key_id, jti_hash),
    foreign key (tenant_id, key_id) references veraz.end_user_key (tenant_id, id) on delete cascade
);
comment on table veraz.end_user_token is 'Tokens that may be used once, until they would have expired.';
alter table veraz.tenant add column signed_end_users boolean not null default false;
