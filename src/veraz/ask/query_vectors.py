"""Questions as vectors. A question asked again within the process is not embedded (or paid) again."""

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
        self._known: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    async def of(self, text: str, space: str, dimensions: int) -> Vectors:
        """The query's vector in a space; raises what the provider raises."""
        key = (space, text[:_LONGEST])
        if (known := self._known.get(key)) is not None:
            self._known.move_to_end(key)
            return known
        answer = await self.spaces.embedder_named(space).embed([key[1]], purpose="query")
        vector: Vectors = answer.vectors[0]
        if vector.shape != (dimensions,):
            raise errors.OutsideRejected(host=space, reason=f"{vector.shape[0]} ≠ {dimensions} dimensions")
        self._known[key] = vector
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return vector
