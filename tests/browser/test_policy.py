"""What a browser lets our pages do: our scripts run, smuggled ones do not, and sockets belong to the page they were opened for."""

import asyncio
import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import httpx
import websockets
from playwright.async_api import Browser, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, RIVAL, World
else:
    from support.browser import ADMIN, RIVAL, World

WALK = (
    "/", "/ask", "/personal", "/knowledge-bases", "/agents", "/memory", "/attention", "/console", "/usage", "/usage/questions",
    "/admin/users", "/admin/projects", "/admin/keys", "/admin/webhooks", "/admin/whatsapp", "/admin/plan", "/admin/tenants",
    "/admin/audit", "/admin/security",
)  # fmt: skip
REPORT = """window.refused = []; document.addEventListener("securitypolicyviolation",
  (one) => window.refused.push(`${one.violatedDirective} ${one.blockedURI} ${one.sample}`));"""


async def test_no_page_does_what_its_policy_refuses(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.context.add_init_script(REPORT)
    for path in (*WALK, f"/knowledge-bases/{world.kb}", f"/agents/{world.agent}"):
        answer = await page.goto(world.at(path))
        await expect(page.locator("h1").first).to_be_visible()
        await page.wait_for_function("() => window.did_handshake")
        assert await page.evaluate("window.refused") == [], path
        assert answer is not None
        policy = await answer.header_value("content-security-policy")
        assert "'unsafe-inline'" not in _directive(policy or "", "script-src"), path


async def test_a_smuggled_script_does_not_run(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/"))
    await page.evaluate(
        """() => {
            const one = document.createElement("script");
            one.textContent = "window.hacked = 1";
            document.body.append(one);
            document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.hacked = 2'>");
            const link = document.createElement("a");
            link.href = "javascript:window.hacked = 3";
            document.body.append(link);
            link.click();
        }"""
    )
    await page.wait_for_timeout(300)
    assert await page.evaluate("window.hacked") is None


async def test_only_the_pages_of_the_framework_may_put_code_together(world: World, browser: Browser) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(REPORT)
    await page.goto(f"{world.url}/docs")
    await expect(page.locator(".opblock").first).to_be_visible()
    assert await page.evaluate("window.refused") == []
    async with httpx.AsyncClient(base_url=world.url, headers={"Accept": "text/html"}) as http:
        of_docs = (await http.get("/docs")).headers["content-security-policy"]
        of_link = await http.get("/s/nothing", follow_redirects=False)
    assert "unsafe" not in _directive(of_docs, "script-src")
    assert of_link.headers["referrer-policy"] == "no-referrer"
    await context.close()


async def test_a_socket_of_another_session_or_site_is_refused(world: World, enter: "Enter") -> None:
    own, other = await _cookies(await enter(ADMIN)), await _cookies(await enter(RIVAL))
    assert await _handshakes(world, own, own, world.url)
    assert not await _handshakes(world, own, other, world.url)
    assert not await _handshakes(world, own, "", world.url)
    assert not await _handshakes(world, own, own, "http://evil.example")


async def test_a_socket_is_not_heard_about_another_page(world: World, enter: "Enter") -> None:
    page, stranger = await enter(ADMIN), await enter(RIVAL)
    for one in (page, stranger):
        await one.goto(world.at("/personal"))
        await one.wait_for_function("() => window.did_handshake")
    await stranger.evaluate(
        "(victim) => window.socket.emit('event', {client_id: victim, id: 1, listener_id: 'x', args: []})",
        await page.evaluate("window.clientId"),
    )
    where = "/api/v1/security-events?kind=access_refused&installation=true"
    async with asyncio.timeout(20):
        while True:
            events = (await world.admin.get(where)).json()["items"]
            if any(one["details"].get("action") == "speak for another page" for one in events):
                break
            await asyncio.sleep(0.2)


async def test_a_name_that_is_not_ours_gets_no_answer(world: World) -> None:
    async with httpx.AsyncClient() as http:
        answer = await http.get(world.at("/login"), headers={"Host": "rebound.evil.example"})
    assert answer.status_code == 403
    assert answer.json()["code"] == "host_not_allowed"


async def _evaluates(page: Page) -> bool:
    return bool(
        await page.evaluate("() => { try { return Function('return true')() } catch { return false } }")
    )


async def _cookies(page: Page) -> str:
    return "; ".join(f"{c.get('name')}={c.get('value')}" for c in await page.context.cookies())


async def _handshakes(world: World, opened_with: str, brought: str, origin: str) -> bool:
    """Whether a page that one session opened lets a socket in that brings these cookies from that origin."""
    async with httpx.AsyncClient(headers={"Cookie": opened_with}) as http:
        page = (await http.get(world.at("/personal"))).text
    found = re.search(r"client_id\W+([0-9a-f-]{36})", page)
    assert found
    query = {"client_id": found[1], "tab_id": "t", "document_id": "d", "next_message_id": 0}
    query |= {"implicit_handshake": "true", "EIO": 4, "transport": "websocket"}
    address = f"{world.url.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?{urlencode(query)}"
    headers = {"Cookie": brought} if brought else {}
    try:
        async with websockets.connect(
            address, origin=websockets.Origin(origin), additional_headers=headers
        ) as socket:
            await socket.recv()
            await socket.send("40")
            return str(await asyncio.wait_for(socket.recv(), 20)).startswith("40")
    except websockets.InvalidStatus:
        return False


def _directive(policy: str, name: str) -> str:
    return next((part for part in policy.split("; ") if part.startswith(name)), "")
