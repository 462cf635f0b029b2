"""Questions as vectors. A question asked again within the process is not embedded (or paid) again."""

import asyncio
from collections import OrderedDict

from veraz import errors
from veraz.library.spaces import Spaces
from veraz.providers.embedding.base import Vectors

_REMEMBERED = 1_000
_LONGEST = 2_000
"""Characters that are embedded: no model says more about a longer question."""


class QueryVectors:
    """Embeds queries, each once."""

    def __init__(self, spaces: Spaces) -> None:
        self.spaces = spaces
        self._known: OrderedDict[tuple[str, str], asyncio.Task[Vectors]] = OrderedDict()

    def begin(self, text: str) -> None:
        """Starts on the vector that most questions need, where it costs nothing, before it is known to be needed."""
        usual = self.spaces.embedder_named(self.spaces.settings.embedding_model).space
        if usual.provider == "local":
            self._task(text, usual.name)

    async def of(self, text: str, space: str, dimensions: int) -> Vectors:
        """The query's vector in a space; raises what the provider raises."""
        vector = await asyncio.shield(self._task(text, space))
        if vector.shape != (dimensions,):
            raise errors.OutsideRejected(host=space, reason=f"{vector.shape[0]} ≠ {dimensions} dimensions")
        return vector

    def _task(self, text: str, space: str) -> asyncio.Task[Vectors]:
        key = (space, text[:_LONGEST])
        if (task := self._known.get(key)) is None:
            task = self._known[key] = asyncio.create_task(self._embedded(*key))
            task.add_done_callback(lambda done: self._forget_failed(key, done))
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return task

    async def _embedded(self, space: str, text: str) -> Vectors:
        answer = await self.spaces.embedder_named(space).embed([text], purpose="query")
        vector: Vectors = answer.vectors[0]
        return vector

    def _forget_failed(self, key: tuple[str, str], done: asyncio.Task[Vectors]) -> None:
        if (done.cancelled() or done.exception() is not None) and self._known.get(key) is done:
            del self._known[key]
