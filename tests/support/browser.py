"""A whole Veraz in a process of its own, people in it, and a browser to walk through its pages."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

PASSWORD: Final = "correcto caballo batería"
ADMIN, MANAGER, MEMBER, RIVAL = "ana@acme.test", "marta@acme.test", "miguel@acme.test", "raul@rival.test"
SAMPLES: Final = Path(__file__).with_name("samples")
_FLAGS: Final = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


_STILL: Final = """() => document.getAnimations().every(
  one => one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity)"""
_SETTLED: Final = f"() => window.did_handshake && document.fonts.status === 'loaded' && ({_STILL})()"


@dataclass(frozen=True, kw_only=True)
class World:
    """A running Veraz with a company, a rival, and something to see."""

    url: str
    admin: httpx.AsyncClient
    project: str
    kb: str
    agent: str
    documents: list[str]
    conversation: str
    query: str
    webhook: str

    def at(self, path: str, language: str = "es") -> str:
        """The address of a page."""
        return f"{self.url}/{language}{path}"


@asynccontextmanager
async def running_veraz(
    home: Path, program: str = "veraz", port: int = 0, /, **environment: str
) -> AsyncIterator[str]:
    """`veraz serve` on a free port or the one it had before, or a program that adds to it; its address once it answers."""
    port = port or _free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}
    ours = {"VERAZ_ADMIN_EMAIL": ADMIN, "VERAZ_ADMIN_PASSWORD": PASSWORD, "VERAZ_LOG_LEVEL": "warning"}
    ours["VERAZ_LOGIN_ATTEMPTS_PER_MINUTE"] = "1000"
    ours["PYTHONPATH"] = os.pathsep.join((os.environ.get("PYTHONPATH", ""), str(Path(__file__).parents[1])))
    command = [sys.executable, "-m", program, "serve", "--home", str(home), "--port", str(port)]
    log = (home / "serve.log").open("wb")
    process = await asyncio.create_subprocess_exec(
        *command, env=kept | ours | environment, stdout=log, stderr=log
    )
    try:
        await _ready(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), 60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _ready(url: str, process: asyncio.subprocess.Process, seconds: float = 600) -> None:
    async with httpx.AsyncClient() as http, asyncio.timeout(seconds):
        while True:
            assert process.returncode is None, "veraz serve ended"
            try:
                if (await http.get(f"{url}/readyz")).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.2)


async def choose_password(url: str, link: str) -> None:
    async with httpx.AsyncClient() as http:
        body = {"token": link.partition("#")[2], "password": PASSWORD}
        answer = await http.post(f"{url}/api/v1/auth/password", json=body)
        assert answer.status_code == 204, answer.text


async def populate(url: str) -> World:
    """A company with an admin, a manager and a member, a knowledge base, an agent; and a rival company."""
    admin = await signed_in(url, ADMIN)
    project = (await _get(admin, "/projects"))["items"][0]["id"]
    for email, name, role in ((MANAGER, "Marta Ruiz", "manager"), (MEMBER, "Miguel Soto", "member")):
        user = await _post(admin, "/users", {"email": email, "display_name": name})
        await choose_password(url, user["invitation"]["url"])
        await _post(admin, f"/projects/{project}/members", {"user_id": user["id"], "role": role})
    rival = {"name": "Rival", "admin_email": RIVAL}
    await choose_password(url, (await _post(admin, "/tenants", rival))["invitation"]["url"])
    body = {
        "name": "Atención al cliente",
        "description": "Devoluciones, envíos y manuales",
        "project_id": project,
    }
    kb = (await _post(admin, "/knowledge-bases", body))["id"]
    documents = await bring(admin, kb, *sorted(SAMPLES.glob("*.md")))
    agent = await _post(
        admin,
        "/agents",
        {"project_id": project, "name": "Luna", "company_name": "Acme", "allows_personal_corpus": True,
         "description": "Atiende a los clientes de la tienda"},
    )  # fmt: skip
    await _post(admin, "/agents", {"project_id": project, "name": "Atlas", "description": "Soporte técnico"})
    await admin.put(
        f"/api/v1/agents/{agent['id']}/knowledge-bases/{kb}", json={"priority": 1, "search_weight": 1}
    )
    await idle(admin)
    asked = await _post(
        admin, f"/agents/{agent['id']}/ask", {"question": "¿Cuánto tarda un envío a Canarias?"}
    )
    heard = {"name": "CRM", "url": "https://crm.example/avisos", "events": ["conversation.handoff"]}
    hook = await _post(admin, "/webhooks", heard)
    return World(
        url=url,
        admin=admin,
        project=project,
        kb=kb,
        agent=agent["id"],
        documents=documents,
        conversation=asked["conversation_id"],
        query=asked["query_id"],
        webhook=hook["id"],
    )


async def signed_in(url: str, email: str) -> httpx.AsyncClient:
    """A client of the API that acts as this person."""
    http = httpx.AsyncClient(base_url=url, timeout=60)
    token = (await http.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD})).json()[
        "access_token"
    ]
    http.cookies.clear()
    http.headers["Authorization"] = f"Bearer {token}"
    return http


async def bring(http: httpx.AsyncClient, kb: str, *files: Path) -> list[str]:
    """Uploads files; their ids."""
    parts = [("files", (file.name, file.read_bytes())) for file in files]
    answer = await http.post(f"/api/v1/knowledge-bases/{kb}/documents", files=parts)
    assert answer.status_code == 202, answer.text
    return [one["document_id"] for one in answer.json()]


async def idle(http: httpx.AsyncClient, kb: str | None = None, seconds: float = 180) -> None:
    """Until nothing is waiting or being processed; of a knowledge base where a webhook that nobody answers may wait on."""
    async with asyncio.timeout(seconds):
        while True:
            stats = await _get(http, f"/jobs/stats?kb={kb}" if kb else "/jobs/stats")
            if not stats["PENDING"] and not stats["RUNNING"]:
                return
            await asyncio.sleep(0.2)


@asynccontextmanager
async def chromium(executable: str = "/usr/bin/chromium") -> AsyncIterator[Browser]:
    """Debian's Chromium, without a window."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, headless=True, args=_FLAGS)
        yield browser
        await browser.close()


