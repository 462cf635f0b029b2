"""Where one can go: five groups of pages, each offered to whom it is for."""

from dataclasses import dataclass
from typing import Final

from veraz.ui.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page the navigation leads to."""

    path: str
    icon: str
    words: str
    managers: bool = False
    admins: bool = False
    platform: bool = False

    def shown_to(self, visit: Visit) -> bool:
        """Navigation only offers what the person may use; the services decide again."""
        if self.platform:
            return visit.actor.is_platform_admin
        if self.admins:
            return visit.actor.is_tenant_admin
        return visit.manages or not self.managers


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Pages that belong together; `key` after «g» opens the first one."""

    words: str
    icon: str
    key: str
    places: tuple[Place, ...]

    def shown_to(self, visit: Visit) -> list[Place]:
        """What of it the person may use."""
        return [place for place in self.places if place.shown_to(visit)]


GROUPS: Final = (
    Group(
        words="Ask",
        icon="forum",
        key="p",
        places=(Place(path="/ask", icon="forum", words="Ask"),),
    ),
    Group(
        words="Documents",
        icon="library_books",
        key="d",
        places=(
            Place(path="/knowledge-bases", icon="library_books", words="Knowledge bases", managers=True),
            Place(path="/personal", icon="person_pin", words="My knowledge"),
            Place(path="/memory", icon="memory", words="Memory and licences", admins=True),
        ),
    ),
    Group(
        words="Agents",
        icon="smart_toy",
        key="a",
        places=(
            Place(path="/agents", icon="smart_toy", words="Agents", managers=True),
            Place(path="/admin/whatsapp", icon="chat", words="WhatsApp", managers=True),
        ),
    ),
    Group(
        words="Supervision",
        icon="visibility",
        key="s",
        places=(
            Place(path="/attention", icon="notifications", words="Attention", managers=True),
            Place(path="/console", icon="terminal", words="Ingestion", managers=True),
            Place(path="/usage", icon="insights", words="Usage", managers=True),
        ),
    ),
    Group(
        words="Administration",
        icon="settings",
        key="m",
        places=(
            Place(path="/admin/users", icon="group", words="Users", admins=True),
            Place(path="/admin/projects", icon="workspaces", words="Projects", admins=True),
            Place(path="/admin/sign-in", icon="login", words="Sign-in", admins=True),
            Place(path="/admin/keys", icon="key", words="Keys"),
            Place(path="/admin/webhooks", icon="webhook", words="Webhooks", managers=True),
            Place(path="/admin/plan", icon="toll", words="Plan and credits", admins=True),
            Place(path="/admin/audit", icon="history", words="Audit", admins=True),
            Place(path="/admin/security", icon="security", words="Security", admins=True),
            Place(path="/admin/tenants", icon="domain", words="Tenants", platform=True),
        ),
    ),
)


def groups_for(visit: Visit) -> list[tuple[Group, list[Place]]]:
    """The groups with what the visitor may use of them."""
    return [(group, places) for group in GROUPS if (places := group.shown_to(visit))]
