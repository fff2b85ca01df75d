"""Ops that read and write elements by their positions."""

from __future__ import annotations

from typing import Any

import kops
from kops import dtypes, promote
from kops.declare import Operand, Tensor, composite, primitive
from kops.dims import is_int
from kops.item_keys import item_shape
from kops.shapes import Shape, broadcast_shapes, broadcasts_into, same, standardize_axis, standardize_shape


def _into_first(d: Any, *ds: Any, **static: Any) -> Any:
    """Inputs and updates (first and last) in the dtype of the inputs; indices between them as they are."""
    for indices in ds[:-1]:
        promote.check_indices(indices)
    dtype = promote.natural(d)
    # Bools are combined as numbers: any nonzero sum is True. Fractions are not cut to 0 before.
    compute = dtypes.result_type("int32", ds[-1]) if dtype == "bool" else dtype
    return (compute, *(None for _ in ds[:-1]), compute), dtype


@primitive("numpy", dtype=promote.first, shape=lambda x, key: item_shape(x.shape, key))
def get_item(x: Tensor, key: Operand) -> Any:
    """`x[key]`, with NumPy's meaning on every engine.

    Args:
        x: tensor.
        key: an int, slice, None, Ellipsis, mask, tensor or list of ints, or a tuple of those.

    Raises:
        IndexError: for an int out of range, or too many indices.

    Example:
        >>> get_item(ones((4, 5, 6)), (slice(0, 2), ..., None, -1)).shape
        (2, 5, 1)
    """


def _taken(x: Any, indices: Any, axis: Any = None) -> Shape:
    if axis is None:
        return tuple(indices.shape)
    axis = standardize_axis(axis, len(x.shape))
    return (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])


@primitive("numpy", dtype=promote.indexed, shape=_taken)
def take(x: Tensor, indices: Tensor, axis: int | None = None) -> Any:
    """Slices of a tensor chosen by position, as in an embedding look-up.

    Args:
        x: tensor.
        indices: ints of any shape; negative ones count from the end. What lies outside is an error or NaN, by engine.
        axis: the axis; None takes from the flattened tensor.

    Returns:
        A tensor in which the axes of `indices` stand in place of `axis`.

    Example:
        >>> take([10, 20, 30], [2, 0])
        [30, 10]
    """


def _taken_along(x: Any, indices: Any, axis: Any = None) -> Shape:
    if axis is None:
        if len(indices.shape) != 1:
            raise ValueError(f"with axis=None the indices have one dimension; got shape {indices.shape}.")
        return tuple(indices.shape)
    n = len(x.shape)
    if len(indices.shape) != n:
        raise ValueError(f"x and indices need the same number of dimensions; got {x.shape} and {indices.shape}.")
    axis = standardize_axis(axis, n)
    shape = broadcast_shapes(
        (*x.shape[:axis], 1, *x.shape[axis + 1 :]), (*indices.shape[:axis], 1, *indices.shape[axis + 1 :])
    )
    return (*shape[:axis], indices.shape[axis], *shape[axis + 1 :])


@primitive("numpy", dtype=promote.indexed, shape=_taken_along)
def take_along_axis(x: Tensor, indices: Tensor, axis: int | None = None) -> Any:
    """For each position of `indices` the element there along an axis: what `argsort` gives is undone by it.

    Args:
        x: tensor.
        indices: ints, of `x`'s number of dimensions; other axes than `axis` broadcast.
        axis: the axis; None means both are taken as one-dimensional.
    """


def _sliced(inputs: Any, start_indices: Any, shape: Any) -> Shape:
    starts = _static_starts(start_indices, len(inputs.shape))
    if len(shape) != len(inputs.shape):
        raise ValueError(f"the slice's shape {tuple(shape)} needs {len(inputs.shape)} entries.")
    result: list[int | None] = []
    for axis, (d, n) in enumerate(zip(inputs.shape, shape)):
        start: Any = starts[axis] if starts else None
        if n == -1:
            result.append(None if d is None or start is None else d - start)
            continue
        result.append(n if n is None or is_int(n) else None)
        if None not in (d, result[-1]) and not 0 <= (start or 0) <= d - n:
            raise ValueError(f"a slice from {start or 0} of length {n} leaves axis {axis} of length {d}.")
    return tuple(result)


