-- name: documents
select id, kb_id, name, origin, source_url, file_type, size_bytes, storage_key, machine_id, status, stage,
       progress_percent, error_code, error_message, indexed_at, processing_started_at, processing_completed_at,
       chunks_count, pages_count, tokens_used, word_count, title, author, created_date, language, metadata,
       tier, authority_score, evidence_level, institution, peer_reviewed, version, superseded_by,
       replaces, created_by, created_at, updated_at
from veraz.document
where kb_id = %(kb_id)s
  and (%(after)s::uuid is null or id < %(after)s)
  and (%(status)s::text is null or status = %(status)s)
  and (%(file_type)s::text is null or file_type = %(file_type)s)
  and (%(machine_id)s::text is null or machine_id = %(machine_id)s)
  and (%(text)s::text is null or strpos(lower(concat_ws(' ', name, title)), lower(%(text)s)) > 0)
order by id desc limit %(limit)s

-- name: named
select d.id, d.kb_id, kb.name as kb_name, coalesce(nullif(d.title, ''), d.name) as name
from veraz.document d
join veraz.knowledge_base kb on kb.id = d.kb_id
where d.superseded_by is null and kb.status <> 'archived'
  and not exists (select from unnest(%(words)s::text[]) w(word)
                  where strpos(veraz.plain(concat_ws(' ', d.name, d.title)), w.word) = 0)
order by d.id desc limit %(limit)s

-- name: sheet
select id, kb_id, name, origin, source_url, file_type, size_bytes, storage_key, machine_id, status, stage,
       progress_percent, error_code, error_message, indexed_at, processing_started_at, processing_completed_at,
       chunks_count, pages_count, tokens_used, word_count, title, author, created_date, language, metadata,
       tier, authority_score, evidence_level, institution, peer_reviewed, version, superseded_by,
       replaces, created_by, created_at, updated_at
from veraz.document
where kb_id = %(kb_id)s
  and (%(status)s::text is null or status = %(status)s)
  and (%(file_type)s::text is null or file_type = %(file_type)s)
  and (%(machine_id)s::text is null or machine_id = %(machine_id)s)
  and (%(text)s::text is null or strpos(lower(concat_ws(' ', name, title)), lower(%(text)s)) > 0)
order by
    case when not %(descending)s::boolean then case %(sort)s::text
        when 'name' then lower(name) when 'file_type' then file_type when 'status' then status when 'tier' then tier
        when 'machine_id' then machine_id end end,
    case when %(descending)s then case %(sort)s
        when 'name' then lower(name) when 'file_type' then file_type when 'status' then status when 'tier' then tier
        when 'machine_id' then machine_id end end desc nulls last,
    case when not %(descending)s then case %(sort)s
        when 'size_bytes' then size_bytes when 'chunks_count' then chunks_count
        when 'authority_score' then authority_score end end,
    case when %(descending)s then case %(sort)s
        when 'size_bytes' then size_bytes when 'chunks_count' then chunks_count
        when 'authority_score' then authority_score end end desc nulls last,
    case when not %(descending)s and %(sort)s = 'created_at' then id end,
    id desc
limit %(limit)s offset %(offset)s

-- name: sheet_count
select count(*) from veraz.document
where kb_id = %(kb_id)s
  and (%(status)s::text is null or status = %(status)s)
  and (%(file_type)s::text is null or file_type = %(file_type)s)
  and (%(machine_id)s::text is null or machine_id = %(machine_id)s)
  and (%(text)s::text is null or strpos(lower(concat_ws(' ', name, title)), lower(%(text)s)) > 0)

-- name: document
select id, kb_id, name, origin, source_url, file_type, size_bytes, storage_key, machine_id, status, stage,
       progress_percent, error_code, error_message, indexed_at, processing_started_at, processing_completed_at,
       chunks_count, pages_count, tokens_used, word_count, title, author, created_date, language, metadata,
       tier, authority_score, evidence_level, institution, peer_reviewed, version, superseded_by,
       replaces, created_by, created_at, updated_at
from veraz.document where id = %(id)s and kb_id = %(kb_id)s

-- name: add
insert into veraz.document (id, kb_id, name, origin, source_url, file_type, size_bytes, storage_key, content_hash,
    machine_id, title, by_hand, metadata, created_by)
