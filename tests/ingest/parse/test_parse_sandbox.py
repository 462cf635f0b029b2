"""Whatever a parser does, it costs its own job only."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse import ParseLimits, Sandbox

LIMITS = ParseLimits(seconds=30, memory_mb=400, output_mb=4)
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    box = Sandbox(target="hostile_parsers:read", import_paths=(HERE,))
    yield box
    box.close()


async def act(sandbox: Sandbox, folder: Path, action: str, limits: ParseLimits = LIMITS) -> Parsed:
    path = folder / f"{action}.txt"
    path.write_text(action)
    return await sandbox.parse(path, filename=path.name, limits=limits)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("hang", errors.ParseTimeout),
        ("spin", errors.ParseTimeout),
        ("eat_memory", errors.ParseMemory),
        ("crash", errors.Corrupt),
        ("abort", errors.Corrupt),
        ("vanish", errors.Corrupt),
        ("raise_surprise", errors.Corrupt),
        ("recurse", errors.Corrupt),
        ("flood", errors.TooLarge),
        ("fork_many", errors.ParseTimeout),
        ("write_file", errors.NoText),
        ("use_network", errors.NoText),
    ],
)
async def test_a_parser_that_misbehaves_fails_alone(
    sandbox: Sandbox, tmp_path: Path, action: str, expected: type[errors.VerazError]
) -> None:
    start = time.monotonic()
    with pytest.raises(expected) as caught:
        seconds = 1.5 if expected is errors.ParseTimeout else 30
        await act(sandbox, tmp_path, action, ParseLimits(seconds=seconds, memory_mb=400, output_mb=4))
    assert type(caught.value) is expected
    assert time.monotonic() - start < 30
    assert (await act(sandbox, tmp_path, "fine")).text == "fine"


async def test_nothing_stays_behind(sandbox: Sandbox, tmp_path: Path) -> None:
    await act(sandbox, tmp_path, "fine")
    with pytest.raises(errors.ParseTimeout):
        await act(sandbox, tmp_path, "fork_many", ParseLimits(seconds=1))
    await _until(lambda: not _descendants_of_servers())


async def test_cancelling_kills_the_child(sandbox: Sandbox, tmp_path: Path) -> None:
    await act(sandbox, tmp_path, "fine")
    task = asyncio.create_task(act(sandbox, tmp_path, "hang", ParseLimits(seconds=60)))
    await _until(lambda: bool(_descendants_of_servers()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _until(lambda: not _descendants_of_servers())


async def test_the_loop_stays_free_while_files_are_read(sandbox: Sandbox, tmp_path: Path) -> None:
    task = asyncio.create_task(act(sandbox, tmp_path, "spin", ParseLimits(seconds=1)))
    ticks = 0
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert ticks > 20
    with pytest.raises(errors.ParseTimeout):
        await task


async def test_many_files_at_once_and_a_bad_one_between(sandbox: Sandbox, tmp_path: Path) -> None:
    actions = ["fine", "crash", "fine", "eat_memory", "fine", "fine", "abort", "fine"]
    results = await asyncio.gather(
        *(act(sandbox, _folder(tmp_path, n), action) for n, action in enumerate(actions)),
        return_exceptions=True,
    )
    assert [isinstance(result, Parsed) for result in results] == [action == "fine" for action in actions]


def test_several_threads_with_loops_of_their_own(sandbox: Sandbox, tmp_path: Path) -> None:
    texts: list[str] = []

    def work(number: int) -> None:
        texts.append(asyncio.run(act(sandbox, _folder(tmp_path, number), "fine")).text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert texts == ["fine"] * 4


async def test_progress_reaches_the_caller(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("report")
    seen: list[int] = []
    await sandbox.parse(path, filename="report.txt", limits=LIMITS, on_progress=seen.append)
    assert seen == [10, 50, 90]


async def test_a_killed_fork_server_is_started_again(tmp_path: Path) -> None:
    box = Sandbox(target="hostile_parsers:read", import_paths=(HERE,))
    try:
        await act(box, tmp_path, "fine")
        assert box._server is not None
        box._server.process.kill()
        box._server.process.wait()
        assert (await act(box, tmp_path, "fine")).text == "fine"
    finally:
        box.close()


async def test_a_fork_server_that_cannot_start_is_said(tmp_path: Path) -> None:
    box = Sandbox(target="no_such_module:read")
    try:
        with pytest.raises(errors.Unavailable):
            await act(box, tmp_path, "fine")
    finally:
        box.close()


async def test_memory_of_the_caller_stays_flat(sandbox: Sandbox, tmp_path: Path) -> None:
    await act(sandbox, tmp_path, "fine")
    before = psutil.Process().memory_info().rss
    for _ in range(60):
        await act(sandbox, tmp_path, "fine")
    with pytest.raises(errors.TooLarge):
        await act(sandbox, tmp_path, "flood")
    assert psutil.Process().memory_info().rss - before < 30_000_000
    open_files = psutil.Process().num_fds()
    for _ in range(10):
        await act(sandbox, tmp_path, "fine")
    assert psutil.Process().num_fds() <= open_files


def test_the_fork_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hola")
    program = (
        "import asyncio, os, signal, pathlib\n"
        "from veraz.ingest.parse import sandbox, parse_file, ParseLimits\n"
        f"asyncio.run(parse_file(pathlib.Path({str(tmp_path / 'a.txt')!r}), filename='a.txt', limits=ParseLimits()))\n"
        "print(sandbox._shared()._server.process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    server = int(done.stdout)
    deadline = time.monotonic() + 10
    while psutil.pid_exists(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(server) or psutil.Process(server).status() == psutil.STATUS_ZOMBIE


def _folder(parent: Path, number: int) -> Path:
    folder = parent / str(number)
    folder.mkdir()
    return folder


def _descendants_of_servers() -> list[int]:
    alive = []
    for server in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if "veraz.ingest.parse.forkserver" in server.cmdline():
                alive += [child.pid for child in server.children(recursive=True) if _works(child)]
    return alive


def _works(process: psutil.Process) -> bool:
    """Processes end while they are looked at."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def _until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)
