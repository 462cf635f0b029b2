"""How soon a document can be searched: `python -m tests.soak.first_result [--times 5]`.

A 20-page PDF is dropped on an idle `veraz serve` over HTTP, with the local model, and, once it is completed,
a word of its last page is searched for: it must be the first hit. The first row is the first document this server ever sees.
"""

import argparse
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.ingest.parse.made_files import pdf
from tests.support.load import WORDS, fresh_home

PASSWORD = "correcto caballo batería"
PAGES, LINES = 20, 40
LIMIT = 5.0


def main() -> None:
    """Measures, prints, and fails when it took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--idle", type=float, default=10, help="seconds before the first document")
    options = parser.parse_args()
    waits = []
    with fresh_home("veraz-first-") as home, _server(home) as url, _signed_in(url) as http:
        kb = http.post("/knowledge-bases", json={"name": "Primera"}).raise_for_status().json()["id"]
        time.sleep(options.idle)
        for number in range(options.times):
            waits.append(_searchable_after(http, kb, number))
            print(f"PDF {number + 1}: searchable after {waits[-1]:.2f} s", flush=True)
            time.sleep(2)
    sys.exit(max(waits) > LIMIT)


def _searchable_after(http: httpx.Client, kb: str, number: int) -> float:
    mark = f"La contraseña secreta del faro número {number} es ornitorrinco{number}."
    data = _twenty_pages(number, mark)
    begun = time.monotonic()
    files = [("files", (f"faro-{number}.pdf", data))]
    sent = http.post(f"/knowledge-bases/{kb}/documents", files=files).raise_for_status().json()
    path = f"/knowledge-bases/{kb}/documents/{sent[0]['document_id']}"
    while http.get(path).raise_for_status().json()["status"] != "completed":
        assert time.monotonic() - begun < 120
        time.sleep(0.05)
    assert f"ornitorrinco{number}" in _best_hit(http, kb, f"¿Cuál es el ornitorrinco{number}?")
    return time.monotonic() - begun


def _best_hit(http: httpx.Client, kb: str, question: str) -> str:
    answer = http.post(
        f"/knowledge-bases/{kb}/search", json={"query": question, "top_k": 1, "similarity_threshold": 0}
    ).raise_for_status()
    body: Any = answer.json()
    hits = body["results"] if isinstance(body, dict) else body
    return str(hits[0]["content"]) if hits else ""


def _twenty_pages(seed: int, mark: str) -> bytes:
    pick = random.Random(seed)
    pages = ["\n".join(" ".join(pick.choices(WORDS, k=10)) for _ in range(LINES)) for _ in range(PAGES)]
    return pdf(*pages[:-1], f"{pages[-1]}\n{mark}")


@contextmanager
def _server(home: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "veraz", "serve", "--home", str(home), "--port", str(port)],
        env=os.environ | {"VERAZ_ADMIN_PASSWORD": PASSWORD, "VERAZ_LOG_LEVEL": "error"},
        stdout=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)


@contextmanager
def _signed_in(url: str) -> Iterator[httpx.Client]:
    deadline = time.monotonic() + 120
    while True:
        try:
            credentials = {"email": "admin@veraz.local", "password": PASSWORD}
            token = (
                httpx.post(f"{url}/api/v1/auth/login", json=credentials)
                .raise_for_status()
                .json()["access_token"]
            )
            break
        except httpx.ConnectError:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    headers = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60) as http:
        yield http


if __name__ == "__main__":
    main()