values (%(id)s, %(kb_id)s, %(name)s, %(origin)s, %(source_url)s, %(file_type)s, %(size_bytes)s, %(storage_key)s,
    %(content_hash)s, %(machine_id)s, %(title)s, case when %(title)s::text is null then '{}' else array['title'] end,
    %(metadata)s, %(created_by)s)

-- The same bytes, read or waiting to be read; of the document itself they are no duplicate when its title changes.
-- name: twin
select id, name from veraz.document
where kb_id = %(kb_id)s and machine_id = %(machine_id)s and content_hash = %(content_hash)s and status <> 'failed'
  and id is distinct from %(besides)s::uuid
union all
select v.document_id, v.name from veraz.document_version v
where v.kb_id = %(kb_id)s and v.machine_id = %(machine_id)s and v.content_hash = %(content_hash)s and v.status = 'pending'
  and v.document_id is distinct from %(besides)s::uuid
limit 1

-- name: change
update veraz.document set
    name = coalesce(%(name)s, name),
    edition_stem = coalesce(%(stem)s, edition_stem),
    title = case when 'title' = any (%(clear)s) then null else coalesce(%(title)s, title) end,
    author = case when 'author' = any (%(clear)s) then null else coalesce(%(author)s, author) end,
    by_hand = array(
        select field from unnest(array['title', 'author'], array[%(title)s::text, %(author)s]) given(field, value)
        where not field = any (%(clear)s) and (value is not null or field = any (by_hand))),
    metadata = coalesce(%(metadata)s, metadata),
    tier = case when 'tier' = any (%(clear)s) then null else coalesce(%(tier)s, tier) end,
    authority_score = coalesce(%(authority_score)s, authority_score),
    evidence_level = case when 'evidence_level' = any (%(clear)s) then null else coalesce(%(evidence_level)s, evidence_level) end,
    institution = case when 'institution' = any (%(clear)s) then null else coalesce(%(institution)s, institution) end,
    peer_reviewed = coalesce(%(peer_reviewed)s, peer_reviewed)
where id = %(id)s

-- name: sheet_names
select document_id, array_agg(part order by first) as names
from (select c.document_id, c.part, min(c.ordinal) as first
      from veraz.chunk c join veraz.document d on d.id = c.document_id
      where c.document_id = any (%(ids)s) and c.edition_id = %(edition_id)s and d.file_type in ('xlsx', 'xls')
        and c.part is not null
      group by c.document_id, c.part) sheets
group by document_id

-- name: listable_kb
select veraz.listable_kb(%(kb_id)s)

-- name: contents
select id, name, title, file_type, version, status, created_date, created_at, indexed_at
from veraz.contents_of(%(kb_id)s, %(after)s, %(limit)s)

-- name: states
select id, status, stage, progress_percent, chunks_count, version, error_code, error_message
from veraz.document where kb_id = %(kb_id)s and id = any (%(ids)s)

-- name: superseded_by
select id from veraz.document where kb_id = %(kb_id)s and superseded_by = any (%(ids)s) and not id = any (%(ids)s)

-- name: delete
delete from veraz.document where kb_id = %(kb_id)s and id = any (%(ids)s) returning id

-- name: waiting
update veraz.document set status = 'pending', stage = null, progress_percent = 0, error_code = null, error_message = null
where id = %(id)s

-- name: chunks
select id, document_id, ordinal, content, tokens, page_number, part, row_number, start_char, end_char, headers, metadata,
       quality, revision, edited_by, edited_at
from veraz.chunk
where document_id = %(document_id)s and edition_id = %(edition_id)s
  and (%(after)s::int is null or ordinal > %(after)s)
order by ordinal limit %(limit)s

-- name: chunk
select id, document_id, ordinal, content, tokens, page_number, part, row_number, start_char, end_char, headers, metadata,
       quality, revision, edited_by, edited_at
from veraz.chunk where document_id = %(document_id)s and edition_id = %(edition_id)s and id = %(id)s

-- name: stats
select count(*) as documents,
       count(*) filter (where status = 'pending') as pending, count(*) filter (where status = 'processing') as processing,
       count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed,
       coalesce(avg(case status when 'completed' then 100 when 'failed' then 100 else progress_percent end), 100)::int
           as progress_percent
from veraz.document where kb_id = %(kb_id)s
