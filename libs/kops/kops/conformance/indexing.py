"""Rows of the ops that read and write by position."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import F, I, L, case, row

S = slice
MIXED = ("float32", "int32", "bfloat16")


def _item(x, key):
    return x[key]


def _scatter(indices, values, shape):
    out = np.zeros(shape)
    np.add.at(out, tuple(np.moveaxis(indices, -1, 0)), values)
    return out


def _scatter_update(x, indices, updates, reduction=None):
    out = x.copy()
    for i, u in zip(indices, updates):
        old = out[tuple(i)]
        choices = {None: u, "add": old + u, "max": np.maximum(old, u), "min": np.minimum(old, u), "mul": old * u}
        out[tuple(i)] = choices[reduction]
    return out


def _slice_update(x, starts, updates):
    out = x.copy()
    out[tuple(S(s, s + n) for s, n in zip(starts, updates.shape))] = updates
    return out


def _multi_hot(x, num_classes, axis=-1):
    return np.moveaxis(np.eye(num_classes)[x].max(axis=-2), -1, axis)


ROWS = [
    *[
        row("get_item", F(4, 5, 6), key, ref=_item, grad=i < 3, dtypes=MIXED if i < 2 else ("float32",))
        for i, key in enumerate([
            1, (S(None), S(1, 3), S(None, None, 2)), (Ellipsis, -1), (S(None), None, S(None), 2),
            (S(None), S(None, None, -1), S(-2, 0, -2)), (None, Ellipsis, 0, S(2, 4)), S(1, 3), (1, 2, 3),
        ])
    ],
    row("get_item", F(4, 5), I(3, high=4), ref=_item, grad=True),
    row("get_item", F(4, 5), (S(None), I(3, high=5)), ref=_item),
    row("get_item", F(4, 5, 6), (I(3, high=4), S(None), I(3, low=-6, high=6)), ref=_item),
    row("get_item", F(4, 5, 6), (S(1, 3), I(2, 1, high=5), I(3, high=6)), ref=_item),
    row("get_item", F(4, 5, 6), (0, S(None), I(2, high=6)), ref=_item),
    row("get_item", F(3, 2), L([True, False, True]), ref=_item, jit=False, dynamic=False,
        note="the result's length depends on the mask"),
    row("get_item", F(2, 3), (S(None), L([True, False, True])), ref=_item, jit=False, dynamic=False,
        note="the result's length depends on the mask",
        bad=[case(F(2, 3), 2, error=IndexError), case(F(2), (0, 0), error=IndexError),
             case(F(2), 1.5, error=TypeError), case(F(2, 3), (Ellipsis, Ellipsis), error=IndexError)]),
    row("take", F(4, 3), I(2, 2, high=4), axis=0, ref=np.take, grad=True, dtypes=MIXED, dynamic="all",
        bad=[case(F(4), I(2), axis=1)]),
    row("take", F(4, 3), I(5, low=-3, high=3), axis=1, ref=np.take),
    row("take", F(4, 3), I(5, high=12), ref=np.take),
    row("take", F(4, 3), I(high=4), axis=0, ref=np.take),
    row("take_along_axis", F(2, 4), I(2, 3, high=4), axis=1, ref=np.take_along_axis, grad=True, dtypes=MIXED,
        bad=[case(F(2, 4), I(2), axis=1), case(F(2, 4), I(3, 2), axis=1)]),
    row("take_along_axis", F(4, 2, 3), I(3, 1, 3, low=-4, high=4), axis=0, ref=np.take_along_axis),
    row("take_along_axis", F(6), I(4, high=6), axis=None, ref=np.take_along_axis),
    row("slice", F(4, 5), (1, 2), (2, 3), ref=lambda x, s, n: x[1:3, 2:5], grad=True, dtypes=MIXED,
        bad=[case(F(4, 5), (3, 0), (2, 2)), case(F(4), (0, 0), (1, 1))], dynamic=False,
        note="a block of fixed size"),
    row("slice", F(4, 5), L([1, 2]), (2, 3), ref=lambda x, s, n: x[1:3, 2:5], dynamic=False,
        note="a block of fixed size"),
    row("slice", F(4, 5), (1, 2), (-1, 3), ref=lambda x, s, n: x[1:, 2:5]),
    row("slice_update", F(4, 5), (1, 2), F(2, 3), ref=_slice_update, grad=True, dtypes=MIXED,
        bad=[case(F(4, 5), (3, 0), F(2, 2)), case(F(4), (0,), F(1, 1))]),
    row("slice_update", F(4, 5), L([1, 2]), F(2, 3), ref=_slice_update),
    row("scatter", L([[0], [2], [2]]), F(3), shape=(4,), ref=_scatter, grad=True, dtypes=("float32", "int32")),
    row("scatter", L([[0, 1], [1, 0]]), F(2, 3), shape=(2, 2, 3), ref=_scatter,
        bad=[case(L([[0, 1, 0]]), F(1), shape=(3,)), case(L([[0], [1]]), F(3), shape=(4,))]),
    *[
        row("scatter_update", F(4, 3), L([[0, 1], [3, 2], [0, 0]]), F(3), reduction=r, ref=_scatter_update,
            grad=r in (None, "add"))
        for r in (None, "add", "max", "min", "mul")
    ],
    *[
        row("scatter_update", F(4, 3), L([[1], [1], [3]]), F(3, 3), reduction=r, ref=_scatter_update)
        for r in ("add", "max", "min", "mul")
    ],
    row("scatter_update", I(4), L([[1], [3]]), I(2), ref=_scatter_update,
        bad=[case(F(4), L([[0]]), F(1), reduction="mean"), case(F(4), L([[0, 0]]), F(1))]),
    row("nonzero", L([[0, 1, 0], [2, 0, 3]]), ref=np.nonzero, jit=False, dynamic=False,
        note="the result's length depends on the values"),
    row("unravel_index", I(5, high=12), shape=(3, 4), ref=np.unravel_index),
    row("one_hot", L([2, 0, -1, 3]), num_classes=3,
        ref=lambda x, num_classes: np.equal(x[:, None], np.arange(3)).astype(float),
        bad=[case(I(2), num_classes=0), case(I(2), num_classes=3, axis=4)]),
    row("one_hot", I(2, 3), num_classes=5, axis=1, ref=lambda x, num_classes, axis: np.moveaxis(np.eye(5)[x], -1, 1)),
    row("one_hot", I(2, 3), num_classes=5, dtype="int32", ref=lambda x, num_classes, dtype: np.eye(5, dtype=int)[x]),
    row("multi_hot", I(3, 2, high=4), num_classes=4, ref=_multi_hot, bad=[case(I(2))]),
    row("multi_hot", I(3), num_classes=5, ref=_multi_hot),
    row("isin", I(2, 3), I(4), ref=np.isin),
    row("isin", I(2, 3), I(2, 2), invert=True, ref=lambda a, b, invert: ~np.isin(a, b)),
    row("in_top_k", L([0, 1, 2]), L([[0.1, 0.9, 0.1], [0.5, 0.5, 0.2], [3.0, 2.0, 1.0]]), k=1,
        ref=np.array([False, True, False]), bad=[case(I(2, 2), F(2, 3), k=1), case(I(3), F(2, 3), k=1)]),
    row("in_top_k", L([0, 1, 2]), L([[0.1, 0.9, 0.1], [0.5, 0.5, 0.2], [3.0, 2.0, 1.0]]), k=2,
        ref=np.array([True, True, False])),
]  # fmt: skip
