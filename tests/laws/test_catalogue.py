"""Laws of the database: what its catalogue must say whatever anybody adds."""

from pathlib import Path

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.access import LOGIN_ROLES

Owner = Connection[TupleRow]

WITHOUT_TENANT = {
    "embedding_space": "names of models; vectors of different spaces are never compared",
    "forgotten_before": "ids and digests of what was forgotten before a restore; only the owner reads it",
    "migration": "what was applied",
    "scope_key": "signs scopes; only the function that verifies them reads it",
    "plan": "what tenants may hold; only the platform's admins change it",
    "tenant": "the tenants themselves; walls on their id",
    "rate": "how often somebody called, by keyed hashes; only functions touch it",
    "vector_home": "where the vectors of a space live",
}
OURS = (*LOGIN_ROLES, "veraz_search", "veraz_ledger", "veraz_gate", "veraz_keeper")


def values(owner: Owner, query: str) -> set[str]:
    """The first column."""
    return {str(row[0]) for row in owner.execute(query.encode()).fetchall()}


_TABLES = "select c.relname from pg_class c where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p')"
_HAS_TENANT = "exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)"


def test_every_table_belongs_to_a_tenant_or_is_known_not_to(owner: Owner) -> None:
    assert values(owner, f"{_TABLES} and not {_HAS_TENANT}") == set(WITHOUT_TENANT)


def test_row_level_security_is_enabled_and_forced_on_every_tenant_table(owner: Owner) -> None:
    assert not values(
        owner, f"{_TABLES} and {_HAS_TENANT} and not (c.relrowsecurity and c.relforcerowsecurity)"
    )
    assert not values(
        owner,
        f"{_TABLES} and c.relname in ('tenant', 'plan') and not (c.relrowsecurity and c.relforcerowsecurity)",
    )


def test_tenant_id_is_never_null(owner: Owner) -> None:
    nullable = "exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attnotnull)"
    assert not values(owner, f"{_TABLES} and {nullable}")


def test_every_tenant_table_has_the_restrictive_wall_for_the_application(owner: Owner) -> None:
    walled = """
        select tablename from pg_policies where schemaname = 'veraz' and policyname = 'wall'
        and permissive = 'RESTRICTIVE' and cmd = 'ALL' and 'veraz_app' = any (roles)
        and qual ~ 'tenant_id = .*current_tenant' and with_check ~ 'tenant_id = .*current_tenant'"""
    assert values(owner, f"{_TABLES} and {_HAS_TENANT}") == values(owner, walled)


def test_where_the_search_may_not_bypass_the_wall_it_sees_one_tenant(owner: Owner) -> None:
    fenced = """
        select tablename from pg_policies where schemaname = 'veraz' and policyname = 'definer' and cmd = 'SELECT'
        and roles = array['veraz_search']::name[] and qual ~ 'tenant_id = .*current_tenant'"""
    assert values(owner, f"{_TABLES} and {_HAS_TENANT}") == values(owner, fenced)


PAST_THE_TENANT = {
    # looked up by hash or address before the tenant is known
    "veraz_keeper SELECT": "api_key app_user identity_provider password_link project_member recovery_code second_factor session "
    "sign_in_challenge tenant",
    "veraz_search SELECT": "app_user tenant whatsapp_number widget",
    # counts, receipts and logs, written in whatever tenant the row that caused them is in
    "veraz_ledger ALL": "credit_balance credit_entry forgetting vector_outbox",
    "veraz_ledger INSERT": "agent_version audit_entry edition_term forgetting_source job security_event",
    # jobs are handed out, what is old is forgotten, and what quotes the forgotten is blanked, tenant by tenant or for all
    "veraz_ledger SELECT": "agent_version audit_entry chunk conversation correction document document_text document_version edition "
    "edition_term event job job_history knowledge_base message password_link query_log query_trace security_event session "
    "tenant webhook_delivery",
    "veraz_ledger UPDATE": "audit_entry conversation job message",
    "veraz_ledger DELETE": "edition edition_term event job job_history password_link query_log query_trace security_event session "
    "webhook_delivery",
    "veraz_queue ALL": "vector_outbox",
}
"""Where who owns functions, or moves vectors, is let past the tenant; there the function's own condition is the wall."""


