"""float8 Dense and EinsumDense: training whose products see 8-bit floats."""

from __future__ import annotations

from typing import Any

import kops
from klayers.context import context
from kquant.float8 import LARGEST, compute_float8_amax_history, compute_float8_scale, quantize_and_dequantize
from kquant.schemes.scheme import Scheme
from kspec import plugin

# More digits for values, more range for gradients.
FORWARD, BACKWARD = "float8_e4m3fn", "float8_e5m2"


def _moved(x: Any, scale: Any, history: Any, dtype: str) -> tuple[Any, Any]:
    """The scale and the history for the next step. The scale of a step comes from the steps before it."""
    new_scale = compute_float8_scale(kops.max(history), scale, LARGEST[dtype])
    return new_scale, compute_float8_amax_history(x, history)


class Float8Scheme(Scheme):
    """Inputs, kernel and the gradient of the output are rounded to float8, each with a scale of its own.

    Scales and histories are variables whose "gradient" is their next value (`overwrite_with_gradient`): so any
    training loop moves them on. The kernel stays in the variable dtype.

    Source: Micikevicius et al., "FP8 formats for deep learning", 2022 (delayed scaling).
    """

    mode = "float8"
    TENSORS = ("inputs", "kernel", "outputs_grad")

    def build(self, layer: Any, kernel_shape: Any) -> None:
        layer.kernel = layer.add_weight(
            name="kernel",
            shape=kernel_shape,
            initializer=layer.kernel_initializer,
            regularizer=layer.kernel_regularizer,
            constraint=layer.kernel_constraint,
        )
        self._add_scales(layer)

    def quantize(self, layer: Any) -> None:
        self.adopt_policy(layer)
        self._add_scales(layer)

    def _add_scales(self, layer: Any) -> None:
        length = getattr(layer._policy_here, "amax_history_length", 1024)
        for what in self.TENSORS:
            for name, shape, first in (("scale", (), "ones"), ("amax_history", (length,), "zeros")):
                variable = layer.add_weight(
                    name=f"{what}_{name}",
                    shape=shape,
                    dtype="float32",
                    initializer=first,
                    autocast=False,
                    overwrite_with_gradient=True,
                )
                setattr(layer, f"{what}_{name}", variable)

    def file_variables(self, layer: Any) -> list[Any]:
        """In the order of files: kernel, bias, then scale and history of each tensor."""
        bias = [] if layer.bias is None else [layer.bias]
        scales = [getattr(layer, f"{what}_{name}") for what in self.TENSORS for name in ("scale", "amax_history")]
        return [layer.kernel, *bias, *scales]

    def _rounded(self, layer: Any, what: str, x: Any, training: bool) -> Any:
        scale, history = getattr(layer, f"{what}_scale"), getattr(layer, f"{what}_amax_history")
        dtype = layer.compute_dtype
        if not training:
            return quantize_and_dequantize(x, scale, FORWARD, dtype)

        @kops.custom_gradient
        def run(x: Any, scale: Any, history: Any) -> Any:
            moved = _moved(x, scale, history, FORWARD)
            return quantize_and_dequantize(x, scale, FORWARD, dtype), lambda upstream: (upstream, *moved)

        return run(x, scale, history)

    def _round_gradient(self, layer: Any, x: Any) -> Any:
        dtype = layer.compute_dtype

        @kops.custom_gradient
        def run(x: Any, scale: Any, history: Any) -> Any:
            def grad(upstream: Any) -> Any:
                moved = _moved(upstream, scale, history, BACKWARD)
                return quantize_and_dequantize(upstream, scale, BACKWARD, dtype), *moved

            return x, grad

        return run(x, layer.outputs_grad_scale, layer.outputs_grad_amax_history)

    @staticmethod
    def _bias(layer: Any) -> Any:
        # XLA fuses a float8 product with a bias of 16 bits only; Keras rounds it everywhere, and so results agree.
        if layer.compute_dtype != "float32":
            return layer.bias
        return kops.cast(kops.cast(layer.bias, "bfloat16"), "float32")

    def product(self, layer: Any, inputs: Any, kernel: Any) -> Any:
        """The layer's product."""
        raise NotImplementedError

    def call(self, layer: Any, inputs: Any, training: Any = None) -> Any:
        training = bool(context.training if training is None else training)
        inputs = self._rounded(layer, "inputs", inputs, training)
        kernel = self._rounded(layer, "kernel", layer.kernel, training)
        x = self.product(layer, inputs, kernel)
        if training:
            x = self._round_gradient(layer, x)
        if layer.bias is not None:
            x = kops.add(x, self._bias(layer))
        return x if layer.activation is None else layer.activation(x)


@plugin("quantization", "float8.Dense")
class Float8Dense(Float8Scheme):
    """float8 Dense."""

    def product(self, layer: Any, inputs: Any, kernel: Any) -> Any:
        return kops.matmul(inputs, kernel)


@plugin("quantization", "float8.EinsumDense")
class Float8EinsumDense(Float8Scheme):
    """float8 EinsumDense."""

    def product(self, layer: Any, inputs: Any, kernel: Any) -> Any:
        return kops.einsum(layer.equation, inputs, kernel)
