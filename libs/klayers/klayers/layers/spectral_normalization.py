"""SpectralNormalization: keeps the largest singular value of a kernel at one."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.settings import positive_int
from klayers.layers.wrapper import Wrapper
from kspec import public


@public("keras.layers.SpectralNormalization")
class SpectralNormalization(Wrapper):
    """Divides the kernel of a layer by an estimate of its largest singular value at every training step.

    The estimate comes from power iterations, which go on from step to step.

    Args:
        layer: a layer with a `kernel` or `embeddings`.
        power_iterations: iterations at each step.

    Example:
        >>> SpectralNormalization(Conv2D(8, 3))

    Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.
    """

    def __init__(self, layer: Any, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.power_iterations = positive_int(power_iterations, "power_iterations")

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        self.input_spec = InputSpec(shape=(None, *input_shape[1:]))
        kernel = getattr(self.layer, "kernel", None)
        if kernel is None:
            kernel = getattr(self.layer, "embeddings", None)
        if kernel is None:
            raise ValueError(
                f"SpectralNormalization wraps a layer with a kernel or embeddings; {type(self.layer).__name__} "
                "has neither."
            )
        self.kernel = kernel
        self.vector_u = self.add_weight(
            name="vector_u", shape=(1, kernel.shape[-1]), initializer="truncated_normal", trainable=False
        )

    def call(self, inputs: Any, training: bool = False) -> Any:
        if training:
            self._normalize()
        return self.layer(inputs)

    def _normalize(self) -> None:
        matrix = kops.reshape(self.kernel, (-1, self.kernel.shape[-1]))
        frozen = kops.stop_gradient(matrix)
        u = self.vector_u.value
        for _ in range(self.power_iterations):
            v = _unit(kops.matmul(u, kops.transpose(frozen)))
            u = _unit(kops.matmul(v, frozen))
        u, v = kops.stop_gradient(u), kops.stop_gradient(v)
        sigma = kops.matmul(kops.matmul(v, matrix), kops.transpose(u))
        self.vector_u.assign(u)
        self.kernel.assign(kops.reshape(kops.divide(matrix, sigma), self.kernel.shape))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.layer.compute_output_shape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "power_iterations": self.power_iterations}


def _unit(x: Any) -> Any:
    return kops.divide(x, kops.sqrt(kops.maximum(kops.sum(kops.square(x)), 1e-12)))
