"""Rows of pooling. The reference looks at the real positions of every window."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from kops.conformance.rows import F, I, case, row


def _each(value: Any, n: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


def _over(x: Any, bins: list[list[range]], reduce: Any, data_format: Any) -> Any:
    x = np.moveaxis(x, 1, -1) if data_format == "channels_first" else x
    y = np.zeros((x.shape[0], *map(len, bins), x.shape[-1]), x.dtype)
    for place in itertools.product(*(range(len(b)) for b in bins)):
        cut = x
        for axis, (i, b) in enumerate(zip(place, bins), 1):
            cut = np.take(cut, list(b[i]), axis)
        at: tuple[Any, ...] = (slice(None), *place)
        y[at] = reduce(cut, axis=tuple(range(1, x.ndim - 1)))
    return np.moveaxis(y, -1, 1) if data_format == "channels_first" else y


def _pool(reduce: Any) -> Any:
    def reference(x: Any, pool_size: Any, strides: Any = None, padding: Any = "valid", data_format: Any = None) -> Any:
        n = x.ndim - 2
        sizes = x.shape[2:] if data_format == "channels_first" else x.shape[1:-1]
        bins = []
        for size, w, s in zip(sizes, _each(pool_size, n), _each(pool_size if strides is None else strides, n)):
            if padding == "same":
                count = int(np.ceil(size / s))
                front = max((count - 1) * s + w - size, 0) // 2
            else:
                count, front = (size - w) // s + 1, 0
            bins.append([range(max(i * s - front, 0), min(i * s - front + w, size)) for i in range(count)])
        return _over(x, bins, reduce, data_format)

    return reference


def _adaptive(reduce: Any) -> Any:
    def reference(x: Any, output_size: Any, data_format: Any = None) -> Any:
        sizes = x.shape[2:] if data_format == "channels_first" else x.shape[1:-1]
        bins = [
            [range(int(np.floor(i * n / m)), int(np.ceil((i + 1) * n / m))) for i in range(m)]
            for n, m in zip(sizes, _each(output_size, x.ndim - 2))
        ]
        return _over(x, bins, reduce, data_format)

    return reference


_HALVES = ("float32", "float16", "bfloat16")
_BAD = [
    case(F(2, 5, 6, 3), 2, padding="full", match="padding"),
    case(F(2, 5, 6, 3), (2, 2, 2), match="strides"),
    case(F(2, 5, 6, 3), 6, match="fit"),
    case(F(2, 5), 2, match="dimensions"),
]

ROWS = [
    made
    for name, reduce in (("max_pool", np.max), ("average_pool", np.mean))
    for made in (
        row(name, F(2, 5, 6, 3), 2, ref=_pool(reduce), grad=True, dtypes=_HALVES, bad=_BAD),
        row(name, F(2, 5, 6, 3), (3, 2), strides=2, padding="same", ref=_pool(reduce), grad=True),
        row(
            name,
            F(2, 3, 5, 6),
            3,
            strides=(1, 2),
            padding="same",
            data_format="channels_first",
            ref=_pool(reduce),
            grad=True,
        ),
        row(name, F(2, 7, 3), 3, strides=2, padding="same", ref=_pool(reduce), grad=True),
        row(name, F(2, 4, 5, 3, 2), (2, 3, 2), strides=2, padding="same", ref=_pool(reduce), grad=True),
        row(name, F(0, 7, 3), 2, ref=np.zeros((0, 3, 3))),
    )
] + [
    row("max_pool", I(2, 5, 6, 3), 2, ref=_pool(np.max)),
    row(
        "adaptive_max_pool",
        F(2, 5, 6, 3),
        (2, 4),
        ref=_adaptive(np.max),
        grad=True,
        dtypes=_HALVES,
        bad=[case(F(2, 5, 6, 3), 0, match="output_size")],
    ),
    row("adaptive_max_pool", F(2, 3, 7), 3, data_format="channels_first", ref=_adaptive(np.max)),
    row(
        "adaptive_average_pool",
        F(2, 5, 6, 3),
        (2, 4),
        ref=_adaptive(np.mean),
        grad=True,
        dtypes=_HALVES,
        bad=[case(F(2, 5, 6, 3), 0, match="output_size")],
    ),
    row("adaptive_average_pool", F(2, 3, 3, 4, 5), 2, data_format="channels_first", ref=_adaptive(np.mean)),
]
