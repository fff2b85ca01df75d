"""NumPy's shorthands for joining and splitting along a certain axis."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote
from kops.declare import Tensor, Tensors, composite
from kops.dims import is_int
from kops.shapes import standardize_axis


def _ndim(x: Any) -> int:
    return len(x.shape)


@composite("numpy", dtype=promote.common)
def hstack(xs: Tensors) -> Any:
    """Tensors side by side: joined along the second axis, vectors along their only one."""
    parts = [kops.expand_dims(x, 0) if not _ndim(x) else x for x in xs]  # type: ignore[attr-defined]
    return kops.concatenate(parts, axis=0 if _ndim(parts[0]) == 1 else 1)


@composite("numpy", dtype=promote.common)
def vstack(xs: Tensors) -> Any:
    """Tensors one below the other: joined along the first axis, vectors as rows."""
    parts = [kops.expand_dims(x, tuple(range(2 - _ndim(x)))) if _ndim(x) < 2 else x for x in xs]  # type: ignore[attr-defined]
    return kops.concatenate(parts, axis=0)


@composite("numpy", dtype=promote.common)
def dstack(xs: Tensors) -> Any:
    """Tensors one behind the other: joined along the third axis; vectors become `(1, n, 1)`, matrices `(n, m, 1)`."""
    places = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    parts = [kops.expand_dims(x, places[_ndim(x)]) if _ndim(x) < 3 else x for x in xs]  # type: ignore[attr-defined]
    return kops.concatenate(parts, axis=2)


@composite("numpy", dtype=promote.common)
def append(x1: Tensor, x2: Tensor, axis: int | None = None) -> Any:
    """`x2` after `x1` along an axis; without one both are flattened first.

    Args:
        x1, x2: tensors whose shapes differ along `axis` only.
        axis: the axis.
    """
    if axis is None:
        return kops.concatenate([kops.ravel(x1), kops.ravel(x2)], axis=0)
    return kops.concatenate([x1, x2], axis=axis)


@composite("numpy", dtype=promote.first)
def array_split(x: Tensor, indices_or_sections: Any, axis: int = 0) -> Any:
    """As `split`, but the parts may be unequal: the first ones are longer by 1.

    Args:
        x: tensor; with a number of sections the axis's length must be known.
        indices_or_sections: number of parts, or the positions where to cut.
        axis: the axis.

    Example:
        >>> [p.shape for p in array_split(ones(5), 2)]
        [(3,), (2,)]
    """
    if not is_int(indices_or_sections):
        return kops.split(x, indices_or_sections, axis=axis)
    n = int(indices_or_sections)
    length = x.shape[standardize_axis(axis, _ndim(x))]  # type: ignore[attr-defined]
    if n < 1:
        raise ValueError(f"the number of sections is positive; got {n}.")
    if length is None:
        raise ValueError(f"axis {axis} has no known length, so its uneven parts have none; give positions instead.")
    longer, size = length % n, length // n
    return kops.split(x, [i * size + min(i, longer) for i in range(1, n)], axis=axis)


@composite("numpy", dtype=promote.first)
def hsplit(x: Tensor, indices_or_sections: Any) -> Any:
    """`split` along the second axis; of a vector along its only one."""
    return kops.split(x, indices_or_sections, axis=1 if _ndim(x) > 1 else 0)


@composite("numpy", dtype=promote.first)
def vsplit(x: Tensor, indices_or_sections: Any) -> Any:
    """`split` along the first axis of a tensor with at least 2 dimensions."""
    return kops.split(_at_least(x, 2), indices_or_sections, axis=0)


@composite("numpy", dtype=promote.first)
def dsplit(x: Tensor, indices_or_sections: Any) -> Any:
    """`split` along the third axis of a tensor with at least 3 dimensions."""
    return kops.split(_at_least(x, 3), indices_or_sections, axis=2)


def _at_least(x: Any, ndim: int) -> Any:
    if _ndim(x) < ndim:
        raise ValueError(f"at least {ndim} dimensions are needed; got shape {tuple(x.shape)}.")
    return x
