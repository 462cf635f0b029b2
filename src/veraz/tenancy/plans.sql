-- name: plans
select code, name, max_knowledge_bases, max_documents_per_kb, max_bytes_per_kb, credits from veraz.plan order by code

-- name: plan
select code, name, max_knowledge_bases, max_documents_per_kb, max_bytes_per_kb, credits from veraz.plan where code = %(id)s

-- name: plan_of_tenant
select p.code, p.name, p.max_knowledge_bases, p.max_documents_per_kb, p.max_bytes_per_kb, p.credits
from veraz.plan p join veraz.tenant t on t.plan = p.code where t.id = (select veraz.current_tenant())

-- name: put_plan
insert into veraz.plan (code, name, max_knowledge_bases, max_documents_per_kb, max_bytes_per_kb, credits)
values (%(code)s, %(name)s, %(max_knowledge_bases)s, %(max_documents_per_kb)s, %(max_bytes_per_kb)s, %(credits)s)
on conflict (code) do update set name = excluded.name, max_knowledge_bases = excluded.max_knowledge_bases,
    max_documents_per_kb = excluded.max_documents_per_kb, max_bytes_per_kb = excluded.max_bytes_per_kb,
    credits = excluded.credits
returning code, name, max_knowledge_bases, max_documents_per_kb, max_bytes_per_kb, credits

-- name: need_feature
select veraz.need_feature(%(feature)s)

-- name: usage
select knowledge_bases, documents, bytes, users, agents from veraz.tenant_usage()

-- name: lock_quota
select pg_advisory_xact_lock(hashtextextended('veraz.quota:' || %(what)s, 0))

-- name: kb_usage
select count(*) as documents,
       coalesce(sum(size_bytes), 0)::bigint
           + (select coalesce(sum(v.size_bytes), 0)::bigint from veraz.document_version v
              where v.kb_id = %(kb_id)s and v.status <> 'current') as bytes
from veraz.document where kb_id = %(kb_id)s

-- name: credits
select coalesce((select credits from veraz.credit_balance where tenant_id = (select veraz.current_tenant())), 0)

-- name: move
select veraz.move_credits(%(credits)s, %(reason)s, %(key)s, %(model)s, %(tokens)s, %(cost)s, %(about)s)

-- name: tenant_seen
select id from veraz.tenant where id = %(id)s

-- name: entries
select id, credits, balance, reason, model, tokens, cost_usd, about, created_at from veraz.credit_entry
where %(after)s::bigint is null or id < %(after)s
order by id desc limit %(limit)s
