"""Quantization configs: how a layer's weights and inputs are quantized, as an argument and as part of files."""

from __future__ import annotations

from typing import Any

import ksave
from kquant import quantizers
from kquant.quantizers import AbsMaxQuantizer
from kspec import plugin, public

DEFAULT = "default"


@public("keras.quantizers.QuantizationConfig")
class QuantizationConfig:
    """The base of quantization configs; the subclasses each have a mode.

    Args:
        weight_quantizer: quantizer of the weights; None is the mode's own.
        activation_quantizer: quantizer of a layer's inputs; None leaves them in floats.
    """

    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = None) -> None:
        self.weight_quantizer = quantizers.get(weight_quantizer)
        self.activation_quantizer = quantizers.get(activation_quantizer)

    @property
    def mode(self) -> str:
        """The mode of quantization, as "int8"."""
        raise NotImplementedError(
            f"{type(self).__name__} has no mode. Use a subclass, as Int8QuantizationConfig, or define `mode`."
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "weight_quantizer": ksave.serialize_keras_object(self.weight_quantizer),
            "activation_quantizer": ksave.serialize_keras_object(self.activation_quantizer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A config from what `get_config` returned."""
        return cls(**config)

    @staticmethod
    def weight_quantizer_or_default(config: Any, default: Any) -> Any:
        """The weight quantizer of `config`, or `default` when there is no config or it names none."""
        return default if config is None or config.weight_quantizer is None else config.weight_quantizer

    @staticmethod
    def activation_quantizer_or_default(config: Any, default: Any) -> Any:
        """The activation quantizer of `config`, which may be None; `default` when there is no config."""
        return default if config is None else config.activation_quantizer

    def _demand_dtype(self) -> None:
        for what in ("weight_quantizer", "activation_quantizer"):
            dtype = getattr(getattr(self, what), "output_dtype", "int8")
            if dtype != "int8":
                raise ValueError(f"{type(self).__name__} needs a {what} with output_dtype='int8', not {dtype!r}.")


@public("keras.quantizers.Int8QuantizationConfig")
class Int8QuantizationConfig(QuantizationConfig):
    """Weights, and by default inputs too, as 8-bit integers.

    Args:
        weight_quantizer: quantizer of the weights; None is `AbsMaxQuantizer` with one scale per output.
        activation_quantizer: quantizer of the inputs; the default is `AbsMaxQuantizer` with one scale per input
            vector. None keeps inputs in floats: smaller, more exact, and not faster.

    Example:
        >>> model.quantize(config=Int8QuantizationConfig(activation_quantizer=None))
    """

    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = DEFAULT) -> None:
        if isinstance(activation_quantizer, str) and activation_quantizer == DEFAULT:
            activation_quantizer = AbsMaxQuantizer()
        super().__init__(weight_quantizer, activation_quantizer)
        self._demand_dtype()

    @property
    def mode(self) -> str:
        return "int8"


@public("keras.quantizers.Int4QuantizationConfig")
class Int4QuantizationConfig(QuantizationConfig):
    """Weights as 4-bit integers, two in a byte.

    Args:
        weight_quantizer: quantizer of the weights, with `value_range=(-8, 7)`; only without blocks.
        activation_quantizer: quantizer of the inputs, to int8; only without blocks. The default is none.
        block_size: how many rows of the kernel share a scale and a zero point; None or -1 is all of them, with a scale
            and no zero point.

    Raises:
        ValueError: for another `block_size`, or quantizers together with blocks.

    Example:
        >>> model.quantize(config=Int4QuantizationConfig(block_size=64))
    """

    def __init__(
        self, weight_quantizer: Any = None, activation_quantizer: Any = DEFAULT, block_size: int | None = 128
    ) -> None:
        if isinstance(activation_quantizer, str) and activation_quantizer == DEFAULT:
            activation_quantizer = None
        super().__init__(weight_quantizer, activation_quantizer)
        self._demand_dtype()
        if block_size is not None and block_size != -1 and block_size < 1:
            raise ValueError(f"block_size must be positive, or None or -1 for no blocks, not {block_size!r}.")
        blocks = block_size is not None and block_size > 0
        if blocks and (weight_quantizer is not None or activation_quantizer is not None):
            raise ValueError(
                f"Quantizers do not go with blocks (block_size={block_size}): pass block_size=None or leave them out."
            )
        self.block_size = block_size

    @property
    def mode(self) -> str:
        return "int4"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "block_size": self.block_size}


@public("keras.quantizers.Float8QuantizationConfig")
class Float8QuantizationConfig(QuantizationConfig):
    """Training with products of float8 numbers; there is nothing to choose.

    Example:
        >>> model.quantize(config=Float8QuantizationConfig())
        >>> model.fit(x, y)
    """

    def __init__(self) -> None:
        super().__init__()

    @property
    def mode(self) -> str:
        return "float8"

    def get_config(self) -> dict[str, Any]:
        return {}


_DEFAULTS = {"int8": Int8QuantizationConfig, "int4": Int4QuantizationConfig, "float8": Float8QuantizationConfig}


@plugin("quantization", "default")
def default_config(mode: str) -> Any:
    """The config that a mode alone means."""
    return _DEFAULTS[mode]()


@plugin("quantization", "config")
def config_of(value: Any) -> Any:
    """A layer's `quantization_config` argument as an object: configs of files become the objects they describe."""
    if isinstance(value, dict):
        value = quantizers.deserialize(value)
    if value is None or isinstance(value, QuantizationConfig):
        return value
    raise TypeError(
        f"quantization_config is a QuantizationConfig (such as keras.quantizers.Int8QuantizationConfig()), its "
        f"config, or None, not {value!r}."
    )
