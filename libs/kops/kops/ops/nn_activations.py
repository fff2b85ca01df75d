"""Activation functions.

The ones of everyday networks are primitives, so that each engine's fused kernel runs; the others are formulas.
"""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.shapes import standardize_axis


@primitive("nn", dtype=promote.real_numeric, shape=shapes.same)
def relu(x: Tensor) -> Any:
    """Rectified linear unit: `max(x, 0)`. Integers stay integers.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


@primitive("nn", dtype=promote.real_numeric, shape=shapes.same)
def relu6(x: Tensor) -> Any:
    """Rectified linear unit that saturates at 6: `min(max(x, 0), 6)`. Integers stay integers.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def leaky_relu(x: Tensor, negative_slope: float = 0.2) -> Any:
    """`x` where positive, `negative_slope * x` elsewhere.

    Args:
        x: a tensor of any shape.
        negative_slope: slope on the negative side.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def elu(x: Tensor, alpha: float = 1.0) -> Any:
    """Exponential linear unit: `x` where positive, `alpha * (exp(x) - 1)` elsewhere.

    Args:
        x: a tensor of any shape.
        alpha: the negative of the limit on the negative side.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Clevert et al., 2015](https://arxiv.org/abs/1511.07289)
    """


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def selu(x: Tensor) -> Any:
    """Self-normalizing `elu`: `1.0507 * elu(x, alpha=1.6733)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Klambauer et al., 2017](https://arxiv.org/abs/1706.02515)
    """


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def celu(x: Tensor, alpha: float = 1.0) -> Any:
    """Continuously differentiable `elu`: `max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)`.

    Args:
        x: a tensor of any shape.
        alpha: scale of the negative side.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Barron, 2017](https://arxiv.org/abs/1704.07483)
    """
    return relu(x) + alpha * kops.expm1(kops.minimum(x, 0.0) / alpha)


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def gelu(x: Tensor, approximate: bool = True) -> Any:
    """Gaussian error linear unit: `x * P(X <= x)` for a standard normal `X`.

    Args:
        x: a tensor of any shape.
        approximate: use `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` instead of the error function.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Hendrycks and Gimpel, 2016](https://arxiv.org/abs/1606.08415)
    """


@primitive("nn", "keras.ops.swish", "keras.ops.nn.swish", dtype=promote.inexact, shape=shapes.same)
def silu(x: Tensor) -> Any:
    """Sigmoid linear unit, also called swish: `x * sigmoid(x)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("nn", dtype=promote.inexact, shape=shapes.same)