def _static_starts(start_indices: Any, ndim: int) -> Any:
    if hasattr(start_indices, "shape") and hasattr(start_indices, "dtype"):
        if len(start_indices.shape) != 1 or start_indices.shape[0] not in (None, ndim):
            raise ValueError(f"start_indices need shape ({ndim},); got {tuple(start_indices.shape)}.")
        promote.check_indices(dtypes.standardize_dtype(start_indices.dtype))
        return None
    if len(start_indices) != ndim:
        raise ValueError(f"start_indices need {ndim} entries; got {len(start_indices)}.")
    return [int(s) if is_int(s) else None for s in start_indices]


def _slice_shape(inputs: Any, start_indices: Any, shape: Any) -> Shape:
    if not hasattr(shape, "__len__") or any(n is None for n in shape):
        raise TypeError(f"the slice's shape has ints, -1 for all that is left; got {shape}.")
    return _sliced(inputs, start_indices, shape)


@primitive("keras.ops.slice", dtype=promote.first, shape=_slice_shape, node="core:", checked=True)
def slice(inputs: Tensor, start_indices: Operand, shape: Any) -> Any:
    """A block of a tensor; the place where it starts may be computed.

    Args:
        inputs: tensor.
        start_indices: where the block starts: one int for each axis, or a tensor of them.
        shape: the block's shape; -1 up to the end of the axis (where the start is an int).

    Example:
        >>> slice(ones((4, 5)), (1, 2), (2, 3)).shape
        (2, 3)
    """


def _slice_updated(inputs: Any, start_indices: Any, updates: Any) -> Shape:
    if len(updates.shape) != len(inputs.shape):
        raise ValueError(f"updates of shape {updates.shape} need the number of dimensions of {inputs.shape}.")
    _sliced(inputs, start_indices, updates.shape)
    return tuple(inputs.shape)


@primitive("keras.ops.slice_update", dtype=_into_first, shape=_slice_updated, node="core:", checked=True)
def slice_update(inputs: Tensor, start_indices: Operand, updates: Tensor) -> Any:
    """A tensor with a block of it replaced.

    Args:
        inputs: tensor.
        start_indices: where the block starts: one int for each axis, or a tensor of them.
        updates: the block.
    """


def _scatter_dtypes(indices: Any, values: Any, **static: Any) -> Any:
    (compute, *_), result = _into_first(values, indices, values)
    return (None, compute), result


def _scattered(indices: Any, values: Any, shape: Any) -> Shape:
    target = standardize_shape(shape)
    _check_scatter(indices.shape, values.shape, target)
    return target


def _check_scatter(indices: Shape, values: Shape, target: Shape) -> None:
    if not indices or indices[-1] is None or indices[-1] > len(target):
        raise ValueError(f"indices of shape {indices} need a known last axis, of up to {len(target)} positions.")
    want = (*indices[:-1], *target[indices[-1] :])
    if not broadcasts_into(values, want):
        raise ValueError(f"values of shape {values} do not fit {want}, which indices of shape {indices} address.")


@primitive("keras.ops.scatter", dtype=_scatter_dtypes, shape=_scattered, node="core:")
def scatter(indices: Tensor, values: Tensor, shape: Any) -> Any:
    """Zeros with values added at positions; values of the same position sum up.

    Args:
        indices: ints of shape `(..., k)`: positions in the first `k` axes.
        values: of shape `(..., *shape[k:])`.
        shape: the shape of the result.

    Example:
        >>> scatter([[0], [2], [2]], [1.0, 2.0, 3.0], (4,))
        [1.0, 0.0, 5.0, 0.0]
    """


