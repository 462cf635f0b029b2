-- What is looked for says what it is: a name, a text, or something that was typed and is compared only as a whole.
alter table veraz.forgetting_source
    add column what text not null default 'text' check (what in ('text', 'name', 'typed')),
    add column document_id uuid,
    add column language text;
comment on column veraz.forgetting_source.document_id is 'The document that said it, by whose id its traces are found.';

-- A description that came from what was found out about a knowledge base goes with it.
alter table veraz.knowledge_base add column described_by_domain boolean not null default false;
update veraz.knowledge_base k set described_by_domain = true
from veraz.domain_intelligence d
where d.tenant_id = k.tenant_id and d.kb_id = k.id and d.user_confirmed and d.interpreted_intent = k.description
  and k.description <> '';
