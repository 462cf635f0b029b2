"""What callers claim about where they are leads nobody anywhere."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.attacks.conftest import Attacked
    from tests.support.attacks.asgi import Request, send
else:
    from support.attacks.asgi import Request, send


@pytest.mark.parametrize("host", ["evil.test", "veraz.test", "localhost:80"])
async def test_a_redirect_stays_here_whatever_host_was_claimed(attacked: "Attacked", host: str) -> None:
    answer = await send(
        attacked.app, Request(method="GET", target="/api/v1/projects/?x=1", headers=(("Host", host),))
    )
    assert answer.status == 307
    assert answer.header("location") == "/api/v1/projects?x=1"