def test_where_functions_pass_the_tenant_is_known(owner: Owner) -> None:
    """Behind every other function stands a policy, whatever condition it forgets."""
    keeps = r"""^\((tenant_)?id = \( SELECT veraz\.current_tenant\(\) AS current_tenant\)\)$|^\( SELECT veraz\.is_platform_admin\(\) AS \w+\)$
        |^\(\(tenant_id = '0{8}-0{4}-0{4}-0{4}-0{12}'::uuid\) AND \( SELECT veraz\.is_platform_admin\(\) AS \w+\)\)$"""
    passing = owner.execute(
        """
        select role || ' ' || cmd, tablename from pg_policies, unnest(roles) role
        where schemaname = 'veraz' and permissive = 'PERMISSIVE' and role not in ('veraz_app', 'veraz_worker')
          and not (coalesce(qual, with_check) ~ %(keeps)s and coalesce(with_check, qual) ~ %(keeps)s)""",
        {"keeps": "".join(part.strip() for part in keeps.split("\n"))},
    ).fetchall()
    known = {(who, table) for who, tables in PAST_THE_TENANT.items() for table in tables.split()}
    assert set(passing) == known


@pytest.mark.parametrize("role", ["veraz_worker", "veraz_platform"])
def test_nothing_lets_a_worker_or_the_platform_past_the_tenant_they_act_in(owner: Owner, role: str) -> None:
    walled = f"""
        select tablename from pg_policies where schemaname = 'veraz' and policyname = 'wall' and '{role}' = any (roles)"""
    assert values(owner, f"{_TABLES} and {_HAS_TENANT}") == values(owner, walled)


def test_who_looks_up_credentials_reads_no_table(owner: Owner) -> None:
    assert not _reach(owner, "veraz_signin")


def test_who_hands_out_jobs_reaches_only_the_outbox_of_vectors(owner: Owner) -> None:
    assert _reach(owner, "veraz_queue") == {"embedding_space", "vector_home", "vector_outbox"}


def test_only_the_function_that_verifies_scopes_reads_their_key(owner: Owner) -> None:
    reading = "select r from unnest(%s::text[]) r where has_table_privilege(r, 'veraz.scope_key', 'select')"
    assert owner.execute(reading, (list(OURS),)).fetchall() == [("veraz_gate",)]
    verifying = "select p.oid::regprocedure from pg_proc p where p.proowner = 'veraz_gate'::regrole"
    assert values(owner, verifying) == {"veraz.scope()"}


def test_nobody_leaves_anything_on_a_connection_that_others_use_next(owner: Owner) -> None:
    """Temporary tables, types and domains would wait there for the next caller."""
    leaving = (
        "select r from unnest(%s::text[]) r where has_database_privilege(r, current_database(), 'temporary')"
    )
    assert not owner.execute(leaving, (list(LOGIN_ROLES),)).fetchall()


def _reach(owner: Owner, role: str) -> set[str]:
    """The tables such a role may touch in any way."""
    touching = f"has_any_column_privilege('{role}', c.oid, 'select, insert, update') or has_table_privilege('{role}', c.oid, 'delete')"
    return values(owner, f"{_TABLES} and ({touching})")


def test_no_policy_of_the_application_lets_everything_through(owner: Owner) -> None:
    open_policies = """
        select tablename || '.' || policyname from pg_policies where schemaname = 'veraz' and permissive = 'PERMISSIVE'
        and (roles && array['veraz_app', 'public']::name[]) and (qual = 'true' or with_check = 'true')"""
    assert not values(owner, open_policies)


def test_the_public_may_do_nothing(owner: Owner) -> None:
    tables = "select c.relname from pg_class c, aclexplode(c.relacl) a where c.relnamespace = 'veraz'::regnamespace and a.grantee = 0"
    functions = """
        select p.oid::regprocedure from pg_proc p
        cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        where a.grantee = 0 and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
          and p.pronamespace::regnamespace::text not in ('pg_catalog', 'information_schema')"""
    schema = (
        "select 1 from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'veraz' and a.grantee = 0"
    )
    assert not values(owner, tables) | values(owner, functions) | values(owner, schema)


