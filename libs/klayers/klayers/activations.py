"""Activation functions: what may stand as `activation=` of a layer, by name or as a function."""

from __future__ import annotations

import difflib
from typing import Any

import kops
from ksave import deserialize_keras_object, get_registered_name, serialize_keras_object
from kspec import public, public_name


@public("keras.activations.linear")
def linear(x: Any) -> Any:
    """`x`."""
    return x


@public("keras.activations.relu")
def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """Rectified linear unit: `max(x, 0)`, and three generalizations of it.

    Args:
        x: tensor of any shape.
        negative_slope: slope below `threshold`: there the result is `negative_slope * (x - threshold)`.
        max_value: largest result; None is no bound.
        threshold: the result is `x` from here on.

    Returns:
        A tensor of the same shape.

    Example:
        >>> relu(keras.ops.array([-1.0, 2.0, 9.0]), max_value=6)
        [0., 2., 6.]

    Source: Nair and Hinton, "Rectified linear units improve restricted Boltzmann machines", 2010.
    """
    if not negative_slope and max_value is None and not threshold:
        return kops.relu(x)
    if not threshold:
        if max_value == 6 and not negative_slope:
            return kops.relu6(x)
        y = kops.leaky_relu(x, negative_slope) if negative_slope else kops.relu(x)
    elif negative_slope:
        below = kops.multiply(kops.subtract(x, threshold), negative_slope)
        y = kops.where(kops.greater_equal(x, threshold), x, below)
    else:
        y = kops.where(kops.greater_equal(x, threshold), x, kops.zeros_like(x))
    return y if max_value is None else kops.minimum(y, max_value)


@public("keras.activations.leaky_relu")
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """`x` for positive `x`, else `negative_slope * x`.

    Source: Maas et al., "Rectifier nonlinearities improve neural network acoustic models", 2013.
    """
    return kops.leaky_relu(x, negative_slope)


@public("keras.activations.relu6")
def relu6(x: Any) -> Any:
    """`min(max(x, 0), 6)`."""
    return kops.relu6(x)


@public("keras.activations.softmax")
def softmax(x: Any, axis: Any = -1) -> Any:
    """`exp(x) / sum(exp(x))` over an axis or axes: probabilities that sum to one."""
    return kops.softmax(x, axis)


@public("keras.activations.log_softmax")
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """The logarithm of `softmax`, computed without overflow."""
    return kops.log_softmax(x, axis)


@public("keras.activations.elu")
def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` for positive `x`, else `alpha * (exp(x) - 1)`.

    Source: Clevert et al., "Fast and accurate deep network learning by exponential linear units", 2016.
    """
    return kops.elu(x, alpha)


@public("keras.activations.celu")
def celu(x: Any, alpha: float = 1.0) -> Any:
    """`max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))`.

    Source: Barron, "Continuously differentiable exponential linear units", 2017.
    """
    return kops.celu(x, alpha)


@public("keras.activations.selu")
def selu(x: Any) -> Any:
    """Scaled exponential linear unit; with "lecun_normal" kernels it keeps mean zero and variance one.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.
    """
    return kops.selu(x)


@public("keras.activations.softplus")
def softplus(x: Any) -> Any:
    """`log(exp(x) + 1)`."""
    return kops.softplus(x)


@public("keras.activations.softsign")
def softsign(x: Any) -> Any:
    """`x / (|x| + 1)`."""
    return kops.softsign(x)


@public("keras.activations.soft_shrink")
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` moved towards zero by `threshold`, and zero within."""
    return kops.soft_shrink(x, threshold)


@public("keras.activations.sparse_plus")
def sparse_plus(x: Any) -> Any:
    """0 up to -1, `(x + 1) ** 2 / 4` up to 1, then `x`."""
    return kops.sparse_plus(x)


@public("keras.activations.silu", "keras.activations.swish")
def silu(x: Any) -> Any:
    """`x * sigmoid(x)`, also called swish.

    Source: Ramachandran et al., "Searching for activation functions", 2017.
    """
    return kops.silu(x)


@public("keras.activations.squareplus")
def squareplus(x: Any, b: float = 4) -> Any:
    """`(x + sqrt(x ** 2 + b)) / 2`.

    Source: Barron, "Squareplus: a softplus-like algebraic rectifier", 2021.
    """
    return kops.squareplus(x, b)


@public("keras.activations.gelu")
def gelu(x: Any, approximate: bool = False) -> Any:
    """`x` times the standard normal distribution function of `x`.

    Args:
        approximate: use the formula with tanh in its place.

    Source: Hendrycks and Gimpel, "Gaussian error linear units", 2016.
    """
    return kops.gelu(x, approximate)


@public("keras.activations.tanh")
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return kops.tanh(x)


@public("keras.activations.tanh_shrink")
def tanh_shrink(x: Any) -> Any:
    """`x - tanh(x)`."""
    return kops.tanh_shrink(x)


@public("keras.activations.hard_tanh")
def hard_tanh(x: Any) -> Any:
    """`x` clipped to [-1, 1]."""
    return kops.hard_tanh(x)


@public("keras.activations.hard_shrink")
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` where `|x| > threshold`, else zero."""
    return kops.hard_shrink(x, threshold)


