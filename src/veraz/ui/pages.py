"""Every page inside the frame and its address below /es and /en."""

from collections.abc import Callable
from typing import Any, Final

from veraz.ui import (
    admin_audit,
    admin_house,
    admin_people,
    admin_security,
    admin_tenants,
    admin_webhooks,
    admin_whatsapp,
    agent,
    agents,
    ask,
    attention,
    console,
    document,
    home,
    kb_agents,
    kb_contents,
    kb_settings,
    knowledge_base,
    knowledge_bases,
    memory,
    personal,
    question_trace,
    questions,
    search,
    usage,
)

PAGES: Final[dict[str, Callable[..., Any]]] = {
    "/": home.page,
    "/ask": ask.page,
    "/ask/{conversation_id}": ask.conversation_page,
    "/personal": personal.page,
    "/knowledge-bases": knowledge_bases.page,
    "/knowledge-bases/{kb_id}": knowledge_base.page,
    "/knowledge-bases/{kb_id}/settings": kb_settings.page,
    "/knowledge-bases/{kb_id}/agents": kb_agents.page,
    "/knowledge-bases/{kb_id}/contents": kb_contents.page,
    "/knowledge-bases/{kb_id}/search": search.page,
    "/knowledge-bases/{kb_id}/documents/{document_id}": document.page,
    "/documents/{document_id}": document.reading_page,
    "/agents": agents.page,
    "/agents/{agent_id}": agent.page,
    "/memory": memory.page,
    "/attention": attention.page,
    "/console": console.page,
    "/usage": usage.page,
    "/usage/questions": questions.page,
    "/usage/questions/{query_id}": question_trace.page,
    "/insight": usage.moved,
    "/admin/users": admin_people.users_page,
    "/admin/projects": admin_people.projects_page,
    "/admin/keys": admin_house.keys_page,
    "/admin/webhooks": admin_webhooks.list_page,
    "/admin/webhooks/{webhook_id}": admin_webhooks.page,
    "/admin/whatsapp": admin_whatsapp.page,
    "/admin/plan": admin_house.plan_page,
    "/admin/tenants": admin_tenants.page,
    "/admin/audit": admin_audit.page,
    "/admin/security": admin_security.page,
}

MOVED: Final[dict[str, Callable[..., Any]]] = {
    "/chat/{agent_id}": ask.old_chat,
    "/conversations": ask.old_list,
    "/conversations/{conversation_id}": ask.old_conversation,
}
"""Addresses that were written down somewhere and lead to where the page is now."""