def test_functions_that_run_as_their_owner_are_fenced(owner: Owner) -> None:
    loose = """
        select p.oid::regprocedure from pg_proc p join pg_roles r on r.oid = p.proowner
        where p.prosecdef and p.pronamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
          and (r.rolname not in ('veraz_search', 'veraz_ledger', 'veraz_gate', 'veraz_keeper')
               or not exists (select from unnest(p.proconfig) c where c ~ '^search_path=pg_catalog(, public)?, pg_temp$'))"""
    assert not values(owner, loose)


def test_trigger_functions_cannot_be_hung_elsewhere(owner: Owner) -> None:
    callable_ = """
        select p.oid::regprocedure from pg_proc p where p.pronamespace = 'veraz'::regnamespace
        and p.prorettype = 'trigger'::regtype
        and exists (select from unnest(%s::text[]) r where has_function_privilege(r, p.oid, 'execute'))"""
    assert not owner.execute(callable_, (list(LOGIN_ROLES),)).fetchall()


@pytest.mark.parametrize("role", OURS)
def test_our_roles_hold_no_power_over_the_server(owner: Owner, role: str) -> None:
    row = owner.execute(
        "select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolcanlogin, rolinherit "
        "from pg_roles where rolname = %s",
        (role,),
    ).fetchone()
    assert row is not None
    assert not any(row[:4])
    assert row[4] == (role == "veraz_search") or not row[4]
    assert row[5] == (role in LOGIN_ROLES)


@pytest.mark.parametrize("role", LOGIN_ROLES)
def test_who_signs_in_owns_nothing_and_is_nobody_else(owner: Owner, role: str) -> None:
    owned = f"""
        select oid::regclass::text from pg_class where relowner = '{role}'::regrole
        union all select oid::regprocedure::text from pg_proc where proowner = '{role}'::regrole
        union all select nspname from pg_namespace where nspowner = '{role}'::regrole"""
    assert not values(owner, owned)
    assert not values(owner, f"select roleid::regrole from pg_auth_members where member = '{role}'::regrole")
    assert not values(
        owner, f"select nspname from pg_namespace where has_schema_privilege('{role}', oid, 'create')"
    )


def test_the_ledger_and_the_log_are_written_only_by_their_functions(owner: Owner) -> None:
    writable = """
        select r || ' ' || t || ' ' || p from unnest(array['veraz_app', 'veraz_worker', 'veraz_platform']) r,
        unnest(array['audit_entry', 'credit_entry', 'credit_balance', 'migration']) t,
        unnest(array['insert', 'update', 'delete', 'truncate']) p where has_table_privilege(r, 'veraz.' || t, p)"""
    assert not values(owner, writable)


CHANGES_HANDS = {
    "document.superseded_by": "another document took its place",
    "knowledge_base.live_edition_id": "the edition that is read; a reference keeps it in the same knowledge base",
    "chunk.edited_by": "who corrected it last",
    "document_version.job_id": "the job that reads it now",
    "exam_question.expected_document_id": "what the answer should stand on",
    "identity_provider.client_id": "what the issuer calls us",
    "whatsapp_contact.conversation_id": "where what they write goes on, when another agent answers; only one with the number's agent is used",
    "whatsapp_number.agent_id": "another agent answers there; a reference keeps it in the same project",
    "whatsapp_number.answered_by": "whether our agent or a program answers",
}
"""Columns named like those that say whose a row is, which an update may change all the same, and why."""
CHANGES_HANDS_IN_WORKERS = {
    "document.storage_key": "a page is fetched into its document; a constraint keeps the key below its knowledge base",
    "agent_change.run_id": "the exam that judged it",
    "whatsapp_contact.job_id": "the job that answers now",
    "whatsapp_message.job_id": "the job that answers now",
    "query_log.user_id": "nobody, when the person is forgotten",
    "feedback.user_id": "nobody, when the person is forgotten",
}
_SAYS_WHOSE = """
    select c.relname || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped
      and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'tenant_id')
      and (a.attname ~ '(_ids?|_by)$' or a.attname = 'storage_key' or exists (
          select from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'f') and a.attnum = any (k.conkey)))"""


