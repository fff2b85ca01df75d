"""BatchNormalization, with batch renormalization."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.settings import config_of, store
from kops.config import settings
from kspec import public

_HALF = ("float16", "bfloat16")


@public("keras.layers.BatchNormalization")
class BatchNormalization(Layer):
    """Brings every channel to mean zero and variance one, then scales it by `gamma` and shifts it by `beta`.

    In training mean and variance are those of the batch, and moving averages of them are kept; otherwise
    these averages are used. A layer with `trainable=False` always uses the averages and never changes them.

    Args:
        axis: the axis of channels.
        momentum: how much of the moving averages stays in a step.
        epsilon: added to the variance.
        center, scale: whether there is a `beta`, a `gamma`.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: first
            values.
        beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint: of the trained weights.
        renorm: correct the batch's statistics towards long averages of their own (batch renormalization).
        renorm_clipping: bounds of the correction: "rmax", "rmin" of its factor, "dmax" of its shift.
        renorm_momentum: momentum of the averages that the correction uses.
        synchronized: take the statistics over all replicas.

    Call arguments:
        inputs: tensor of any shape.
        training: whether the batch's own statistics are used.
        mask: booleans `(batch, ...)`; positions with False do not count in the statistics.

    Sources: Ioffe and Szegedy, "Batch normalization", 2015; Ioffe, "Batch renormalization", 2017.
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: dict[str, float] | None = None,
        renorm_momentum: float = 0.99,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if isinstance(axis, (list, tuple)) and len(axis) == 1:  # as Keras 2 wrote it
            axis = axis[0]
        if not isinstance(axis, int):
            raise TypeError(f"axis must be one integer, the axis of channels, not {axis!r}.")
        self.axis = axis
        self.momentum = float(momentum)
        self.epsilon = float(epsilon)
        self.center = center
        self.scale = scale
        store(
            self,
            beta_initializer=beta_initializer,
            gamma_initializer=gamma_initializer,
            moving_mean_initializer=moving_mean_initializer,
            moving_variance_initializer=moving_variance_initializer,
            beta_regularizer=beta_regularizer,
            gamma_regularizer=gamma_regularizer,
            beta_constraint=beta_constraint,
            gamma_constraint=gamma_constraint,
        )
        self.renorm = renorm
        self.renorm_clipping = _checked_clipping(renorm_clipping) if renorm else renorm_clipping
        self.renorm_momentum = float(renorm_momentum)
        self.synchronized = synchronized
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        ndim = len(input_shape)
        if not -ndim <= self.axis < ndim:
            raise ValueError(
                f"BatchNormalization over axis {self.axis} does not fit an input of shape {tuple(input_shape)}."
            )
        size = input_shape[self.axis]
        if size is None:
            raise ValueError(
                f"BatchNormalization needs to know the size of axis {self.axis}; the input shape is "
                f"{tuple(input_shape)}."
            )
        # Statistics and their parameters stay in full precision whatever the compute dtype.
        if self.scale:
            self.gamma = self._trained("gamma", size)
        if self.center:
            self.beta = self._trained("beta", size)
        self.moving_mean = self._kept("moving_mean", size, self.moving_mean_initializer)
        self.moving_variance = self._kept("moving_variance", size, self.moving_variance_initializer)
        if self.renorm:
            variance = self.moving_variance_initializer

            def deviation(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
                return kops.sqrt(variance(shape, dtype=dtype))

            self.moving_stddev = self._kept("moving_stddev", size, deviation)
            self.renorm_mean = self._kept("renorm_mean", size, self.moving_mean_initializer)
            self.renorm_stddev = self._kept("renorm_stddev", size, deviation)
        axis = self.axis % ndim
        self.input_spec = InputSpec(ndim=ndim, axes={axis: size})
        self._reduced = tuple(i for i in range(ndim) if i != axis)

    def _trained(self, name: str, size: int) -> Any:
        return self.add_weight(
            name=name,
            shape=(size,),
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            autocast=False,
        )

    def _kept(self, name: str, size: int, initializer: Any) -> Any:
        return self.add_weight(name=name, shape=(size,), initializer=initializer, trainable=False, autocast=False)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        dtype = self.compute_dtype
        x = kops.cast(inputs, "float32") if dtype in _HALF else inputs  # sums of halves overflow
        if not (training and self.trainable):
            y = kops.batch_normalization(
                x, self.moving_mean, self.moving_variance, self.axis, self.beta, self.gamma, self.epsilon
            )
        else:
            mean, variance = self._moments(x, mask)
            kept_mean, kept_variance = kops.stop_gradient(mean), kops.stop_gradient(variance)
            if self.renorm:
                y = self._renormalized(x, mean, variance, kept_mean, kept_variance)
            else:
                y = kops.batch_normalization(x, mean, variance, self.axis, self.beta, self.gamma, self.epsilon)
                _move(self.moving_variance, kept_variance, self.momentum)
            _move(self.moving_mean, kept_mean, self.momentum)
        return kops.cast(y, dtype) if dtype in _HALF else y

    def _moments(self, x: Any, mask: Any) -> Any:
        if mask is None:
            return kops.moments(x, axes=self._reduced, synchronized=self.synchronized)
        if len(mask.shape) > len(x.shape):
            raise ValueError(f"A mask of shape {tuple(mask.shape)} does not fit inputs of shape {tuple(x.shape)}.")
        weight = kops.cast(mask, x.dtype)
        missing = len(x.shape) - len(mask.shape)
        if missing:
            weight = kops.expand_dims(weight, tuple(range(-missing, 0)))
        weight = kops.ones_like(x) * weight
        count = kops.sum(weight, axis=self._reduced) + settings.epsilon
        mean = kops.sum(x * weight, axis=self._reduced) / count
        away = x - self._spread(mean, len(x.shape))
        return mean, kops.sum(kops.square(away) * weight, axis=self._reduced) / count

    def _spread(self, statistic: Any, ndim: int) -> Any:
        shape = [1] * ndim
        shape[self.axis] = -1
        return kops.reshape(statistic, tuple(shape))

    def _renormalized(self, x: Any, mean: Any, variance: Any, kept_mean: Any, kept_variance: Any) -> Any:
        deviation = kops.sqrt(kept_variance + self.epsilon)
        factor = deviation / self.renorm_stddev
        shift = (kept_mean - self.renorm_mean) / self.renorm_stddev
        bounds = self.renorm_clipping or {}
        if bounds.get("rmin") is not None:
            factor = kops.maximum(factor, bounds["rmin"])
        if bounds.get("rmax") is not None:
            factor = kops.minimum(factor, bounds["rmax"])
        if bounds.get("dmax") is not None:
            shift = kops.clip(shift, -bounds["dmax"], bounds["dmax"])
        # ((x - mean) / deviation * factor + shift) * gamma + beta, as one normalization with other parameters
        gamma = factor if self.gamma is None else factor * self.gamma
        beta = shift if self.gamma is None else shift * self.gamma
        beta = beta if self.beta is None else beta + self.beta
        y = kops.batch_normalization(x, mean, variance, self.axis, beta, gamma, self.epsilon)
        _move(self.renorm_mean, kept_mean, self.renorm_momentum)
        _move(self.renorm_stddev, deviation, self.renorm_momentum)
        _move(self.moving_stddev, deviation, self.momentum)
        self.moving_variance.assign(kops.maximum(kops.square(self.moving_stddev) - self.epsilon, 0.0))
        return y

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "axis",
                "momentum",
                "epsilon",
                "center",
                "scale",
                "beta_initializer",
                "gamma_initializer",
                "moving_mean_initializer",
                "moving_variance_initializer",
                "beta_regularizer",
                "gamma_regularizer",
                "beta_constraint",
                "gamma_constraint",
                "synchronized",
                "renorm",
                "renorm_clipping",
                "renorm_momentum",
            ),
        }


def _move(average: Any, value: Any, momentum: float) -> None:
    average.assign(average * momentum + value * (1.0 - momentum))


def _checked_clipping(bounds: Any) -> Any:
    strange = set(bounds or ()) - {"rmax", "rmin", "dmax"}
    if strange:
        raise ValueError(f"renorm_clipping has the keys rmax, rmin and dmax, not {', '.join(sorted(strange))}.")
    if bounds:
        low, high, shift = (bounds.get(key) for key in ("rmin", "rmax", "dmax"))
        if low is not None and high is not None and low > high:
            raise ValueError(f"rmin must not be larger than rmax in renorm_clipping, got {bounds}.")
        if shift is not None and shift < 0:
            raise ValueError(f"dmax must not be negative in renorm_clipping, got {bounds}.")
    return bounds
