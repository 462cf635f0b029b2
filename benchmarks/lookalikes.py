"""Asks about guides whose sections look alike, through the HTTP door of a running server.

    python -m benchmarks.lookalikes --base http://127.0.0.1:8080 --email E --password P
                                    [--set a|b|ab] [--json FILE] [--show] [--keep]

Each guide gets a knowledge base and an agent of its own, without a chat model. Counted are answers that are right
(every `must`, no `must_not`), wrong or refused; answers in which another section's fact is shown (a `must_not`
stands in them) or another section's sentence quoted (it stands there and not in the section asked about); and
questions without an answer that are refused. Of set b only the totals are told.
See data/lookalikes/README.md. Standard library only.
"""

import argparse
import json
import re
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.data.lookalikes.check import Section, fold, sections
from benchmarks.markdown_files import convert

DATA = Path(__file__).parent / "data/lookalikes"
BUSY = (429, 503)
TRIES = 5
PATIENCE_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """One document with its questions; `form` is the format it is uploaded in."""

    name: str
    language: str
    form: str
    content: bytes
    sections: tuple[Section, ...]
    questions: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of one question."""

    set: str
    guide: str
    language: str
    form: str
    question: str
    expect: str
    outcome: str
    """right, wrong, refused or error"""
    foreign: bool
    """whether another section's fact was shown"""
    checkable: bool
    """whether the question names facts of other sections"""
    quoted: bool
    """whether a sentence that stands only in other sections was shown"""
    answer: str


class Api:
    """The server's HTTP door, with a session once logged in."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/") + "/api/v1"
        self._token = ""

    def login(self, email: str, password: str) -> None:
        """Opens the session."""
        self._token = self.json("POST", "/auth/login", {"email": email, "password": password})["access_token"]

    def json(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The parsed reply to a JSON request."""
        data = None if body is None else json.dumps(body).encode()
        return self._sent(method, path, data, "application/json")

    def upload(self, path: str, filename: str, content: bytes) -> Any:
        """The parsed reply to a file sent as a form."""
        mark = uuid.uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{filename}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        data = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
        return self._sent("POST", path, data, f"multipart/form-data; boundary={mark}")

    def _sent(self, method: str, path: str, data: bytes | None, kind: str) -> Any:
        """Tries again while the server is busy."""
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {self._token}"} if self._token else {})
        request = urllib.request.Request(self._base + path, data=data, method=method, headers=headers)
        for attempt in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(request, timeout=240) as reply:
                    raw = reply.read()
                    return json.loads(raw) if raw else None
            except urllib.error.HTTPError as error:
                if error.code not in BUSY or attempt == TRIES:
                    raise RuntimeError(f"{method} {path}: {error.code} {error.read()[:200]!r}") from error
                time.sleep(min(30.0, float(error.headers.get("Retry-After") or 3 * attempt)))
        raise AssertionError("unreachable")


def guides(folder: Path) -> Iterator[Guide]:
    """The guides of a set, in the format each is meant for."""
    questions = _lines(folder / "questions.jsonl")
    for item in _lines(folder / "guides.jsonl"):
        markdown = (folder / "guides" / item["guide"]).read_text(encoding="utf-8")
        yield Guide(
            name=item["guide"],
            language=item["language"],
            form=item["as"],
            content=convert(markdown, item["as"]),
            sections=tuple(sections(markdown)),
            questions=tuple(q for q in questions if q["guide"] == item["guide"]),
        )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def load(api: Api, guide: Guide) -> tuple[str, str]:
    """A knowledge base that holds the guide and an agent that reads it; their ids."""
    name = f"{Path(guide.name).stem} {uuid.uuid4().hex[:6]}"
    kb = api.json("POST", "/knowledge-bases", {"name": name, "kind": "global"})["id"]
    api.upload(f"/knowledge-bases/{kb}/documents", f"{Path(guide.name).stem}.{guide.form}", guide.content)
    _wait(api, kb)
    project = api.json("GET", "/projects")["items"][0]["id"]
    agent = api.json("POST", "/agents", {"project_id": project, "name": name, "company_name": name})["id"]
    api.json("PUT", f"/agents/{agent}/knowledge-bases/{kb}", {"priority": 1, "search_weight": 1.0})
    return kb, agent