def test_no_update_gives_a_row_to_somebody_else(owner: Owner) -> None:
    def changed_by(role: str) -> set[str]:
        return values(owner, f"{_SAYS_WHOSE} and has_column_privilege('{role}', c.oid, a.attnum, 'update')")

    assert changed_by("veraz_app") == set(CHANGES_HANDS)
    shared = set(CHANGES_HANDS) - {"exam_question.expected_document_id", "identity_provider.client_id"}
    assert changed_by("veraz_worker") == shared | set(CHANGES_HANDS_IN_WORKERS)


def test_what_a_job_does_and_a_receipt_says_is_never_changed(owner: Owner) -> None:
    fixed = [("job", "kind"), ("forgetting", "kind"), ("forgetting", "subjects")]
    for role in LOGIN_ROLES:
        for table, column in fixed:
            may = "select has_column_privilege(%s, %s::regclass, %s, 'update')"
            assert owner.execute(may, (role, f"veraz.{table}", column)).fetchone() == (False,), (
                role,
                table,
                column,
            )
        if role != "veraz_worker":  # which takes words out that were forgotten
            may = "select has_column_privilege(%s, 'veraz.job'::regclass, 'payload', 'update')"
            assert owner.execute(may, (role,)).fetchone() == (False,), role
        made = owner.execute(
            "select has_table_privilege(%s, 'veraz.forgetting', 'insert, delete')", (role,)
        ).fetchone()
        assert made == (False,), role


def test_every_key_of_a_file_is_held_below_its_knowledge_base(owner: Owner) -> None:
    keyed = "select attrelid::regclass from pg_attribute where attname = 'storage_key' and attrelid in (select oid from pg_class where relkind = 'r')"
    held = """
        select conrelid::regclass from pg_constraint where contype = 'c' and convalidated
        and pg_get_constraintdef(oid) ~ 'starts_with\\(storage_key, .*tenant_id.*kb_id'"""
    assert values(owner, keyed) == values(owner, held) == {"veraz.document", "veraz.document_version"}


OF_NO_MACHINE = {
    "domain_intelligence": "of a whole knowledge base",
    "knowledge_base": "of a whole knowledge base",
    "edition": "of a whole knowledge base",
    "licence": "the machines themselves, for the tenant's admins; of others one's own",
    "assignment": "of a whole knowledge base",
    "vector_outbox": "for no request",
    "exam_question": "for who manages the agent; documents are named by id",
    "whatsapp_contact": "nobody writes to WhatsApp on a machine of ours",
    "whatsapp_message": "nobody writes to WhatsApp on a machine of ours",
    "message": "looked up by its conversation",
    "feedback": "looked up by its message",
    "embedding_cache": "looked up by its document",
}
"""Tables that name a machine, a document, a knowledge base or a conversation and have no wall between machines of their own, and why."""


def test_what_tells_of_a_machine_is_kept_from_other_machines(owner: Owner) -> None:
    telling = f"""
        {_TABLES} and {_HAS_TENANT} and has_any_column_privilege('veraz_app', c.oid, 'select') and exists (
            select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
            and a.attname ~ '(^|_)(machine|document|kb|conversation|message|event)_id$')"""
    walled = """
        select tablename from pg_policies where schemaname = 'veraz' and policyname = 'machine'
        and permissive = 'RESTRICTIVE' and 'veraz_app' = any (roles) and qual ~ 'current_machine'"""
    assert values(owner, telling) - set(OF_NO_MACHINE) == values(owner, walled)


CREDENTIALS = "'session', 'api_key', 'password_link', 'second_factor', 'recovery_code', 'sign_in_challenge'"


