"""What the schemes of all modes and layers share."""

from __future__ import annotations

import inspect
from typing import Any

import kops
from klayers import dtype_policies
from klayers.context import context
from kquant.configs import QuantizationConfig, default_config
from kquant.quantizers import AbsMaxQuantizer


class Scheme:
    """One per layer; see `kspec.protocols.QuantizationScheme`."""

    mode: str
    # Whether `call` adds an update by LoRA. Such a scheme has `encode(layer, kernel)`, arrays of the quantized
    # variables by name, and `decode(layer)`, the kernel as floats: a file gets the sum, quantized again.
    takes_lora = False

    def call(self, layer: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    @staticmethod
    def adapted(layer: Any, x: Any, product: Any) -> Any:
        """`x`, plus `product(update)` when the layer has an update by LoRA."""
        lora = layer._lora
        return x if lora is None else kops.add(x, product(lora.update()))

    @staticmethod
    def adapted_rows(layer: Any, rows: Any, indices: Any) -> Any:
        """As `adapted`, for rows of a table."""
        lora = layer._lora
        return rows if lora is None else kops.add(rows, kops.cast(lora.update_rows(indices), layer.compute_dtype))

    # Variables

    def exchange(self, layer: Any, old: str, make: Any) -> None:
        """Take the float variable `old` from the layer, let `make(layer)` add the quantized ones in its place."""
        self.adopt_policy(layer)
        self.forget(layer, old)
        make(layer)

    @staticmethod
    def fill(layer: Any, values: dict[str, Any]) -> None:
        """Assign arrays to the layer's variables of these names."""
        for name, value in values.items():
            getattr(layer, name).assign(value)

    def adopt_policy(self, layer: Any) -> None:
        """Give the layer the quantized policy that stands in files."""
        if layer.quantization_mode is None:
            source = layer.dtype_policy.name
            layer._dtype_policy = dtype_policies.get(f"{self.policy_mode(layer)}_from_{source}")

    @staticmethod
    def forget(layer: Any, name: str) -> None:
        """Take a variable from the layer."""
        variable = getattr(layer, name)
        # `list.remove` would compare values: == of variables is an op.
        layer._own_variables[:] = [v for v in layer._own_variables if v is not variable]
        delattr(layer, name)

    def policy_mode(self, layer: Any) -> str:
        """The mode as it stands in the name of the dtype policy."""
        return self.mode

    def config(self, layer: Any) -> Any:
        """The layer's config; a layer made from a policy alone has none, and gets what the mode means."""
        found = getattr(layer, "quantization_config", None)
        return default_config(self.mode) if found is None else found

    # Quantizers

    def weight_quantizer(self, layer: Any, axis: Any) -> Any:
        """`kernel -> (integers, scale)` as NumPy arrays, one scale per slice along `axis`."""
        return QuantizationConfig.weight_quantizer_or_default(self.config(layer), AbsMaxQuantizer(axis=axis))

    def quantize_weight(self, layer: Any, value: Any, axis: Any) -> tuple[Any, Any]:
        quantizer = self.weight_quantizer(layer, axis)
        known = inspect.signature(quantizer.__call__).parameters
        extra = {"to_numpy": True} if "to_numpy" in known else {}
        return quantizer(value, **extra)

    def input_quantizer(self, layer: Any) -> Any:
        """`(x, axis) -> (integers, scale)`, or None when inputs stay floats."""
        quantizer = QuantizationConfig.activation_quantizer_or_default(self.config(layer), AbsMaxQuantizer())
        if quantizer is None or "axis" in inspect.signature(quantizer.__call__).parameters:
            return quantizer
        return lambda x, axis: quantizer(x)

    # Training through a quantized layer

    @staticmethod
    def differentiable(result: Any, in_floats: Any) -> Any:
        """`result` with the gradient of `in_floats()`: rounding has none of its own.

        The straight-through estimator of Bengio et al., "Estimating or propagating gradients through stochastic
        neurons for conditional computation", 2013. Costs a second product, and only in training.
        """
        if not context.training:
            return result
        floats = in_floats()
        return kops.add(floats, kops.stop_gradient(kops.subtract(result, floats)))