def sigmoid(x: Tensor) -> Any:
    """Logistic function: `1 / (1 + exp(-x))`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def log_sigmoid(x: Tensor) -> Any:
    """Logarithm of the logistic function, without overflow: `-softplus(-x)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return -softplus(-x)


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def hard_sigmoid(x: Tensor) -> Any:
    """Piecewise linear sigmoid: `relu6(x + 3) / 6`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return relu6(x + 3.0) * (1 / 6)


@composite("nn", "keras.ops.hard_swish", "keras.ops.nn.hard_swish", dtype=promote.real_inexact_only, shape=shapes.same)
def hard_silu(x: Tensor) -> Any:
    """Piecewise quadratic `silu`, also called hard swish: `x * relu6(x + 3) / 6`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Howard et al., 2019](https://arxiv.org/abs/1905.02244)
    """
    return x * hard_sigmoid(x)


@composite("nn", dtype=promote.real_numeric, shape=shapes.same)
def hard_tanh(x: Tensor) -> Any:
    """`x` limited to the range from -1 to 1. Integers stay integers.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return kops.clip(x, -1, 1)


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def hard_shrink(x: Tensor, threshold: float = 0.5) -> Any:
    """`x` where `|x| > threshold`, 0 elsewhere.

    Args:
        x: a tensor of any shape.
        threshold: half the width of the interval that becomes 0.

    Returns:
        A float tensor of the shape of `x`.
    """
    return kops.where(kops.abs(x) <= threshold, 0.0, x)


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def soft_shrink(x: Tensor, threshold: float = 0.5) -> Any:
    """`x` moved towards 0 by `threshold`, 0 where `|x| <= threshold`.

    Args:
        x: a tensor of any shape.
        threshold: how far to move.

    Returns:
        A float tensor of the shape of `x`.
    """
    return x - kops.clip(x, -threshold, threshold)


@composite("nn", dtype=promote.inexact, shape=shapes.same)
def tanh_shrink(x: Tensor) -> Any:
    """`x - tanh(x)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return x - kops.tanh(x)


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def softplus(x: Tensor) -> Any:
    """Smooth `relu`: `log(1 + exp(x))`, without overflow.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def softsign(x: Tensor) -> Any:
    """`x / (1 + |x|)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return x / (1.0 + kops.abs(x))


@composite("nn", dtype=promote.real(promote.wide), shape=shapes.same)
def squareplus(x: Tensor, b: float = 4) -> Any:
    """Smooth `relu` without exponentials: `(x + sqrt(x^2 + b)) / 2`.

    Args:
        x: a tensor of any shape.
        b: smoothness, at least 0; 0 gives `relu`.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Barron, 2021](https://arxiv.org/abs/2112.11687)
    """
    # For negative x the sum would cancel; multiplied by its conjugate it is b / (sqrt(x^2 + b) - x).
    total = kops.sqrt(x * x + float(b)) + kops.abs(x)
    return kops.where(x < 0.0, 0.5 * b / total, 0.5 * total)


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def sparse_plus(x: Tensor) -> Any:
    """0 up to -1, `(x + 1)^2 / 4` between -1 and 1, `x` from there.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    middle = kops.clip(x, -1.0, 1.0) + 1.0
    return relu(x - 1.0) + 0.25 * middle * middle


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def sparse_sigmoid(x: Tensor) -> Any:
    """0 up to -1, `(x + 1) / 2` between -1 and 1, 1 from there.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return (kops.clip(x, -1.0, 1.0) + 1.0) * 0.5


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.along)
def sparsemax(x: Tensor, axis: int = -1) -> Any:
    """Euclidean projection onto the probability simplex: like `softmax`, with exact zeros.

    Args:
        x: a tensor of any shape.
        axis: along which the result sums to 1.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Martins and Astudillo, 2016](https://arxiv.org/abs/1602.02068)
    """
    axis = standardize_axis(axis, len(x.shape))
    # With z sorted descending, the support has the k largest for which 1 + k z_k exceeds their sum.
    z = kops.flip(kops.sort(x, axis=axis), axis=axis)
    total = kops.cumsum(z, axis=axis)
    k = kops.cumsum(z * 0.0 + 1.0, axis=axis)
    inside = kops.cast(1.0 + k * z > total, x.dtype)
    count = kops.sum(inside, axis=axis, keepdims=True)
    threshold = (kops.sum(z * inside, axis=axis, keepdims=True) - 1.0) / count
    return relu(x - threshold)


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.along)
def softmax(x: Tensor, axis: Any = -1) -> Any:
    """`exp(x) / sum(exp(x))`, without overflow.

    Args:
        x: a tensor of any shape.
        axis: an int or several along which the result sums to 1; None for all.

    Returns:
        A float tensor of the shape of `x`.

    Example:

    >>> keras.ops.softmax(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """


@primitive("nn", dtype=promote.real_inexact_only, shape=shapes.along)
def log_softmax(x: Tensor, axis: Any = -1) -> Any:
    """Logarithm of `softmax`: `x - log(sum(exp(x)))`, without overflow or loss of precision.

    Args:
        x: a tensor of any shape.
        axis: an int or several along which the probabilities sum to 1; None for all.

    Returns:
        A float tensor of the shape of `x`.
    """


def _halved(x: Any, axis: int = -1) -> tuple[int | None, ...]:
    axis = standardize_axis(axis, len(x.shape))
    size = x.shape[axis]
    if size is not None and size % 2:
        raise ValueError(f"the dimension along axis {axis} is halved and must be even, not {size}.")
    return tuple(d if i != axis or d is None else d // 2 for i, d in enumerate(x.shape))


@composite("nn", dtype=promote.inexact, shape=_halved)
def glu(x: Tensor, axis: int = -1) -> Any:
    """Gated linear unit: the first half of `x` times the sigmoid of the second.

    Args:
        x: a tensor with an even dimension along `axis`.
        axis: along which to halve.

    Returns:
        A float tensor like `x`, with half the size along `axis`.

    Reference: [Dauphin et al., 2016](https://arxiv.org/abs/1612.08083)
    """
    values, gates = kops.split(x, 2, axis=axis)
    return values * sigmoid(gates)


@composite("nn", dtype=promote.real_inexact_only, shape=shapes.same)
def threshold(x: Tensor, threshold: float, default_value: float) -> Any:
    """`x` where it is above `threshold`, `default_value` elsewhere.

    Args:
        x: a tensor of any shape.
        threshold: the value to exceed.
        default_value: what replaces the rest.

    Returns:
        A float tensor of the shape of `x`.
    """
    return kops.where(x <= threshold, default_value, x)
