"""What a site's robots.txt says to us (RFC 9309): the longest matching rule wins, `*` and `$` count.

The standard library's reader takes the first match and knows no wildcards, so it would visit pages
that sites close with `Disallow: /*?session=`.
"""

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

ROBOT_NAME = "VerazBot"
ROBOTS_BYTES_MAX = 512 * 1024
RULES_MAX = 1000
KEPT_SECONDS = 3600.0
KEPT_SITES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRules:
    """The rules of one site for us; without any rule everything is open."""

    rules: tuple[tuple[str, bool], ...] = ()
    """Patterns with whether they allow."""
    delay: float = 0.0
    """Seconds the site asks to leave between two visits."""
    sitemaps: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        """Whether a path with its query may be read; of equally long rules the allowing one wins."""
        wanted = _even(path)
        matching = [(len(pattern), allow) for pattern, allow in self.rules if _matches(pattern, wanted)]
        return wanted == "/robots.txt" or max(matching, default=(0, True))[1]


class RobotsCache:
    """What sites said lately, so that a crawl asks each one once an hour."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, tuple[float, RobotsRules]] = OrderedDict()

    def get(self, site: str) -> RobotsRules | None:
        """The rules of a site if they are still fresh."""
        until, rules = self._sites.get(site, (0.0, None))
        return rules if until > time.monotonic() else None

    def keep(self, site: str, rules: RobotsRules) -> None:
        """Remember, and forget the site asked longest ago when there are too many."""
        self._sites[site] = (time.monotonic() + KEPT_SECONDS, rules)
        self._sites.move_to_end(site)
        if len(self._sites) > KEPT_SITES:
            self._sites.popitem(last=False)


def parse_robots(text: str, robot: str = ROBOT_NAME) -> RobotsRules:
    """The rules for our name, or those for everybody when we are not named."""
    groups, sitemaps = _groups(text.lstrip("\ufeff")[:ROBOTS_BYTES_MAX])
    named = [group for group in groups if robot.lower() in group.agents]
    chosen = named or [group for group in groups if "*" in group.agents]
    return RobotsRules(
        rules=tuple(rule for group in chosen for rule in group.rules)[:RULES_MAX],
        delay=max((group.delay for group in chosen), default=0.0),
        sitemaps=tuple(sitemaps),
    )


@dataclass(slots=True)
class _Group:
    agents: set[str] = field(default_factory=set)
    rules: list[tuple[str, bool]] = field(default_factory=list)
    delay: float = 0.0
    closed: bool = False
    """A rule has been seen, so the next user-agent line starts another group."""


def _groups(text: str) -> tuple[list[_Group], list[str]]:
    groups, sitemaps = [_Group()], []
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.split("#", 1)[0].partition(":"))
        if name.lower() == "sitemap":
            sitemaps.append(value)
        elif name.lower() == "user-agent":
            if groups[-1].closed:
                groups.append(_Group())
            groups[-1].agents.add(value.lower().split("/")[0])
        else:
            _add_rule(groups[-1], name.lower(), value)
    return groups, sitemaps


def _add_rule(group: _Group, name: str, value: str) -> None:
    if name in ("allow", "disallow"):
        group.closed = True
        if value:
            group.rules.append((_even(value), name == "allow"))
    elif name == "crawl-delay":
        group.closed = True
        group.delay = _seconds(value)


def _seconds(value: str) -> float:
    try:
        return max(0.0, float(value))
    except ValueError:
        return 0.0


def _even(path: str) -> str:
    """One spelling for paths that differ only in what is percent-encoded."""
    return quote(unquote(path), safe="/?&=*$:;,+@!~'()%")


def _matches(pattern: str, path: str) -> bool:
    """Piece by piece from the left: linear, where a regular expression could be made to explode."""
    anchored = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for piece in others[:-1] if anchored else others:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if not anchored:
        return True
    return len(path) - at >= len(others[-1]) and path.endswith(others[-1]) if others else at == len(path)
