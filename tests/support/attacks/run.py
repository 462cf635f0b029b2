"""All of it: every operation, every caller, other people's rows; then the table of what was tried."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from tests.support.attacks.asgi import Answer, Request, send
    from tests.support.attacks.detect import Detector, changes, fingerprint
    from tests.support.attacks.doors import Doors, Operation
    from tests.support.attacks.forge import Forger
    from tests.support.attacks.world import CANARY, Attacker, AttackWorld, Family
else:
    from support.attacks.asgi import Answer, Request, send
    from support.attacks.detect import Detector, changes, fingerprint
    from support.attacks.doors import Doors, Operation
    from support.attacks.forge import Forger
    from support.attacks.world import CANARY, Attacker, AttackWorld, Family

AT_ONCE = 4
_SHOWN = 300


@dataclass(kw_only=True)
class Record:
    """What was tried and what came of it."""

    requests: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[int]] = field(default_factory=dict)
    reached: dict[str, set[str]] = field(default_factory=dict)
    """Operation → what answered 2xx: callers."""
    findings: dict[str, str] = field(default_factory=dict)
    """What and where → the first request that showed it."""

    def note(self, door: str, answer: Answer) -> None:
        """One more answer."""
        self.requests[door] += 1
        self.statuses.setdefault(door, Counter())[answer.status] += 1

    def find(self, where: str, what: str, shown: str) -> None:
        """One more finding; the same at the same place is told once."""
        self.findings.setdefault(f"{where}: {what}", shown)

    def table(self) -> str:
        """Requests, statuses and findings of each door."""
        lines = [f"{'door':14}{'requests':>10}{'2xx':>8}{'4xx':>9}{'5xx':>6}  statuses"]
        for door, number in self.requests.most_common():
            by = self.statuses[door]
            groups = [sum(n for status, n in by.items() if status // 100 == group) for group in (2, 4, 5)]
            every = " ".join(f"{status}:{n}" for status, n in sorted(by.items()))
            lines.append(f"{door:14}{number:>10}{groups[0]:>8}{groups[1]:>9}{groups[2]:>6}  {every}")
        lines.append(f"{'all':14}{self.requests.total():>10}   {len(self.findings)} findings")
        return "\n".join(lines)

    def told(self) -> str:
        """The findings with their first requests."""
        return "\n\n".join(f"{name}\n{shown}" for name, shown in self.findings.items())


@dataclass(kw_only=True)
class Campaign:
    """Attacks on one application with one world behind it."""

    app: Any
    doors: Doors
    world: AttackWorld
    random: Random
    at_home: float = 0.15
    """How often what is aimed at is in the same house, but not theirs to see."""
    record: Record = field(default_factory=Record)

    def __post_init__(self) -> None:
        self.detector = Detector(self.world)
        self.forger = Forger(self.doors, self.random)

    async def attack(self, attacker: Attacker, operations: Iterable[Operation], rounds: int = 1) -> None:
        """This caller at these operations; afterwards nobody else's rows have changed."""
        by_door: dict[str, list[Operation]] = {}
        for operation in operations:
            by_door.setdefault("widget" if operation.door == "widget" else "", []).append(operation)
        for door, mine in by_door.items():
            await self._batch(attacker, door, [op for op in mine for _ in range(rounds)])

    async def _batch(self, attacker: Attacker, door: str, operations: list[Operation]) -> None:
        before = fingerprint(self.world.owner)
        made = [(op, *self._forged(op, attacker)) for op in operations]
        went = await _together([self._try(attacker, op, request, tricks) for op, request, tricks in made])
        found = changes(before, fingerprint(self.world.owner), attacker, door)
        if found:
            done = "\n".join(line for line in went if line)
            for what in found:
                self.record.find(attacker.name, what, done[:6_000])

    def _forged(self, operation: Operation, attacker: Attacker) -> tuple[Request, list[str]]:
        others = self.world.others(attacker.tenant)
        theirs = self.world.family(self.random.choice(others), self.random)
        mine = self.world.family(attacker.tenant or others[0], self.random)
        if (
            attacker.tenant and self.random.random() < 0.15
        ):  # what is in the same house, but not theirs to see
            theirs = self.world.family(attacker.tenant, self.random)
        tricks = self.random.choices((0, 1, 2, 3), (3, 4, 2, 1))[0]
        return self.forger.forged(operation, theirs, mine, attacker.headers, tricks)

    async def _try(
        self, attacker: Attacker, operation: Operation, request: Request, tricks: list[str]
    ) -> str | None:
        self.detector.listen(request, attacker)
        answer = await send(self.app, request)
        self.record.note(operation.door, answer)
        for what in self.detector.findings(operation.door, request, answer, attacker):
            shown = f"  {attacker.name} {tricks}\n  {_shown(request)}\n  -> {_answer(answer)}"
            self.record.find(operation.label, what, shown)
        changed = answer.status < 400 and request.method not in ("GET", "HEAD", "OPTIONS")
        return f"  {tricks} {_shown(request)} -> {answer.status}" if changed else None

    # the rightful owner through the same generator

    async def own(self, owner: Attacker, tries: int = 8) -> "Reached":
        """What answers the owner, or the platform what is the platform's; each operation until a canary came back."""
        assert owner.tenant
        reached = Reached()
        operations = [op for op in self.doors.operations if op.door != "unannounced"]
        for operation in sorted(
            operations, key=lambda op: (op.path.endswith("logout"), op.method == "delete")
        ):
            for _ in range(tries):
                family = self.world.own_family(owner, self.random)
                headers = self.world.platform().headers if reached.forbidden(operation) else owner.headers
                if operation.door == "widget":
                    headers = self.world.visitor_of(UUID(family["agent"])).headers
                request = self.forger.right(operation, family, headers)
                answer = await send(self.app, request)
                reached.note(operation, request, answer, self.world, owner.tenant)
                if operation.label in reached.canaries:
                    break
        return reached


