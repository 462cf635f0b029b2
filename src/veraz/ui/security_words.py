"""What is said about a security event: its kind, how it ended, and what stands beside it, as people read them."""

from collections.abc import Mapping
from typing import Any, Final

from veraz.ui.visit import Visit

SAID: Final[dict[str, str]] = {
    "signed_in": "Signed in",
    "signed_out": "Signed out",
    "sign_in_failed": "Sign-in refused",
    "sign_in_limited": "Too many attempts to sign in",
    "account_locked": "Account locked",
    "session_ended": "Session ended",
    "invited": "Invitation made",
    "invitation_used": "Invitation used",
    "password_changed": "Password changed",
    "password_reset_asked": "Password reset requested",
    "password_reset": "Password reset",
    "factor_added": "Second step set up",
    "factor_removed": "Second step removed",
    "factor_failed": "Second step refused",
    "recovery_code_used": "Recovery code used",
    "recovery_codes_made": "New recovery codes made",
    "provider_linked": "Linked with a sign-in provider",
    "provider_changed": "Sign-in provider changed",
    "key_made": "Key created",
    "key_revoked": "Key revoked",
    "key_refused": "Unknown or revoked key",
    "key_used_from_new_address": "Key used from a new address",
    "signing_key_changed": "Signing key changed",
    "user_added": "User added",
    "user_disabled": "User disabled",
    "user_enabled": "User enabled",
    "user_deleted": "User deleted",
    "rights_changed": "Rights changed",
    "tenant_created": "Tenant created",
    "tenant_changed": "Tenant changed",
    "tenant_deleted": "Tenant deleted",
    "licence_changed": "Licence changed",
    "setting_changed": "Setting changed",
    "access_refused": "Without permission",
    "scope_forged": "Forged identity at the database",
    "foreign_file": "File of another organization named",
    "address_refused": "Refused to visit a private address",
    "host_refused": "Request under an unknown name",
    "limit_reached": "Limit reached",
    "signature_refused": "Wrong signature",
    "exported": "Exported",
    "backed_up": "Backup made",
    "restored": "Backup restored",
    "forgotten": "Data forgotten",
}
"""Every kind, as people read it."""

FORGOTTEN: Final[dict[str, str]] = {
    "document": "a document",
    "chunk": "a chunk",
    "machine": "a machine",
    "end_user": "somebody outside",
    "person": "a user",
    "tenant": "an organization",
}
"""What receipts are about."""

_REFUSALS: Final = frozenset(
    ("sign_in_failed", "sign_in_limited", "account_locked", "factor_failed", "key_refused", "access_refused")
) | {"scope_forged", "foreign_file", "address_refused", "host_refused", "limit_reached", "signature_refused"}
"""Kinds whose own words say that somebody was not let through."""

_BESIDE: Final[dict[str, str]] = {
    "password": "with a password",
    "password + factor": "with a password and a code",
    "provider": "with the organization's account",
    "provider + factor": "with the organization's account and a code",
    "totp": "authenticator app",
    "second_factor": "Second step",
    "project": "Project",
    "documents": "Documents",
    "usage": "Usage",
    "reset": "reset by an administrator",
    "added": "added",
    "changed": "changed",
    "removed": "removed",
    "member": "Member",
    "admin": "Administrator",
    "manager": "Manager",
    "the issuer said no": "the provider said no",
    "disabled": "the user is disabled",
    "no verified e-mail": "no verified e-mail",
    "another domain": "an e-mail of another domain",
    "users are not linked": "users are not linked",
    "users are not added": "people are not added as users",
    "an administrator of the platform": "an administrator of the platform",
    "linked with another subject": "linked with another account",
    "the issuer failed": "the provider did not answer as it should: test it",
    "machine": "a machine",
    "end user": "somebody outside",
}
_IDS: Final = ("provider",)
"""What only programs read; it is in the export."""


def what(visit: Visit, kind: str, outcome: str) -> str:
    """What happened, and that it was refused or failed where the words alone would tell the contrary."""
    words = visit.t(SAID[kind]) if kind in SAID else kind
    if outcome == "done" or kind in _REFUSALS:
        return words
    return f"{words}: {visit.t('refused') if outcome == 'refused' else visit.t('failed')}"


def beside(visit: Visit, details: Mapping[str, Any]) -> str:
    """What stands beside it."""
    shown = (str(value) for name, value in details.items() if name not in _IDS)
    return " · ".join(visit.t(_BESIDE[one]) if one in _BESIDE else one for one in shown)
