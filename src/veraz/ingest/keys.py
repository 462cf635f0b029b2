"""Where a document's file lies in storage. People's file names never become part of it."""

from uuid import UUID


def storage_key(tenant_id: UUID, kb_id: UUID, document_id: UUID) -> str:
    """`tenant/knowledge base/document`."""
    return f"{tenant_id}/{kb_id}/{document_id}"
