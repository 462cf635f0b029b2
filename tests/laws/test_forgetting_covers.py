"""Whatever can repeat a forgotten word is looked through: a new table or column with text has to be thought about."""

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.forgetting import sweep

Owner = Connection[TupleRow]

ITS_OWN = {
    "app_user": "goes with the person",
    "chunk": "goes with its document",
    "correction": "goes with its document",
    "document": "goes itself",
    "document_text": "goes with its document",
    "document_version": "goes with its document",
    "edition_term": "numbers of words and the machine they are counted for; go with their chunks",
    "embedding_cache": "goes with its document",
    "forgetting": "the receipt: ids and counts",
    "forgotten_span": "counts and digests",
    "forgetting_source": "empty when nothing is under way",
    "identity_link": "goes with the person",
    "licence": "goes with the machine",
    "password_link": "goes with the person",
    "recovery_code": "goes with the person",
    "second_factor": "goes with the person",
    "security_event": "ids, addresses and codes; nobody changes it, it goes with age and with its tenant",
    "sign_in_challenge": "goes with the person",
    "whatsapp_contact": "goes with the end user",
}
WRITTEN_BY_ADMINS = {
    "agent": "what its managers told it to be",
    "agent_version": "what its managers told it to be",
    "api_key": "a name and a hash",
    "credit_entry": "amounts and their reasons, from a list of ours",
    "edition": "settings",
    "end_user_key": "a name and a sealed secret, or a public key",
    "end_user_token": "a hash",
    "identity_provider": "an address",
    "knowledge_base": "its name and description; one that was made from documents goes with domain_intelligence",
    "plan": "the platform's",
    "project": "its name and description",
    "project_member": "a role",
    "session": "a hash",
    "tenant": "the company",
    "webhook": "an address",
    "whatsapp_number": "a number of the company",
    "widget": "what the website shows",
}
NO_WORDS = {
    "agent_change": {"changes", "status"},
    "audit_entry": {"action", "thing", "thing_id", "request_id"},
    "conversation": {"channel", "external_id", "handoff_mode", "machine_id"},
    "domain_intelligence": {"model"},
    "event": {"kind"},
    "exam_question": {"origin"},
    "exam_run": {"model"},
    "job": {"kind", "status", "worker", "error_code", "stages"},
    "job_history": {"kind", "status", "worker", "error_code", "stages"},
    "message": {"role", "refusal", "model", "evidence", "turn", "degraded", "forgotten_why"},
    "query_log": {"kind", "machine_id", "channel", "turn", "origin", "outcome", "model"},
    "webhook_delivery": {"kind", "status"},
    "whatsapp_message": {"direction", "kind", "wamid", "state"},
}
"""Codes and ids, and what is blanked by document instead (an answer's evidence)."""

_TEXTS = """
    select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('text', 'text[]', 'json', 'jsonb', 'bytea', 'tsvector', 'character varying')
      and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')"""


def test_every_table_with_words_is_looked_through_or_known_to_need_no_look(owner: Owner) -> None:
    tables = {table for table, _ in owner.execute(_TEXTS).fetchall()}
    assert tables - {one.name for one in sweep.TABLES} - ITS_OWN.keys() - WRITTEN_BY_ADMINS.keys() == set()


@pytest.mark.parametrize("table", sweep.TABLES, ids=lambda table: table.name)
def test_every_column_with_words_is_looked_at(owner: Owner, table: sweep.Table) -> None:
    columns = {column for name, column in owner.execute(_TEXTS).fetchall() if name == table.name}
    assert {
        column for column in columns - NO_WORDS.get(table.name, set()) if column not in table.rows
    } == set()
