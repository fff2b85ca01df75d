"""Ops that order elements, and search in order."""

from __future__ import annotations

from typing import Any

from kops import promote
from kops.declare import Tensor, primitive
from kops.shapes import Shape, along_one, standardize_axis, standardize_shape


@primitive("numpy", dtype=promote.real(promote.first), shape=along_one)
def sort(x: Tensor, axis: int = -1) -> Any:
    """Elements in ascending order along an axis.

    Args:
        x: tensor.
        axis: the axis; None sorts the flattened tensor.
    """


@primitive("numpy", dtype=promote.real(promote.index), shape=along_one, checked=True)
def argsort(x: Tensor, axis: int = -1) -> Any:
    """The positions that would sort a tensor along an axis; equal elements keep their order. int32.

    Args:
        x: tensor.
        axis: the axis; None sorts the flattened tensor.

    Example:
        >>> argsort([3, 1, 2])
        [1, 2, 0]
    """


def _top_k_shapes(x: Any, k: int, sorted: bool = True) -> tuple[Shape, Shape]:
    if not len(x.shape):
        raise ValueError("top_k needs at least one dimension.")
    if k < 0 or (x.shape[-1] is not None and k > x.shape[-1]):
        raise ValueError(f"k is {k}, but the last axis has {x.shape[-1]} elements.")
    shape = (*x.shape[:-1], k)
    return [shape, shape]  # type: ignore[return-value]


def _top_k_dtypes(d: Any, **static: Any) -> Any:
    return promote.natural(d), (promote.natural(d), "int32")


@primitive("keras.ops.top_k", dtype=promote.real(_top_k_dtypes), shape=_top_k_shapes, node="math:TopK", checked=True)
def top_k(x: Tensor, k: int, sorted: bool = True) -> Any:
    """The `k` largest elements along the last axis.

    Args:
        x: tensor of shape `(..., n)`.
        k: how many.
        sorted: whether they come in descending order; False leaves the order to the engine.

    Returns:
        `(values, indices)`, both of shape `(..., k)`; indices are int32.

    Example:
        >>> top_k([5, 2, 7], 2)
        ([7, 5], [2, 0])
    """


def _partitioned(x: Any, kth: int, axis: Any = -1) -> Shape:
    shape = along_one(x, axis)
    length = shape[0 if axis is None else axis]
    if length is not None and not -length <= kth < length:
        raise ValueError(f"kth is {kth}, but there are {length} elements along axis {axis}.")
    return shape


@primitive("numpy", dtype=promote.real(promote.index), shape=_partitioned, checked=True)
def argpartition(x: Tensor, kth: int, axis: int = -1) -> Any:
    """Positions by which the `kth` smallest stands in place `kth`, smaller ones before, larger ones after. int32.

    Args:
        x: tensor.
        kth: place in ascending order; negative counts from the end.
        axis: the axis; None means the flattened tensor.
    """


def _search_dtypes(*ds: Any, **static: Any) -> Any:
    return promote.common(*ds)[0], "int32"


def _searched(sorted_sequence: Any, values: Any, side: str = "left") -> Shape:
    if len(sorted_sequence.shape) != 1:
        raise ValueError(f"sorted_sequence has one dimension; got shape {sorted_sequence.shape}.")
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right'; got {side!r}.")
    return tuple(values.shape)


@primitive("numpy", dtype=promote.real(_search_dtypes), shape=_searched)
def searchsorted(sorted_sequence: Tensor, values: Tensor, side: str = "left") -> Any:
    """Where values would have to be inserted into an ascending sequence to keep its order. int32.

    Args:
        sorted_sequence: one-dimensional, ascending.
        values: tensor of any shape.
        side: `"left"` before equal elements, `"right"` after them.

    Example:
        >>> searchsorted([1, 3, 5], [3, 4])
        [1, 2]
    """


def _unique_dtypes(
    d: Any, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, **static: Any
) -> Any:
    dtype = promote.natural(d)
    extras = sum(map(bool, (return_index, return_inverse, return_counts)))
    return dtype, ((dtype, *("int32",) * extras) if extras else dtype)


def _unique_shapes(
    x: Any, return_index: bool, return_inverse: bool, return_counts: bool, axis: Any, size: Any, fill_value: Any
) -> Any:
    if isinstance(fill_value, (tuple, list, str)):
        raise TypeError(f"fill_value is one number, not {fill_value!r}.")
    shape = tuple(x.shape)
    standardize_shape((size,))
    if axis is None:
        values: Shape = (size,)
        inverse = shape
    else:
        axis = standardize_axis(axis, len(shape))
        values = (*shape[:axis], size, *shape[axis + 1 :])
        inverse = (shape[axis],)
    outputs = [values]
    outputs += [(size,)] * bool(return_index) + [inverse] * bool(return_inverse) + [(size,)] * bool(return_counts)
    return values if len(outputs) == 1 else outputs


@primitive(
    "numpy",
    dtype=promote.real(_unique_dtypes),
    shape=_unique_shapes,
    key=("return_index", "return_inverse", "return_counts"),
    checked=True,
)
def unique(
    x: Tensor,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """The different elements, or the different slices along an axis.

    Args:
        x: tensor.
        sorted: whether they come in ascending order (here they always do).
        return_index: also return where each stands for the first time.
        return_inverse: also return for each element of `x` which of the values it is.
        return_counts: also return how often each occurs.
        axis: compare slices along this axis; None compares the elements of the flattened tensor.
        size: return that many: more are cut off, fewer filled up. Needed under `jit` on JAX.
        fill_value: what fills up; the first (smallest) value by default.

    Returns:
        The values, or a tuple with what was asked for beside them, int32, in the order of the parameters.

    Example:
        >>> unique([2, 1, 2], return_counts=True)
        ([1, 2], [1, 2])
    """
