"""Quantization of a layer: the schemes are plug-ins of a library above."""

from __future__ import annotations

from typing import Any

from kspec import find_plugin


class LayerQuantization:
    """Mixin of `Layer`."""

    @property
    def quantization_mode(self) -> str | None:
        """The mode of a quantized layer ("int8", ...), or None."""
        return self._policy_here.quantization_mode

    def _find_scheme(self, mode: str) -> Any:
        return find_plugin("quantization", f"{mode}.{type(self).__name__}")()

    def quantize(self, mode: Any = None, type_check: bool = True, config: Any = None) -> None:
        """Replace the layer's kernel by a quantized one.

        Args:
            mode: "int8", "int4", "float8", "gptq" or "awq".
            type_check: whether subclasses of the supported layer are refused.
            config: a quantization config instead of a mode.
        """
        if not self.built:
            raise ValueError(f"Cannot quantize {self.name!r} before it is built. Call it on data first.")
        scheme = self._find_scheme(mode if config is None else config.mode)
        self._locked = False
        scheme.quantize(self)
        self._scheme = scheme
        self._locked = True
        self._decide_needs()

    def quantized_build(self, input_shape: Any, mode: str) -> None:
        """Make the variables that a quantized layer of this input shape has."""
        self._scheme = self._find_scheme(mode)
        self._scheme.build(self, input_shape)

    def quantized_call(self, *args: Any, **kwargs: Any) -> Any:
        return self._scheme.call(self, *args, **kwargs)
