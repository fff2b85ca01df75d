"""Quantization of a layer: the schemes are plug-ins of a library above."""

from __future__ import annotations

from typing import Any

import ksave
from kspec import find_plugin


def load_config(value: Any) -> Any:
    """A layer's `quantization_config` argument as an object."""
    return None if value is None else find_plugin("quantization", "config")(value)


def dump_config(config: Any) -> Any:
    """A layer's `quantization_config` as plain data."""
    return None if config is None else ksave.serialize_keras_object(config)


class LayerQuantization:
    """Mixin of `Layer`."""

    _scheme: Any

    @property
    def quantization_mode(self) -> str | None:
        """The mode of a quantized layer ("int8", ...), or None."""
        return self._policy_here.quantization_mode

    def _find_scheme(self, mode: str, type_check: bool = True) -> Any:
        cls = type(self)
        if not type_check:
            # A subclass is taken for the nearest of our classes above it.
            cls = next((c for c in cls.__mro__ if "__public_names__" in vars(c)), cls)
        return find_plugin("quantization", f"{mode}.{cls.__name__}")()

    def quantize(self, mode: Any = None, type_check: bool = True, config: Any = None) -> None:
        """Replace the layer's kernel by a quantized one.

        Args:
            mode: "int8", "int4", "float8", "gptq" or "awq".
            type_check: whether subclasses of the supported layer are refused.
            config: a quantization config instead of a mode.

        Raises:
            ValueError: when the layer is not built or is quantized already, or the arguments contradict each other.
        """
        if not self.built:
            raise ValueError(f"Cannot quantize {self.name!r} before it is built. Call it on data first.")
        if self._scheme is not None:
            raise ValueError(f"{self.name!r} is already quantized ({self.dtype_policy.name}).")
        if mode is None and config is None:
            raise ValueError("Give a mode, as 'int8', or a config.")
        if mode is not None and config is not None and mode != config.mode:
            raise ValueError(f"mode={mode!r} contradicts the config, whose mode is {config.mode!r}.")
        scheme = self._find_scheme(mode or config.mode, type_check)
        before = getattr(self, "quantization_config", None)
        self.quantization_config = config or before or find_plugin("quantization", "default")(mode)
        self._locked = False
        try:
            scheme.quantize(self)
        except Exception:
            self.quantization_config = before
            raise
        finally:
            self._locked = True
        self._scheme = scheme
        self._decide_needs()

    def quantized_build(self, input_shape: Any, mode: str) -> None:
        """Make the variables of a quantized layer; here `input_shape` is the shape that the kernel would have."""
        self._scheme = self._find_scheme(mode)
        self._scheme.build(self, input_shape)

    def quantized_call(self, *args: Any, **kwargs: Any) -> Any:
        """The computation on the quantized variables."""
        return self._scheme.call(self, *args, **kwargs)
