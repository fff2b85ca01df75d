"""Dense: the fully connected layer."""

from __future__ import annotations

from typing import Any

from klayers import activations, constraints, initializers, regularizers
from klayers.adapters import Adaptable, AdaptedWeight
from klayers.input_spec import InputSpec
from klayers.layer_quantization import dump_config, load_config
from kops import add
from kops.ops.linalg import matmul
from kspec import public


@public("keras.layers.Dense")
class Dense(Adaptable):
    """`activation(inputs @ kernel + bias)`.

    Args:
        units: size of the output's last axis.
        activation: name or callable; None is linear.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: of the variables.
        kernel_regularizer, bias_regularizer: penalties on the variables.
        activity_regularizer: penalty on the output.
        kernel_constraint, bias_constraint: applied to the variables after each training step.
        lora_rank: if given, `enable_lora(lora_rank, lora_alpha)` is called when the layer has been built.
        lora_alpha: scale of the low-rank update; default the rank.
        quantization_config: how to quantize, see kquant.

    Input shape `(..., input_dim)`, output shape `(..., units)`.

    Example:
        >>> Dense(3)(np.ones((2, 4))).shape
        (2, 3)
    """

    kernel = AdaptedWeight()

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if not isinstance(units, int) or isinstance(units, bool) or units <= 0:
            raise ValueError(f"units is a positive integer, not {units!r}.")
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self._expect_lora(lora_rank, lora_alpha)
        self.quantization_config = load_config(quantization_config)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        input_dim = input_shape[-1]
        if input_dim is None:
            raise ValueError(f"Dense needs to know the last dimension of its input, but got shape {input_shape}.")
        if self.quantization_mode:
            self.quantized_build((input_dim, self.units), self.quantization_mode)
        else:
            self.kernel = self.add_weight(
                name="kernel",
                shape=(input_dim, self.units),
                initializer=self.kernel_initializer,
                regularizer=self.kernel_regularizer,
                constraint=self.kernel_constraint,
            )
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: input_dim})

    def quantized_build(self, kernel_shape: Any, mode: str, config: Any = None) -> None:
        """Make the variables of a quantized Dense whose float kernel would have this shape."""
        if config is not None:
            self.quantization_config = config
        super().quantized_build(kernel_shape, mode)

    def call(self, inputs: Any, training: Any = None) -> Any:
        x = matmul(inputs, self.kernel)
        if self.bias is not None:
            x = add(x, self.bias)
        return x if self.activation is None else self.activation(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], self.units)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
            "quantization_config": dump_config(self.quantization_config),
        }
