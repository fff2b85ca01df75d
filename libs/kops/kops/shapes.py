"""Shapes with unknown dimensions, and the rules by which ops get theirs.

A shape is a tuple of ints and None. A *shape rule* is a function with the op's own parameters, tensors replaced by
specs (objects with `shape` and `dtype`), that returns the output's shape, or a list or tuple of shapes. It raises
`ValueError` with words that say which rule was broken; the dispatcher adds the op and its arguments.
"""

from __future__ import annotations

import operator
from typing import Any, Iterable, Optional, Sequence, Tuple

from kops.engine import engine

Shape = Tuple[Optional[int], ...]


def standardize_shape(shape: Any) -> Shape:
    """A shape given as an int, list, tuple, or TensorShape, as a checked tuple."""
    if shape is None:
        raise ValueError("A shape is needed; None (unknown rank) is not supported.")
    if hasattr(shape, "as_list"):
        shape = shape.as_list()
    if not isinstance(shape, (tuple, list)):
        if not isinstance(shape, Iterable):
            shape = (shape,)
        shape = tuple(shape)
    return tuple(_dimension(d, shape) for d in shape)


def _dimension(d: Any, shape: Any) -> int | None:
    if d is None:
        return None
    if type(d) is not int:
        try:
            d = operator.index(d)
        except TypeError:
            if type(d).__name__ == "SymInt":  # torch.export: an int with a name
                return d
            if isinstance(d, getattr(engine(), "GraphTensor", ())):  # known when the graph runs
                return None
            raise ValueError(f"A dimension is an integer or None, not {d!r} (in shape {tuple(shape)}).") from None
    if d < 0:
        raise ValueError(f"A dimension cannot be negative: got shape {tuple(shape)}.")
    return d


def is_shape(value: Any) -> bool:
    """Whether a shape rule's result is one shape (a tuple of dimensions), not several."""
    return isinstance(value, tuple) and all(d is None or isinstance(d, int) for d in value)


def standardize_axis(axis: int, ndim: int, what: str = "axis") -> int:
    """A negative axis made positive, checked."""
    if not hasattr(axis, "__index__"):
        raise TypeError(f"{what} is an int, not {axis!r}.")
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"{what} {axis} is out of range for a tensor with {ndim} dimensions.")
    return axis + ndim if axis < 0 else axis


def standardize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """None (all), an int or several, as a tuple of distinct positive axes."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    result = tuple(standardize_axis(a, ndim) for a in axes)
    if len(set(result)) != len(result):
        raise ValueError(f"axis {tuple(axes)} names the same axis twice.")
    return result


def broadcast_shapes(*shapes: Sequence[int | None]) -> Shape:
    """The shape to which these broadcast. An unknown dimension gives way to a known one other than 1."""
    ndim = max([len(s) for s in shapes] or [0])  # a form that torch.compile follows
    result: list[int | None] = [1] * ndim
    for shape in shapes:
        for i, d in enumerate(shape, ndim - len(shape)):
            have = result[i]
            if d == 1 or d == have:
                continue
            if have == 1 or have is None:
                result[i] = have if d is None and have != 1 else d
            elif d is not None:
                text = " and ".join(str(tuple(s)) for s in shapes if len(s))
                raise ValueError(
                    f"shapes {text} do not broadcast: counted from the end, dimensions must be equal or 1, "
                    f"but {have} meets {d}."
                )
    return tuple(result)


def product(dims: Iterable[Any]) -> Any:
    """The number of elements of a shape; None where a dimension is unknown."""
    result: Any = 1
    for d in dims:  # a form that torch.compile follows
        if d is None:
            return None
        result = result * d
    return result


def agree(a: Sequence[int | None], b: Sequence[int | None]) -> bool:
    """Whether two shapes may be the same: equally long, and no known dimensions differ."""
    return len(a) == len(b) and all(None in pair or pair[0] == pair[1] for pair in zip(a, b))


def broadcasts_into(shape: Sequence[int | None], target: Sequence[int | None]) -> bool:
    """Whether a tensor of `shape` can take the shape `target`, as far as is known."""
    pairs = zip(reversed(shape), reversed(target))
    return len(shape) <= len(target) and all(None in p or p[0] in (1, p[1]) for p in pairs)


def reduced_shape(shape: Sequence[int | None], axis: Any, keepdims: bool) -> Shape:
    """The shape after a reduction over `axis` (None: all)."""
    axes = standardize_axes(axis, len(shape))
    if keepdims:
        return tuple(1 if i in axes else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axes)


# Shape rules that many ops share.


def broadcast(*specs: Any, **static: Any) -> Shape:
    """All tensor arguments broadcast against each other."""
    return broadcast_shapes(*(s.shape for s in specs if hasattr(s, "shape")))


def same(x: Any, *others: Any, **static: Any) -> Shape:
    """The shape of the first argument."""
    return tuple(x.shape)


def along(x: Any, axis: Any = None, *others: Any, **static: Any) -> Shape:
    """Same shape as the first argument, which has the axis or axes."""
    standardize_axes(axis, len(x.shape))
    return tuple(x.shape)


def along_one(x: Any, axis: Any = None, *others: Any, **static: Any) -> Shape:
    """Same shape as the first argument, which has the axis; None goes along all elements in a row."""
    return (product(x.shape),) if axis is None else along(x, standardize_axis(axis, len(x.shape)))


def reduce(x: Any, axis: Any = None, keepdims: bool = False, *others: Any, **static: Any) -> Shape:
    """For ops declared `op(x, axis=None, keepdims=False, ...)`."""
    return reduced_shape(x.shape, axis, keepdims)