def _wait(api: Api, kb: str) -> None:
    """Until the document is in."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        [document] = api.json("GET", f"/knowledge-bases/{kb}/documents")["items"]
        if document["status"] == "completed":
            return
        if document["status"] == "failed":
            raise RuntimeError(f"a guide failed to come in: {document}")
        time.sleep(0.3)
    raise RuntimeError("a guide did not come in")


def asked(api: Api, agent: str, name: str, guide: Guide, question: dict[str, Any]) -> Row:
    """Asks one question and judges what is shown."""
    try:
        reply = api.json("POST", f"/agents/{agent}/ask", {"question": question["question"]})
    except (RuntimeError, OSError) as error:
        reply = {"answer": str(error), "refused": True, "error": True}
    shown = fold(reply["answer"])
    refused = bool(reply["refused"])
    foreign = not refused and any(re.search(p, shown, re.S) for p in question["must_not"])
    said = all(re.search(p, shown, re.S) for p in question["must"])
    if reply.get("error"):
        outcome = "error"
    elif refused:
        outcome = "refused"
    else:
        outcome = "right" if question["expect"] == "answer" and said and not foreign else "wrong"
    return Row(
        set=name,
        guide=guide.name,
        language=guide.language,
        form=guide.form,
        question=question["question"],
        expect=question["expect"],
        outcome=outcome,
        foreign=foreign,
        checkable=bool(question["must_not"]),
        quoted=not refused and quotes_another(guide, tuple(question["section"]), reply["answer"]),
        answer=reply["answer"],
    )


def quotes_another(guide: Guide, path: tuple[str, ...], answer: str) -> bool:
    """Whether a sentence of the answer stands in other sections and not in the one asked about or the introduction."""
    own = " ".join(_plain(s.text) for s in guide.sections if not s.path or s.path[: len(path)] == path)
    every = " ".join(_plain(s.text) for s in guide.sections)
    said = [_plain(piece) for piece in re.split(r"\[[^\]]*\d\]|[.!?:;]\s|\n", fold(answer))]
    return any(piece in every and piece not in own for piece in said if piece.count(" ") >= 2)


def _plain(text: str) -> str:
    """The words alone."""
    return " ".join(re.findall(r"[\w%€$£]+", text))


def summary(rows: list[Row]) -> dict[str, Any]:
    """Counts and shares; those of another section's facts are of the questions that name such facts."""
    answerable = Counter(r.outcome for r in rows if r.expect == "answer")
    absent = Counter(r.outcome for r in rows if r.expect == "refuse")
    checkable = [r.foreign for r in rows if r.checkable]
    return {
        "answerable": answerable.total(),
        **{name: _share(answerable[name], answerable.total()) for name in ("right", "wrong", "refused")},
        "another section's fact shown": sum(checkable),
        "another section's fact shown, share": _share(sum(checkable), len(checkable)),
        "another section's sentence quoted": sum(r.quoted for r in rows),
        "unanswerable": absent.total(),
        "unanswerable refused": _share(absent["refused"], absent.total()),
        "errors": answerable["error"] + absent["error"],
    }


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 3)


def run(api: Api, name: str, options: argparse.Namespace) -> list[Row]:
    """Every question of a set."""
    rows: list[Row] = []
    for guide in guides(DATA / name):
        kb, agent = load(api, guide)
        new = [asked(api, agent, name, guide, question) for question in guide.questions]
        rows += new
        if options.show and name != "b":
            _show(new)
        if not options.keep:
            api.json("DELETE", f"/agents/{agent}")
            api.json("DELETE", f"/knowledge-bases/{kb}")
    print(f"{name}: {len(rows)} questions", file=sys.stderr)
    return rows


def _show(rows: list[Row]) -> None:
    for row in rows:
        outcome = (
            {"wrong": "answered"}.get(row.outcome, row.outcome) if row.expect == "refuse" else row.outcome
        )
        mark = "FACT" if row.foreign else "QUOTE" if row.quoted else ""
        print(f"{outcome:9}{mark:8}{row.expect:7}{row.guide}: {row.question} → {row.answer[:240]!r}")


def main() -> None:
    """Runs the sets and prints what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("--base", "--email", "--password"):
        parser.add_argument(name, required=True)
    parser.add_argument("--set", choices=("a", "b", "ab"), default="a")
    parser.add_argument("--json", type=Path, help="write the summary and every row of set a")
    parser.add_argument("--show", action="store_true", help="print every question and answer of set a")
    parser.add_argument("--keep", action="store_true", help="leave the knowledge bases and agents")
    options = parser.parse_args()
    api = Api(options.base)
    api.login(options.email, options.password)
    rows = {name: run(api, name, options) for name in options.set}
    result = {name: _reported(found) for name, found in rows.items()}
    if options.json:
        kept = [asdict(row) for row in rows.get("a", [])]
        options.json.write_text(json.dumps({"summary": result, "rows": kept}, ensure_ascii=False, indent=1))
    print(json.dumps(result, ensure_ascii=False, indent=1))


def _reported(rows: list[Row]) -> dict[str, Any]:
    """The whole, then by language and by format."""
    parts: dict[str, Callable[[Row], str]] = {
        "by language": lambda row: row.language,
        "by format": lambda row: row.form,
    }
    split = {
        title: {key: summary([r for r in rows if of(r) == key]) for key in sorted({of(r) for r in rows})}
        for title, of in parts.items()
    }
    return summary(rows) | split


if __name__ == "__main__":
    main()