def test_no_role_but_their_keeper_reaches_credentials(owner: Owner) -> None:
    """The functions of 5_credentials.sql are the only way; the ledger forgets sessions and links that have expired."""
    reach = f"""
        select r || ' ' || t || ' ' || p from unnest(%s::text[]) r, unnest(array[{CREDENTIALS}]) t,
        unnest(array['select', 'insert', 'update']) p where has_any_column_privilege(r, 'veraz.' || t, p)
        union all select r || ' ' || t || ' delete' from unnest(%s::text[]) r, unnest(array[{CREDENTIALS}]) t
        where has_table_privilege(r, 'veraz.' || t, 'delete, truncate')"""
    others = [role for role in OURS if role != "veraz_keeper"]
    found = {str(row[0]) for row in owner.execute(reach.encode(), (others, others)).fetchall()}
    expiring = {
        f"veraz_ledger {table} {right}"
        for table in ("session", "password_link")
        for right in ("select", "delete")
    }
    assert found == expiring
    only = "select count(*) from unnest(array['session', 'password_link']) t where has_column_privilege('veraz_ledger', 'veraz.' || t, 'token_hash', 'select')"
    assert values(owner, only) == {"0"}


@pytest.mark.parametrize("column", ["password_hash", "is_platform_admin", "must_change_password"])
def test_nobody_reads_or_writes_what_makes_a_person_powerful(owner: Owner, column: str) -> None:
    reach = """
        select r from unnest(%s::text[]) r where r <> 'veraz_keeper' and (
            has_column_privilege(r, 'veraz.app_user', %s, 'select, insert, update')
            or has_any_column_privilege(r, 'veraz.app_user', 'insert, update')
            or has_table_privilege(r, 'veraz.app_user', 'delete, truncate'))"""
    assert not owner.execute(reach, (list(OURS), column)).fetchall()


def test_requests_call_no_function_that_makes_a_way_in(owner: Owner) -> None:
    callable_ = """
        select p.proname from pg_proc p where p.pronamespace = 'veraz'::regnamespace
        and p.proowner = 'veraz_keeper'::regrole and has_function_privilege('veraz_app', p.oid, 'execute')"""
    assert values(owner, callable_) == {"people", "person", "keys_seen", "key_used", "end_user"}
    # takes end users away who are being forgotten; nobody gets in by it
    assert values(owner, callable_.replace("veraz_app", "veraz_worker")) == {"remove_end_users"}
    assert values(owner, callable_.replace("veraz_app", "veraz_platform")) == {"add_person"}


def test_a_worker_cannot_become_somebody(owner: Owner) -> None:
    reach = """
        select t || ' ' || p from unnest(array['tenant', 'project_member', 'licence', 'plan']) t,
        unnest(array['insert', 'update', 'delete']) p where has_table_privilege('veraz_worker', 'veraz.' || t, p)"""
    assert not values(owner, reach)


def test_rows_of_a_tenant_only_point_at_rows_of_the_same_tenant(owner: Owner) -> None:
    """A foreign key between tenant tables carries the tenant on both sides."""
    crossing = """
        select k.conrelid::regclass || ' ' || k.conname from pg_constraint k
        where k.contype = 'f' and k.connamespace = 'veraz'::regnamespace
          and k.confrelid::regclass::text not in ('veraz.tenant', 'veraz.plan', 'veraz.embedding_space')
          and not (select a.attnum from pg_attribute a where a.attrelid = k.conrelid and a.attname = 'tenant_id') = any (k.conkey)"""
    assert not values(owner, crossing)


def test_every_tenant_table_is_attacked(owner: Owner) -> None:
    """A new table joins support/isolation_model.py, so that the isolation story tries to break into it."""
    attack = Path(__file__).parents[1].joinpath("support", "isolation_sql.py").read_text(encoding="utf-8")
    reachable = "has_table_privilege('veraz_app', c.oid, 'select')"
    tables = values(owner, f"{_TABLES} and {_HAS_TENANT} and {reachable}")
    assert not {table for table in tables if f'yield "{table}"' not in attack}


_NAMES_A_CHUNK = """
    select a.attrelid::regclass::text from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'veraz'::regnamespace and c.relkind = 'r' and a.attname = 'chunk_id'
      and has_table_privilege('veraz_worker', c.oid, 'insert')
      and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any (k.conkey))
      and not exists (
          select from pg_policies p where p.schemaname = 'veraz' and p.tablename = c.relname and p.permissive = 'RESTRICTIVE'
            and p.cmd in ('INSERT', 'ALL') and p.with_check like '%veraz.chunk%')"""


def test_what_names_a_chunk_by_no_key_is_looked_up_before_it_is_written(owner: Owner) -> None:
    assert owner.execute(_NAMES_A_CHUNK).fetchall() == []
