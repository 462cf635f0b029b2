"""Real load on a real home: Spanish documents, tenants with a knowledge base each, and worker processes."""

import asyncio
import io
import os
import random
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from veraz.ingest.receive import Labels
from veraz.library.configs import EmbeddingConfig
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.tenants import NewTenant
from veraz.wiring import Veraz, open_veraz

LAWS = Path(__file__).parents[2] / ".." / "shared" / "data" / "laws-es.tar.xz"
WORDS = [
    "ley",
    "artículo",
    "plazo",
    "persona",
    "titular",
    "registro",
    "servicio",
    "público",
    "interés",
    "general",
    "procedimiento",
    "órgano",
    "competente",
    "resolución",
    "solicitud",
    "norma",
    "aplicación",
    "efecto",
    "derecho",
    "obligación",
    "contrato",
    "empresa",
    "trabajador",
    "año",
    "presupuesto",
    "administración",
    "autoridad",
    "medida",
    "control",
    "gestión",
    "información",
    "documento",
    "fecha",
    "firma",
    "niño",
    "corazón",
    "acción",
    "señal",
]


@dataclass(frozen=True, slots=True)
class Text:
    """A Markdown document to send in."""

    name: str
    content: str


def whole_laws(count: int, *, smallest: int = 20_000, largest: int = 150_000) -> list[Text]:
    """Laws of ordinary length as they are; made-up ones where the collection is absent."""
    if not LAWS.exists():
        return [Text(f"norma-{number}.md", made_up(number, 60_000)) for number in range(count)]
    return [text for text, _ in zip(_laws(smallest, largest), range(count), strict=False)]


def small_documents(count: int, characters: int = 3000) -> list[Text]:
    """Different short documents, cut from laws at their paragraphs."""
    texts: list[Text] = []
    for law in _laws(20_000, 400_000) if LAWS.exists() else ():
        for number, piece in enumerate(_pieces(law.content, characters)):
            texts.append(
                Text(f"{law.name[:-3]}-{number}.md", f"# {law.name[:-3]}, parte {number}\n\n{piece}\n")
            )
        if len(texts) >= count:
            return texts[:count]
    return texts + [Text(f"n-{n}.md", made_up(n, characters)) for n in range(count - len(texts))]


def made_up(seed: int, characters: int) -> str:
    """Spanish-looking text that differs for every seed."""
    pick = random.Random(seed)
    lines = [f"# Norma {seed}"]
    while sum(map(len, lines)) < characters:
        words = pick.choices(WORDS, k=pick.randint(40, 90))
        lines.append(f"\nArtículo {len(lines)}. {' '.join(words).capitalize()} {pick.randint(1, 10**9)}.")
    return "\n".join(lines)


def _laws(smallest: int, largest: int) -> Iterator[Text]:
    with tarfile.open(LAWS) as archive:
        for member in archive:
            handle = archive.extractfile(member) if member.name.endswith(".md") else None
            if handle is not None and smallest <= member.size <= largest:
                yield Text(Path(member.name).name, handle.read().decode())


def _pieces(text: str, characters: int) -> Iterator[str]:
    piece: list[str] = []
    for paragraph in text.split("\n\n"):
        piece.append(paragraph)
        if sum(map(len, piece)) >= characters:
            yield "\n\n".join(piece)
            piece = []


@dataclass(frozen=True, slots=True)
class Shelf:
    """A tenant's administrator and their knowledge base."""

    veraz: Veraz
    actor: Actor
    kb_id: UUID

    async def send(self, texts: Sequence[Text]) -> list[UUID]:
        """The documents arrive, one after the other; their ids."""
        return [(await self._send(text)).document_id for text in texts]

    async def _send(self, text: Text):  # type: ignore[no-untyped-def]
        file = io.BytesIO(text.content.encode())
        return await self.veraz.reception.file(self.actor, self.kb_id, text.name, file, Labels())

    async def counts(self) -> dict[str, int]:
        """Documents by status."""
        async with self.veraz.db.transaction(self.actor.scope()) as tx:
            rows = await tx.rows(
                "select status, count(*) from veraz.document where kb_id = %(kb)s group by 1", kb=self.kb_id
            )
        return {row["status"]: row["count"] for row in rows}

    async def busy_processes(self) -> set[int]:
        """Process numbers of the workers that hold jobs of this tenant."""
        async with self.veraz.db.transaction(self.actor.scope()) as tx:
            names = await tx.values("select distinct worker from veraz.job where status = 'RUNNING'")
        return {int(name.split(":")[1]) for name in names}

    async def completed(self, expected: int, *, seconds: float = 3600.0, look_every: float = 0.1) -> None:
        """Waits until so many documents are completed; a failed one ends the wait."""
        async with asyncio.timeout(seconds):
            while (counts := await self.counts()).get("completed", 0) < expected:
                assert not counts.get("failed"), counts
                await asyncio.sleep(look_every)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Veraz]:
    """The platform with its first tenant."""
    async with open_veraz(settings) as veraz:
        await veraz.tenants.first_start(email="admin@example.com", password="a-long-password-1")
        yield veraz


async def new_shelf(veraz: Veraz, name: str, embedding: EmbeddingConfig | None = None) -> Shelf:
    """A new tenant with an empty knowledge base."""
    platform = await veraz.tenants.operator("Veraz")
    new = NewTenant(
        name=name, admin_email=f"{name}@example.com", admin_password="a-long-password-1", plan="unlimited"
    )
    tenant = await veraz.tenants.create(platform, new)
    actor = await veraz.tenants.operator(str(tenant.id))
    await veraz.plans.grant(platform, tenant.id, 10_000_000, "soak")
    kb = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name="Leyes", embedding=embedding))
    return Shelf(veraz, actor, kb.id)


@contextmanager
def fresh_home(prefix: str, *, in_memory: bool = False) -> Iterator[Path]:
    """A home that is removed afterwards, where the database's own system user can reach it."""
    memory = "/dev/shm" if in_memory and Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix=prefix, dir=memory) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


_WORKER = (sys.executable, "-m", "veraz", "worker")


@dataclass
class Workers:
    """`veraz worker` processes on one home, with these settings in their environment."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    command: Sequence[str] | None = None
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self, count: int = 1) -> None:
        """Starts more of them; each leads a process group, so that its parsers can be ended with it."""
        for _ in range(count):
            self.processes.append(
                subprocess.Popen(
                    [*(self.command or _WORKER), "--home", str(self.home)],
                    env=os.environ | {"VERAZ_LOG_FORMAT": "json"} | self.environment,
                    stdout=subprocess.DEVNULL,
                    stderr=(self.home / "workers.log").open("ab"),
                    start_new_session=True,
                )
            )

    def kill(self, number: int) -> None:
        """kill -9 of one worker alone: what it started has to notice by itself."""
        victim = self.processes.pop(number)
        victim.kill()
        victim.wait()

    def stop(self) -> None:
        """Ends all of them in good order."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(timeout=30)
        self.processes.clear()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