@public("keras.activations.threshold")
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """`x` where `x > threshold`, else `default_value`."""
    return kops.threshold(x, threshold, default_value)


@public("keras.activations.sigmoid")
def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`."""
    return kops.sigmoid(x)


@public("keras.activations.sparse_sigmoid")
def sparse_sigmoid(x: Any) -> Any:
    """`(x + 1) / 2` clipped to [0, 1]."""
    return kops.sparse_sigmoid(x)


@public("keras.activations.exponential")
def exponential(x: Any) -> Any:
    """`exp(x)`."""
    return kops.exp(x)


@public("keras.activations.hard_sigmoid")
def hard_sigmoid(x: Any) -> Any:
    """`x / 6 + 1 / 2` clipped to [0, 1]."""
    return kops.hard_sigmoid(x)


@public("keras.activations.log_sigmoid")
def log_sigmoid(x: Any) -> Any:
    """The logarithm of `sigmoid`, computed without underflow."""
    return kops.log_sigmoid(x)


@public("keras.activations.hard_silu", "keras.activations.hard_swish")
def hard_silu(x: Any) -> Any:
    """`x * hard_sigmoid(x)`, also called hard swish.

    Source: Howard et al., "Searching for MobileNetV3", 2019.
    """
    return kops.hard_silu(x)


@public("keras.activations.mish")
def mish(x: Any) -> Any:
    """`x * tanh(softplus(x))`.

    Source: Misra, "Mish: a self regularized non-monotonic activation function", 2019.
    """
    return kops.multiply(x, kops.tanh(kops.softplus(x)))


@public("keras.activations.glu")
def glu(x: Any, axis: int = -1) -> Any:
    """Gated linear unit: the first half along `axis` times the sigmoid of the second half.

    Source: Dauphin et al., "Language modeling with gated convolutional networks", 2017.
    """
    return kops.glu(x, axis)


@public("keras.activations.sparsemax")
def sparsemax(x: Any, axis: int = -1) -> Any:
    """The nearest point of the probability simplex: like softmax, but small entries become exactly zero.

    Source: Martins and Astudillo, "From softmax to sparsemax", 2016.
    """
    return kops.sparsemax(x, axis)


_ALL = (
    linear, relu, leaky_relu, relu6, softmax, log_softmax, elu, celu, selu, softplus, softsign, soft_shrink,
    sparse_plus, silu, squareplus, gelu, tanh, tanh_shrink, hard_tanh, hard_shrink, threshold, sigmoid,
    sparse_sigmoid, exponential, hard_sigmoid, log_sigmoid, hard_silu, mish, glu, sparsemax,
)  # fmt: skip


def hard_sigmoid_of_keras_2(x: Any) -> Any:
    """`0.2 x + 1 / 2` clipped to [0, 1]: what files of Keras 1 and 2 mean by hard_sigmoid."""
    return kops.clip(0.2 * x + 0.5, 0.0, 1.0)


_BY_NAME = {
    **{f.__name__: f for f in (*_ALL, hard_sigmoid_of_keras_2)}, "swish": silu, "hard_swish": hard_silu,
}  # fmt: skip


@public("keras.activations.serialize")
def serialize(activation: Any) -> Any:
    """An activation as plain data: the name of one of these functions (or of the op of the same name), else a
    record.

    Raises:
        TypeError: when it is not an activation at all.
    """
    if activation is None or not callable(activation):
        raise TypeError(f"An activation is a function or a layer, not {activation!r}.")
    name = getattr(activation, "__name__", None)
    if name in _BY_NAME and get_registered_name(activation) == name and _is_ours(activation):
        return name
    return serialize_keras_object(activation)


def _is_ours(activation: Any) -> bool:
    name = public_name(activation) or ""
    return name.startswith(("keras.activations.", "keras.ops.")) or activation is hard_sigmoid_of_keras_2


@public("keras.activations.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """An activation from plain data."""
    found = deserialize_keras_object(
        config, custom_objects=custom_objects, module_objects=_BY_NAME, namespaces=("keras.layers",)
    )
    return _named(found) if isinstance(found, str) else found


def _named(name: str) -> Any:
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = difflib.get_close_matches(name, _BY_NAME, n=3)
    hint = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
    raise ValueError(
        f"{name!r} is not an activation. {hint}Names are: {', '.join(sorted(_BY_NAME))}. Any function of a "
        "tensor or a layer may be given too; one that a file names must be registered with "
        "keras.saving.register_keras_serializable."
    )


@public("keras.activations.get")
def get(identifier: Any) -> Any:
    """An activation from its name, config, or itself; None is `linear`.

    Raises:
        ValueError: for an unknown name, with the nearest ones.

    Example:
        >>> get("relu")(keras.ops.array([-1.0, 2.0]))
        [0., 2.]
    """
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        identifier = deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(
        f"An activation is a name such as 'relu', a function, a layer, a config or None, not {identifier!r}."
    )
