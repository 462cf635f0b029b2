"""The npm package oidc-provider: installed once into a folder of its own, then started on loopback. `make test-oidc`."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urljoin

import httpx

VERSION = "9.13.3"
FOLDER = Path(os.environ.get("VERAZ_OIDC_FOLDER") or Path.home() / ".cache" / "veraz-oidc")


def installed() -> bool:
    """Whether there is one to start."""
    return shutil.which("node") is not None and (FOLDER / "node_modules" / "oidc-provider").is_dir()


def install() -> None:
    """Some seconds, a few MB; needs npm."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    package = f"oidc-provider@{VERSION}"
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", package], cwd=FOLDER, check=True)


def free_port() -> int:
    """A port nobody listens on just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def real_issuer(port: int, redirect_uri: str) -> AsyncIterator[str]:
    """Its address, for as long as the block lasts."""
    script = Path(__file__).with_suffix(".mjs")
    process = await asyncio.create_subprocess_exec(
        "node", str(script), str(FOLDER), str(port), redirect_uri, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            while b"ready" not in (line := await process.stdout.readline()):
                assert line, "the issuer did not start"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def say_yes(address: str, back: str) -> str:
    """Somebody in a browser types a name and a password at the issuer and agrees; where it sends them back to."""
    async with httpx.AsyncClient() as browser:
        answer = await browser.get(address)
        for _ in range(12):
            if answer.is_redirect:
                address = urljoin(address, answer.headers["location"])
                if address.startswith(back):
                    return address
                answer = await browser.get(address)
                continue
            form = re.search(r'<form[^>]*action="([^"]+)"', answer.text)
            prompt = re.search(r'name="prompt" value="(\w+)"', answer.text)
            assert form and prompt, answer.text[:2000]
            typed = {"prompt": prompt[1], "login": "eva-outside", "password": "anything"}
            address = urljoin(address, form[1])
            answer = await browser.post(address, data=typed)
    raise AssertionError("the issuer never sent the browser back")


if __name__ == "__main__":
    install()
