-- Work as people see it: a document once, with its newest job; other jobs by what they are about. Cleaning that goes well is
-- only for who asks for it.
-- name: work
with every as (
    select id, kind, kb_id, document_id, stage, stages, status, payload, attempt, max_attempts, run_after, progress_percent,
        error_code, error_message, created_at, started_at, finished_at
    from veraz.job j where not %(history)s::boolean
      and not exists (select from veraz.job n where n.document_id = j.document_id and n.id > j.id)
    union all
    select id, kind, kb_id, document_id, stage, stages, status, payload, attempt, max_attempts, run_after, progress_percent,
        error_code, error_message, created_at, started_at, finished_at
    from veraz.job_history where %(history)s
), shown as (
    select j.*, count(*) over () as total from every j
    where (%(kb_id)s::uuid is null or kb_id = %(kb_id)s) and (%(status)s::text is null or status = %(status)s)
      and case when %(kind)s::text is null then kind <> 'forget_files' or status in ('FAILED', 'DLQ')
          else %(kind)s = case when payload ? 'edition_id' then 'rebuild' else kind end end
      and (%(text)s::text is null or strpos(lower(concat_ws(' ', payload ->> 'url',
            (select concat_ws(' ', d.name, d.source_url) from veraz.document d where d.id = j.document_id))), lower(%(text)s)) > 0)
    order by status = 'RUNNING' desc, coalesce(finished_at, started_at, created_at) desc, id desc
    limit %(limit)s offset %(offset)s
)
select j.id, case when j.payload ? 'edition_id' then 'rebuild' else j.kind end as kind, j.kb_id, kb.name as kb_name, j.document_id,
    coalesce(d.name, j.payload ->> 'url', a.name, w.name, p.name) as name, d.file_type, coalesce(d.source_url, j.payload ->> 'url') as source_url,
    d.origin, d.chunks_count, d.word_count, d.tier, d.authority_score, j.stage, j.stages, j.status, j.attempt, j.max_attempts, j.run_after, j.progress_percent, j.error_code,
    j.error_message, j.created_at, j.started_at, j.finished_at, j.total
from shown j
left join veraz.knowledge_base kb on kb.id = j.kb_id
left join veraz.document d on d.id = j.document_id
left join veraz.agent_change c on j.kind = 'run_exam' and c.id = (j.payload ->> 'change_id')::uuid
left join veraz.agent a on a.id = c.agent_id
left join veraz.webhook_delivery v on j.kind = 'deliver_webhook' and v.id = (j.payload ->> 'delivery_id')::uuid
left join veraz.webhook w on w.id = v.webhook_id
left join veraz.whatsapp_contact p on j.kind = 'whatsapp' and p.id = (j.payload ->> 'contact_id')::uuid
order by j.status = 'RUNNING' desc, coalesce(j.finished_at, j.started_at, j.created_at) desc, j.id desc

-- name: work_stats
select count(*) filter (where status = 'PENDING') as pending, count(*) filter (where status = 'RUNNING') as running,
    count(*) filter (where status = 'DONE') as done, count(*) filter (where status = 'FAILED') as failed,
    count(*) filter (where status = 'DLQ') as dlq
from veraz.job j
where (%(kb_id)s::uuid is null or kb_id = %(kb_id)s)
  and not exists (select from veraz.job n where n.document_id = j.document_id and n.id > j.id)
  and case when %(kind)s::text is null then kind <> 'forget_files' or status in ('FAILED', 'DLQ')
          else %(kind)s = case when payload ? 'edition_id' then 'rebuild' else kind end end
  and (%(text)s::text is null or strpos(lower(concat_ws(' ', payload ->> 'url',
        (select concat_ws(' ', d.name, d.source_url) from veraz.document d where d.id = j.document_id))), lower(%(text)s)) > 0)

-- name: throughput
with read as (
    select finished_at, document_id, kb_id from veraz.job where kind = 'ingest' and status = 'DONE'
      and finished_at >= now() - make_interval(mins => %(minutes)s)
    union all
    select finished_at, document_id, kb_id from veraz.job_history where kind = 'ingest' and status = 'DONE'
      and finished_at >= now() - make_interval(mins => %(minutes)s)
)
select date_bin(make_interval(mins => %(step)s), r.finished_at, 'epoch') as at, count(*)::int as documents,
    coalesce(sum(d.chunks_count), 0)::int as chunks
from read r left join veraz.document d on d.id = r.document_id
where %(kb_id)s::uuid is null or r.kb_id = %(kb_id)s
group by 1 order by 1