REDUCTIONS = (None, "add", "max", "min", "mul")


def _scatter_updated(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Shape:
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction is one of {', '.join(map(str, REDUCTIONS))}; got {reduction!r}.")
    _check_scatter(indices.shape, updates.shape, tuple(inputs.shape))
    return tuple(inputs.shape)


@primitive("keras.ops.scatter_update", dtype=_into_first, shape=_scatter_updated, node="core:", checked=True)
def scatter_update(inputs: Tensor, indices: Tensor, updates: Tensor, reduction: str | None = None) -> Any:
    """A tensor with elements or slices at given positions replaced, or combined with updates.

    Args:
        inputs: tensor.
        indices: ints of shape `(n, k)`: positions in the first `k` axes.
        updates: of shape `(n, *inputs.shape[k:])`.
        reduction: None replaces (which of several updates of one position wins is undefined); `"add"`, `"max"`,
            `"min"` and `"mul"` combine all of them with what is there.
    """


def _found(x: Any) -> list[Shape]:
    if not len(x.shape):
        raise ValueError("a scalar has no positions; give it a dimension first.")
    return [(None,)] * len(x.shape)


@primitive("numpy", dtype=promote.index, shape=_found, checked=True)
def nonzero(x: Tensor) -> Any:
    """Where the elements that are not 0 stand: one int32 tensor of positions for each axis.

    Their number depends on the values, so this cannot be compiled on JAX.
    """


@composite("numpy", dtype=promote.positions)
def unravel_index(indices: Tensor, shape: Any) -> Any:
    """Positions in a flattened tensor as positions along each axis.

    Args:
        indices: ints; negative ones count from the end.
        shape: the tensor's shape.

    Returns:
        A tuple with one tensor for each axis.

    Example:
        >>> unravel_index([5], (2, 4))
        ([1], [1])
    """
    parts = []
    for d in reversed(standardize_shape(shape)):
        parts.append(kops.mod(indices, d))
        indices = kops.floor_divide(indices, d)
    return tuple(reversed(parts))


def _hot_dtype(d: Any, *, dtype: Any = None, sparse: bool = False, **static: Any) -> Any:
    from kops.dtypes import config, standardize_dtype

    own = promote._real(promote.natural(d))
    result = config.settings.floatx if dtype is None else standardize_dtype(dtype)
    return ("int32" if own == "bool" or "float" in own else own), result


def _one_hot_shape(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    if not is_int(num_classes) or num_classes < 1:
        raise ValueError(f"num_classes is a positive int; got {num_classes!r}.")
    shape = list(x.shape)
    shape.insert(standardize_axis(axis, len(shape) + 1), num_classes)
    if sparse:
        from kops.keras_tensor import KerasTensor

        return KerasTensor(shape, _hot_dtype(x.dtype, dtype=dtype)[1], sparse=True)
    return tuple(shape)


@composite("nn", dtype=_hot_dtype, shape=_one_hot_shape, key=("sparse",), checked=True)
def one_hot(x: Tensor, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """Class numbers as vectors with a single 1; numbers outside of `[0, num_classes)` give zeros.

    Args:
        x: ints.
        num_classes: length of the vectors.
        axis: where in the result they lie.
        dtype: of the result, `floatx` by default.
        sparse: return the engine's sparse tensor (TensorFlow and JAX).

    Example:
        >>> one_hot([2, 0], 3)
        [[0., 0., 1.], [1., 0., 0.]]
    """
    axis = standardize_axis(axis, len(x.shape) + 1)
    classes = kops.reshape(kops.arange(num_classes), (num_classes,) + (1,) * (len(x.shape) - axis))
    hot = kops.cast(kops.equal(kops.expand_dims(x, axis), classes), dtype)
    return _to_sparse(hot) if sparse else hot


def _sparse_shape(x: Any) -> Any:
    from kops.keras_tensor import KerasTensor

    return KerasTensor(x.shape, x.dtype, sparse=True)


@composite(dtype=promote.kept, shape=_sparse_shape)
def _to_sparse(x: Tensor) -> Any:
    """The engine's sparse tensor of the elements that are not 0."""
    raise NotImplementedError("sparse=True needs an engine with sparse tensors: TensorFlow or JAX.")


@composite("nn", dtype=_hot_dtype, key=("sparse",))
def multi_hot(
    inputs: Tensor, num_classes: Any = None, axis: int = -1, dtype: Any = None, sparse: bool = False, **kwargs: Any
) -> Any:
    """Sets of class numbers as vectors with a 1 for each member.

    Args:
        inputs: ints of shape `(batch, members)`, or `(members,)`.
        num_classes: length of the vectors.
        axis: where in the result they lie.
        dtype: of the result, `floatx` by default.
        sparse: return the engine's sparse tensor (TensorFlow and JAX).
        **kwargs: `num_tokens`, an older name of `num_classes`.

    Example:
        >>> multi_hot([[0, 2], [1, 1]], 4)
        [[1., 0., 1., 0.], [0., 1., 0., 0.]]
    """
    num_classes = kwargs.pop("num_tokens", num_classes)
    if kwargs:
        raise TypeError(f"unknown arguments: {', '.join(kwargs)}.")
    if num_classes is None:
        raise ValueError("num_classes is needed.")
    ndim = len(inputs.shape)  # type: ignore[attr-defined]
    hot = one_hot(inputs, num_classes, axis=axis, dtype="bool")
    hot = kops.cast(hot if ndim == 0 else kops.any(hot, axis=1 if ndim > 1 else 0 if axis in (-1, 1) else 1), dtype)
    return _to_sparse(hot) if sparse else hot


@composite("numpy", dtype=lambda *ds, **_: (promote.common(*ds)[0], "bool"), shape=same, node="IsIn")
def isin(x1: Tensor, x2: Tensor, assume_unique: bool = False, invert: bool = False) -> Any:
    """For each element of `x1`, whether it stands in `x2`.

    Args:
        x1, x2: tensors; `x2` is taken as a set.
        assume_unique: a promise that neither has an element twice; allows a faster search.
        invert: ask for the opposite.
    """
    found = kops.any(kops.equal(kops.expand_dims(x1, -1), kops.reshape(x2, (-1,))), axis=-1)
    return kops.logical_not(found) if invert else found


def _in_top_k_shape(targets: Any, predictions: Any, k: int) -> Shape:
    if len(targets.shape) != 1 or len(predictions.shape) != 2:
        raise ValueError(
            f"targets have shape (batch,) and predictions (batch, classes); got {targets.shape}, {predictions.shape}."
        )
    if predictions.shape[1] == 0:
        raise ValueError(f"there are no classes in predictions of shape {predictions.shape}.")
    return broadcast_shapes(targets.shape, predictions.shape[:1])


@composite(
    "keras.ops.in_top_k",
    dtype=promote.real(lambda t, p, **_: (promote.indexed(p, t)[0][::-1], "bool")),
    shape=_in_top_k_shape,
    node="math:InTopK",
    checked=True,
)
def in_top_k(targets: Tensor, predictions: Tensor, k: int) -> Any:
    """Whether the target's score is among the `k` largest of its row; ties count as in.

    Args:
        targets: class numbers, shape `(batch,)`.
        predictions: scores, shape `(batch, classes)`.
        k: int.

    Returns:
        Bools of shape `(batch,)`.
    """
    score = take_along_axis(predictions, kops.expand_dims(targets, 1), axis=1)
    better = kops.count_nonzero(kops.greater(predictions, score), axis=1)
    return kops.logical_and(kops.less(better, k), kops.isfinite(kops.squeeze(score, 1)))