async def sign_in(context: BrowserContext, url: str, email: str, language: str = "es") -> Page:
    """A person at the sign-in page, and through it."""
    page = await context.new_page()
    await page.goto(f"{url}/{language}/login")
    await page.get_by_label("E-mail" if language == "en" else "Correo").fill(email)
    await page.get_by_label("Password" if language == "en" else "Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Enter" if language == "en" else "Entrar").click()
    await page.wait_for_url(lambda there: "/login" not in there)
    return page


async def settled(page: Page) -> None:
    """Until the page talks with its server, has its letters and moves no more; what turns for ever may turn."""
    await page.wait_for_function(_SETTLED)


_LETTERS = """() => [...document.querySelectorAll('.q-icon.material-icons')].filter(icon => {
  if (!icon.firstChild || !icon.checkVisibility()) return false;
  const drawn = document.createRange();
  drawn.selectNodeContents(icon);
  return drawn.getBoundingClientRect().width > 1.3 * parseFloat(getComputedStyle(icon).fontSize);
}).map(icon => icon.textContent)"""
"""Icons whose name the font does not know: it is drawn as the word it is."""


async def barriers(page: Page, part: str | None = None) -> list[str]:
    """What stands in the way of people who do not see a page or do not use a mouse, by axe, once nothing moves."""
    await page.wait_for_function(_STILL)
    found = (await Axe().run(page, context=part)).response["violations"]
    letters = [f"no icon, but letters: {name}" for name in await page.evaluate(_LETTERS)]
    return letters + [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"][:4]]


async def _get(http: httpx.AsyncClient, path: str) -> Any:
    answer = await http.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def _post(http: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    answer = await http.post(f"/api/v1{path}", json=body)
    assert answer.status_code in (200, 201, 202), f"{path}: {answer.status_code} {answer.text}"
    return answer.json()


def addresses(world: World) -> dict[str, str]:
    """Every page by a name for its picture, with the world's own things where an address names one."""
    from veraz.ui.pages import PAGES

    things = {
        "kb_id": world.kb,
        "document_id": world.documents[0],
        "agent_id": world.agent,
        "conversation_id": world.conversation,
        "query_id": world.query,
        "webhook_id": world.webhook,
    }
    every = {_named(path): path.format(**things) for path in PAGES if path != "/login"}
    tabs = ("knowledge", "manual", "gaps", "exam", "publish", "versions")
    return every | {f"agents-one-agent-{tab}": f"/agents/{world.agent}?tab={tab}" for tab in tabs}


def _named(path: str) -> str:
    parts = [part.replace("{", "one-").replace("_id}", "") for part in path.split("/") if part]
    return "-".join(parts) or "start"


async def furnish(world: World, folder: Path) -> None:
    """Things that make empty pages worth looking at: standing, a broken file, questions, memory, licences, a key."""
    admin, kb = world.admin, world.kb
    standing = {"tier": "tier1_gold", "authority_score": 92, "institution": "Acme", "peer_reviewed": True}
    await admin.patch(f"/api/v1/knowledge-bases/{kb}/documents/{world.documents[0]}", json=standing)
    broken = folder / "contrato-dañado.pdf"
    broken.write_bytes(b"%PDF-1.7\n" + b"nothing that a reader could follow\n" * 20)
    await bring(admin, kb, broken)
    await _post(admin, "/licences", {"machine_id": "PC-RECEPCION-01", "user_name": "Laura"})
    form = {"machine_id": "PC-RECEPCION-01"}
    note = {"file": ("horario.txt", b"La recepcion abre a las 8:30.")}
    await admin.post("/functions/v1/ingest-file", files=note, data=form)
    await _post(admin, "/api-keys", {"name": "Web de la tienda", "scopes": ["ask"]})
    entry = {"title": "Horario de atención", "content": "Atendemos de lunes a viernes de 9 a 18 h."}
    await _post(admin, f"/agents/{world.agent}/knowledge", entry)
    for question in ("¿Cuándo descalcifico la cafetera?", "¿Cuánto cuesta el envío?", "¿Venden bicicletas?"):
        await _post(admin, f"/agents/{world.agent}/ask", {"question": question})
    await examine(world)
    number = {"agent_id": world.agent, "phone_number_id": "102938475610293", "name": "Tienda"}
    await _post(admin, "/whatsapp-numbers", number | {"access_token": "x" * 20, "app_secret": "y" * 20})
    await idle(admin)
    await _post(admin, f"/webhooks/{world.webhook}/test", {})


async def examine(world: World) -> None:
    """Questions for the agent's exam, and two runs."""
    questions = [
        {"question": "¿Cuánto tarda un envío a Canarias?", "expected_text": "5 a 8 días"},
        {"question": "¿Quién ganó el mundial de fútbol de 1986?", "must_refuse": True},
        {"question": "¿Cuánto cuesta el envío a la península?", "expected_text": "999 euros"},
    ]
    await _post(world.admin, f"/agents/{world.agent}/exam", {"questions": questions})
    for _ in range(2):
        await _post(world.admin, f"/agents/{world.agent}/exam/runs", {})


def small_pdf(folder: Path, text: str) -> Path:
    """The smallest PDF that says something."""
    stream = f"BT /F1 18 Tf 50 700 Td ({text}) Tj ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 6\n0000000000 65535 f \n%strailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(data),
    )
    file = folder / "cartel.pdf"
    file.write_bytes(data)
    return file
