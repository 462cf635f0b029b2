-- name: used
select distinct name from (
    select a.model as name from veraz.agent a
    union all select a.fallback_model from veraz.agent a
    union all select nullif(a.judge_model, 'entail') from veraz.agent a
    union all select nullif(a.retrieval ->> 'reranker', 'local') from veraz.agent a) used
where name is not null and name <> 'extractive' order by name limit 200
