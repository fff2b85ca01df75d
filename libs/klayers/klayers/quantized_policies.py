"""Dtype policies of quantized layers. How a mode computes is kquant's business."""

from __future__ import annotations

from typing import Any

from klayers import dtype_policies
from klayers.dtype_policies import DTypePolicy
from kspec import public

MODES = ("int8", "float8", "int4", "gptq", "awq")


@public("keras.dtype_policies.QuantizedDTypePolicy")
class QuantizedDTypePolicy(DTypePolicy):
    """The policy of a layer whose kernel is quantized.

    Args:
        mode: "int8", "int4" or "float8"; the subclasses have modes with settings in them.
        source_name: name of the policy before quantization; None is the default policy.

    Raises:
        ValueError: for an unknown mode, and for int8 with float16 computations, which overflow.

    Example:
        >>> QuantizedDTypePolicy("int8", "mixed_bfloat16").name
        'int8_from_mixed_bfloat16'
    """

    def __init__(self, mode: str, source_name: str | None = None) -> None:
        if source_name is None:
            source_name = dtype_policies.dtype_policy().source_name
        super().__init__(source_name)
        self._source_name = source_name
        self._written_mode = mode
        self._name = f"{mode}_from_{source_name}"
        self._quantization_mode = self._parse(mode)
        if self._quantization_mode == "int8" and self._compute_dtype == "float16":
            raise ValueError(
                f"int8 quantization does not go with float16 computations (source {source_name!r}): sums of "
                "int8 products overflow float16. Use float32 or bfloat16 as the source."
            )

    def _parse(self, mode: str) -> str:
        if mode not in MODES:
            raise ValueError(f"Unknown quantization mode {mode!r}. Choose one of: {', '.join(MODES)}.")
        return mode

    @property
    def source_name(self) -> str:
        return self._source_name

    @property
    def quantization_mode(self) -> str:
        return self._quantization_mode

    def get_config(self) -> dict[str, Any]:
        return {"mode": self._written_mode, "source_name": self._source_name}


@public("keras.dtype_policies.QuantizedFloat8DTypePolicy")
class QuantizedFloat8DTypePolicy(QuantizedDTypePolicy):
    """The policy of a layer that trains with float8 matrix products.

    Args:
        mode: "float8".
        source_name: name of the policy before quantization; None is the default policy.
        amax_history_length: how many of the latest largest values decide the scale.

    Source: Micikevicius et al., "FP8 formats for deep learning", 2022.
    """

    default_amax_history_length = 1024

    def __init__(self, mode: str, source_name: str | None = None, amax_history_length: int = 1024) -> None:
        super().__init__(mode, source_name)
        if not isinstance(amax_history_length, int) or amax_history_length < 1:
            raise ValueError(f"amax_history_length must be a positive integer, not {amax_history_length!r}.")
        self._amax_history_length = amax_history_length

    @property
    def amax_history_length(self) -> int:
        """How many of the latest largest values decide the scale."""
        return self._amax_history_length

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "amax_history_length": self._amax_history_length}


def _numbers(mode: str, kind: str, *fields: str) -> list[int]:
    parts = mode.split("/")
    form = "/".join([kind, *(f"<{field}>" for field in fields)])
    try:
        numbers = [int(part) for part in parts[1:]]
    except ValueError:
        numbers = []
    if parts[0] != kind or len(numbers) != len(fields):
        raise ValueError(f"The mode must have the form {form!r} with whole numbers, not {mode!r}.")
    return numbers


def _check_size(size: int, field: str, mode: str) -> int:
    if size != -1 and size < 1:
        raise ValueError(f"{field} must be positive, or -1 for one scale per channel, not {size} (in {mode!r}).")
    return size


def _check_bits(bits: int, allowed: tuple[int, ...], mode: str) -> int:
    if bits not in allowed:
        words = ", ".join(map(str, allowed))
        raise ValueError(f"weight_bits must be one of {words}, not {bits} (in {mode!r}).")
    return bits


@public("keras.dtype_policies.GPTQDTypePolicy")
class GPTQDTypePolicy(QuantizedDTypePolicy):
    """The policy of a layer whose kernel was quantized by GPTQ.

    Args:
        mode: "gptq/<weight_bits>/<group_size>" with 2, 3, 4 or 8 bits, as "gptq/4/128"; group size -1 is one
            group per column.
        source_name: name of the policy before quantization; None is the default policy.

    Source: Frantar et al., "GPTQ: accurate post-training quantization for generative pre-trained
    transformers", 2023.
    """

    def _parse(self, mode: str) -> str:
        bits, group = _numbers(mode, "gptq", "weight_bits", "group_size")
        self.mode = "gptq"
        self.weight_bits = _check_bits(bits, (2, 3, 4, 8), mode)
        self.group_size = _check_size(group, "group_size", mode)
        return self.mode


@public("keras.dtype_policies.AWQDTypePolicy")
class AWQDTypePolicy(QuantizedDTypePolicy):
    """The policy of a layer whose kernel was quantized by AWQ.

    Args:
        mode: "awq/4/<group_size>", as "awq/4/128"; group size -1 is one group per column.
        source_name: name of the policy before quantization; None is the default policy.

    Source: Lin et al., "AWQ: activation-aware weight quantization for LLM compression and acceleration",
    2024.
    """

    def _parse(self, mode: str) -> str:
        bits, group = _numbers(mode, "awq", "weight_bits", "group_size")
        self.mode = "awq"
        self.weight_bits = _check_bits(bits, (4,), mode)
        self.group_size = _check_size(group, "group_size", mode)
        return self.mode


@public("keras.dtype_policies.Int4DTypePolicy")
class Int4DTypePolicy(QuantizedDTypePolicy):
    """The policy of a layer whose kernel has int4 values with one scale per block.

    Args:
        mode: "int4/<block_size>", as "int4/128"; block size -1 is one scale per channel.
        source_name: name of the policy before quantization; None is the default policy.
    """

    def _parse(self, mode: str) -> str:
        (block,) = _numbers(mode, "int4", "block_size")
        self.mode = "int4"
        self.block_size = _check_size(block, "block_size", mode)
        return self.mode


def from_name(name: str) -> QuantizedDTypePolicy:
    """The policy with a name such as "int8_from_float32" or "gptq/4/128_from_float32"."""
    mode, _, source = name.partition("_from_")
    kind = mode.split("/")[0]
    if kind == "gptq":
        return GPTQDTypePolicy(mode, source)
    if kind == "awq":
        return AWQDTypePolicy(mode, source)
    if kind == "float8":
        return QuantizedFloat8DTypePolicy(mode, source)
    if kind == "int4" and mode != kind:
        return Int4DTypePolicy(mode, source)
    return QuantizedDTypePolicy(mode, source)
