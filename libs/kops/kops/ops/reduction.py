"""Sums, means, extremes and other reductions."""

from __future__ import annotations

import builtins
from typing import Any, Optional

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.engine import engine
from kops.ops.elementwise_piecewise import flat_at_zero


def _chosen_shape(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> shapes.Shape:
    axes = shapes.standardize_axes(axis, len(x.shape))
    if initial is None and builtins.any(x.shape[i] == 0 for i in axes):
        raise ValueError(f"nothing to choose from: shape {tuple(x.shape)} has a 0 among the reduced dimensions.")
    return shapes.reduced_shape(x.shape, axes, keepdims)


def _index_shape(x: Any, axis: Any = None, keepdims: bool = False) -> shapes.Shape:
    if axis is not None:
        axis = shapes.standardize_axis(axis, len(x.shape))
    return _chosen_shape(x, axis, keepdims)


def _average_shape(x: Any, axis: Any = None, weights: Any = None) -> shapes.Shape:
    if weights is not None and len(weights.shape) != len(x.shape):
        if len(weights.shape) != 1 or not isinstance(axis, int):
            raise ValueError(
                f"weights of shape {tuple(weights.shape)} do not fit: give the shape of x, {tuple(x.shape)}, or one "
                "dimension together with one axis."
            )
        size = x.shape[shapes.standardize_axis(axis, len(x.shape))]
        if None not in (size, weights.shape[0]) and size != weights.shape[0]:
            raise ValueError(f"there are {weights.shape[0]} weights for the {size} places of axis {axis}.")
    elif weights is not None and not shapes.broadcasts_into(weights.shape, x.shape):
        raise ValueError(f"weights of shape {tuple(weights.shape)} do not broadcast to {tuple(x.shape)}.")
    return shapes.reduced_shape(x.shape, axis, False)


def _moments_shape(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> list[shapes.Shape]:
    if synchronized and engine().NAME != "tensorflow":
        raise NotImplementedError(
            "synchronized moments exist with the TensorFlow backend only. Under data parallelism on JAX the batch is "
            "one array, so that moments are those of the whole batch anyway."
        )
    return [shapes.reduced_shape(x.shape, axes, keepdims)] * 2


@primitive("numpy", dtype=promote.accumulate, shape=shapes.reduce)
def sum(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum of the elements; 0 of none.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor; bools and small integers are summed in 32 bits.
    """


@primitive("numpy", dtype=promote.accumulate, shape=shapes.reduce)
def prod(x: Tensor, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Product of the elements; 1 of none.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.
        dtype: of the computation and the output; by default that of `x`.

    Returns:
        The reduced tensor; bools and small integers are multiplied in 32 bits.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.reduce)
def mean(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Arithmetic mean; NaN of none.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float or complex.
    """


@primitive("numpy", dtype=promote.real_inexact, shape=shapes.reduce)
def var(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Variance: the mean squared distance from the mean.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """


@composite("numpy", dtype=promote.statistic, shape=shapes.reduce)
def std(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Standard deviation: the root of the variance. The gradient at a constant is 0, not NaN.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """
    return flat_at_zero(kops.sqrt, var(x, axis, keepdims))


@primitive("numpy", dtype=promote.ordered, shape=_chosen_shape)
def max(x: Tensor, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The largest element; NaN if there is one.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.
        initial: a number that takes part, so that nothing has a maximum.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """


@primitive("numpy", dtype=promote.ordered, shape=_chosen_shape)
def min(x: Tensor, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The smallest element; NaN if there is one.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.
        initial: a number that takes part, so that nothing has a minimum.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """


@composite("numpy", dtype=promote.ordered, shape=_chosen_shape)
def amax(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element; see `max`.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return max(x, axis, keepdims)


@composite("numpy", dtype=promote.ordered, shape=_chosen_shape)
def amin(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element; see `min`.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return min(x, axis, keepdims)


@primitive("numpy", dtype=promote.logical, shape=shapes.reduce)
def all(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements are true (not zero).

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, bool.
    """


@primitive("numpy", dtype=promote.logical, shape=shapes.reduce)
def any(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether some element is true (not zero).

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, bool.
    """


@primitive("numpy", dtype=promote.order_index, shape=_index_shape)
def argmax(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the (first) largest element, or of the first NaN.

    Args:
        x: a tensor.
        axis: an axis; None for the flattened tensor.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        An int32 tensor of indices.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """


@primitive("numpy", dtype=promote.order_index, shape=_index_shape)
def argmin(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the (first) smallest element, or of the first NaN.

    Args:
        x: a tensor.
        axis: an axis; None for the flattened tensor.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        An int32 tensor of indices.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """


@composite("numpy", dtype=promote.index, shape=shapes.reduce)
def count_nonzero(x: Tensor, axis: Any = None) -> Any:
    """How many elements are not zero.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.

    Returns:
        An int32 tensor.
    """
    return sum(kops.cast(kops.not_equal(x, 0), "int32"), axis)


@composite("numpy", dtype=promote.real_numeric, shape=_chosen_shape)
def ptp(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Range: the largest element minus the smallest.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return kops.subtract(max(x, axis, keepdims), min(x, axis, keepdims))


@composite("keras.ops.logsumexp", dtype=promote.real_inexact_only, shape=shapes.reduce, node="math:")
def logsumexp(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """`log(sum(exp(x)))` without overflow; minus infinity of nothing.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """
    largest = max(x, axis, True, initial=-float("inf"))
    largest = kops.where(kops.isfinite(largest), largest, 0)
    total = sum(kops.exp(kops.subtract(x, largest)), axis, True)
    # Where all is -inf the logarithm is not asked: its gradient would be NaN.
    nothing = kops.equal(total, 0)
    result = kops.where(nothing, -float("inf"), kops.add(kops.log(kops.where(nothing, 1, total)), largest))
    return result if keepdims else sum(result, axis)


@composite("numpy", dtype=promote.wide, shape=_average_shape, checked=True)
def average(x: Tensor, axis: Any = None, weights: Optional[Tensor] = None) -> Any:
    """Weighted mean `sum(x * weights) / sum(weights)`.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        weights: of the shape of `x`, or of one dimension for the size of `axis`; None for equal ones.

    Returns:
        The reduced tensor, float.

    Raises:
        ValueError: when the weights fit neither `x` nor `axis`.
    """
    if weights is None:
        return mean(x, axis)
    if len(weights.shape) != len(x.shape):
        place = shapes.standardize_axis(axis, len(x.shape))
        weights = kops.reshape(weights, tuple(-1 if i == place else 1 for i in range(len(x.shape))))
    total = sum(kops.multiply(kops.ones_like(x), weights), axis)
    return kops.divide(sum(kops.multiply(x, weights), axis), total)


@composite("nn", dtype=promote.inexact, shape=_moments_shape, checked=True)
def moments(x: Tensor, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Mean and variance over some axes.

    Args:
        x: a tensor.
        axes: an axis or several.
        keepdims: whether reduced axes stay, with size 1.
        synchronized: whether over all replicas of a TensorFlow distribution strategy together.

    Returns:
        A pair of reduced tensors, float.
    """
    return [mean(x, axes, keepdims), var(x, axes, keepdims)]
