"""Large, deep and odd requests, cut to what a route takes and beyond it, and a plain socket that sends them as they are."""

import gzip
import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from veraz.api.bodies import Portion

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=x"
KEYS = json.dumps(dict.fromkeys(map("k{}".format, range(700_000)), 1)).encode()
DEEP = b'{"a":' * 100_000
BOMB = gzip.compress(b"[" + b"1," * 4_000_000 + b"1]")
_TEXTS = ("x", "\u00e1", "\\", " ", "(a+)+$", "a\u0301", "\n", "[](", "1.", "¿Y el precio? ", "\U0001f600")


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A request as it goes over the wire."""

    name: str
    body: bytes = b""
    kind: str = JSON
    query: str = ""
    headers: tuple[str, ...] = ()
    chunked: bool = False
    ahead: int = 0
    """Bytes of the body that arrive by themselves before the rest."""


def refused_at_the_door(portion: Portion) -> Iterator[Odd]:
    """More than a route takes, in every way of saying so or not."""
    yield Odd(name="700,000 keys", body=KEYS)
    yield Odd(name="700,000 keys in chunks", body=KEYS, chunked=True)
    yield Odd(name="100,000 levels", body=DEEP, chunked=True)
    yield Odd(name="compressed", body=BOMB[: portion.bytes], headers=("Content-Encoding: gzip",))
    yield Odd(name="no UTF-8", body=b'{"a": "' + b"\xff" * (portion.bytes // 2) + b'"}')
    hidden = '{"a":["\u0122",' + "[]," * (portion.bytes // 6) + "0]}"
    for apart in (0, 1, 3):
        name = f"UTF-16 that hides its signs, {apart} bytes ahead"
        yield Odd(name=name, body=hidden.encode("utf-16-le")[: portion.bytes], ahead=apart)
    yield Odd(name="UTF-16", body=json.dumps({"a": "∀" * 1_000}, ensure_ascii=False).encode("utf-16"))
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    yield Odd(name="10,000 parts", body=part * 10_000 + b"--x--", kind=PARTS)
    heads = b"--x\r\n" + b"X-Long: " + b"y" * 2_000_000 + b"\r\n\r\n1\r\n--x--"
    yield Odd(name="a part with a huge header", body=heads, kind=PARTS)
    many = b"--x\r\n" + b"X-A: b\r\n" * 100_000 + b"\r\n1\r\n--x--"
    yield Odd(name="a part of many headers", body=many, kind=PARTS)
    yield Odd(name="a form of many fields", body=b"a=1&" * (portion.bytes // 4), kind=FORM)


def odd_heads() -> Iterator[Odd]:
    """What stands before a body."""
    yield Odd(name="thousands of parameters", query="&".join(f"k{n}=v" for n in range(5_000)))
    yield Odd(name="the same parameter", query="&".join(["limit=1"] * 7_000))
    yield Odd(name="a giant cookie", headers=("Cookie: " + "; ".join(f"c{n}={n}" for n in range(5_000)),))
    yield Odd(name="one giant cookie", headers=("Cookie: veraz_session=" + '\\"' * 25_000,))
    for sign in ("\\\\", '\\"', "\\012", "\\"):
        quoted = f'a="{(sign * 30_000)[:60_000]}"'
        yield Odd(name=f"a quoted cookie of {sign}", headers=("Cookie: " + quoted,))
        yield Odd(name=f"a shorter one of {sign}", headers=("Cookie: " + quoted[:8_000] + '"',))
    yield Odd(name="many headers", headers=tuple(f"X-H{n}: {n}" for n in range(3_000)))
    yield Odd(name="a long language", headers=("Accept-Language: " + "es;q=0." * 8_000,))
    yield Odd(name="a long kind", headers=("Content-Type: " + "a/b;" * 10_000,))
    yield Odd(name="many origins", headers=("X-Forwarded-For: " + "1.2.3.4," * 7_000,))


def filled(portion: Portion, schema: dict[str, Any] | None) -> Iterator[Odd]:
    """As much as the route takes: unknown fields, and its own fields filled to the brim."""
    names = portion.values // 2 - 2
    yield Odd(name="unknown keys", body=_dumped(dict.fromkeys(map(str, range(names)), 1), portion))
    twice = b"{" + b'"a":1,' * names + b'"a":1}'
    yield Odd(name="the same key", body=twice[: portion.bytes])
    yield Odd(name="60 levels", body=b'{"a":' * 60 + b"1" + b"}" * 60)
    for number in ("1e999999", "9" * 4_000, "9" * min(1_000_000, portion.bytes - 100), "-0." + "9" * 4_000):
        yield Odd(name=f"number of {len(number)} digits", body=_each(schema, number))
    room = portion.bytes // 2
    for text in _TEXTS:
        long = json.dumps(text * max(1, room // len(json.dumps(text).strip('"'))))
        yield Odd(name=f"texts of {text!r}", body=_each(schema, long, most=portion.bytes))
    for inner in ("{}", '"x"', "1", "null", "[]", '{"role":1}'):
        wrong = "[" + ",".join([inner] * max(1, portion.values // 3)) + "]"
        yield Odd(name=f"lists of {inner}", body=_each(schema, wrong, most=portion.bytes))
    objects = "{" + ",".join(f'"k{n}":{n}' for n in range(max(1, portion.values // 3))) + "}"
    yield Odd(name="objects", body=_each(schema, objects, most=portion.bytes))


def _dumped(value: Any, portion: Portion) -> bytes:
    return json.dumps(value).encode()[: portion.bytes]


def _each(schema: dict[str, Any] | None, value: str, *, most: int = 0) -> bytes:
    """Every field of the schema with this value; as many of them as fit."""
    fields = list((schema or {}).get("properties", {"a": None}))
    room = max(1, most // (len(value.encode()) + 40)) if most else len(fields)
    inside = ",".join(f"{json.dumps(name)}:{value}" for name in fields[:room])
    return ("{" + inside + "}").encode()


@dataclass(frozen=True, kw_only=True)
class Wire:
    """Sends requests as they are, one connection each; from a thread, because it waits."""

    address: str
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, method: str, path: str, odd: Odd, *, seconds: float = 60) -> int:
        """The status; 0 where the other side hung up without one."""
        place = urlsplit(self.address)
        with socket.create_connection((place.hostname, place.port), timeout=seconds) as line:
            with suppress(OSError):  # the other side may have heard enough
                line.sendall(self._head(method, path, odd))
                for piece in _pieces(odd):
                    line.sendall(piece)
            with suppress(OSError):
                answer = line.recv(64)
                while line.recv(1 << 20):
                    pass
                return int(answer.split(b" ")[1]) if answer else 0
        return 0

    def _head(self, method: str, path: str, odd: Odd) -> bytes:
        query = f"?{odd.query}" if odd.query else ""
        own = [f"{name}: {value}" for name, value in self.headers.items()]
        given = {line.split(":")[0].lower() for line in odd.headers}
        kind = [] if "content-type" in given else [f"Content-Type: {odd.kind}"]
        length = "Transfer-Encoding: chunked" if odd.chunked else f"Content-Length: {len(odd.body)}"
        lines = [f"{method} {path}{query} HTTP/1.1", "Host: veraz.test", "Connection: close", length]
        return "\r\n".join([*lines, *kind, *own, *odd.headers, "", ""]).encode()


def _pieces(odd: Odd) -> Iterator[bytes]:
    if not odd.chunked:
        if odd.ahead:
            yield odd.body[: odd.ahead]
            time.sleep(0.05)
        yield odd.body[odd.ahead :]
        return
    for at in range(0, len(odd.body), 65_536):
        piece = odd.body[at : at + 65_536]
        yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"