@dataclass(kw_only=True)
class Reached:
    """What the owner got."""

    answered: dict[str, bool] = field(default_factory=dict)
    canaries: set[str] = field(default_factory=set)
    last: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)

    def forbidden(self, operation: Operation) -> bool:
        """Whether the owner was told that it is not theirs to do."""
        return self.statuses.get(operation.label) == 403

    def note(
        self, operation: Operation, request: Request, answer: Answer, world: AttackWorld, tenant: UUID
    ) -> None:
        """One more answer to the owner."""
        fine = 200 <= answer.status < 300
        self.answered[operation.label] = self.answered.get(operation.label, False) or fine
        if not fine:
            self.statuses[operation.label] = answer.status
            self.last[operation.label] = f"{_shown(request)} -> {_answer(answer)}"
        told = answer.body.decode("utf-8", "replace").lower()
        if any(f"{CANARY}{one}" in told for one in _ids(told) if _is_of(world, one, tenant)):
            self.canaries.add(operation.label)

    @property
    def share(self) -> float:
        """How many of the operations answered 2xx."""
        return sum(self.answered.values()) / len(self.answered)


def _ids(told: str) -> list[str]:
    return [part[:32] for part in told.split(CANARY)[1:]]


def _is_of(world: AttackWorld, one: str, tenant: UUID) -> bool:
    row = world.known.get(one)
    return row is not None and row.tenant == tenant


async def _together(works: list[Any]) -> list[Any]:
    """A few at a time, in order."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(work: Any) -> Any:
        async with gate:
            return await work

    return list(await asyncio.gather(*(one(work) for work in works)))


def _shown(request: Request) -> str:
    body = request.body[:_SHOWN].decode("utf-8", "replace")
    return f"{request.method} {request.target[:_SHOWN]} {body}"


def _answer(answer: Answer) -> str:
    return f"{answer.status} {answer.body[:_SHOWN].decode('utf-8', 'replace')!r}"


__all__ = ["Campaign", "Family", "Reached", "Record"]
