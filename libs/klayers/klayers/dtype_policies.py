"""In which dtype a layer keeps its variables and in which it computes."""

from __future__ import annotations

import functools
from typing import Any

from kops import dtypes
from kops.config import settings
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.variable import Variable
from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public

_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


class _Default:
    """The policy of layers that name none; None follows `floatx`."""

    policy: DTypePolicy | None = None


@public(
    "keras.DTypePolicy",
    "keras.dtype_policies.DTypePolicy",
    "keras.mixed_precision.DTypePolicy",
    "keras.mixed_precision.Policy",
)
class DTypePolicy:
    """A dtype for computations and one for variables.

    Policies never change after they are made, so layers share them.

    Args:
        name: a dtype name, which means both dtypes; or "mixed_float16" or "mixed_bfloat16", which compute in
            16 bits on float32 variables. None is the default policy.

    Raises:
        ValueError: for any other name.

    Example:
        >>> DTypePolicy("mixed_bfloat16").compute_dtype
        'bfloat16'

    Source: Micikevicius et al., "Mixed precision training", 2018.
    """

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = dtype_policy().source_name
        if not isinstance(name, str):
            raise TypeError(f"The name of a dtype policy is a string such as 'mixed_float16', not {name!r}.")
        self._name = name
        self._compute_dtype, self._variable_dtype = _dtypes_of(name)

    @property
    def name(self) -> str:
        """The name from which `get` makes the same policy."""
        return self._name

    @property
    def source_name(self) -> str:
        """The name of the policy without quantization."""
        return self._name

    @property
    def compute_dtype(self) -> str:
        """The dtype to which float inputs are cast, and as which variables read during a call."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype in which variables are kept."""
        return self._variable_dtype

    @property
    def quantization_mode(self) -> str | None:
        """How the layer is quantized, or None."""
        return None

    def convert_input(self, x: Any, autocast: bool, dtype: Any) -> Any:
        """Cast an input of a call to the compute dtype, as a layer does.

        Args:
            x: a tensor, or anything else, which is returned as it is.
            autocast: whether to cast at all; only float tensors are.
            dtype: the dtype wanted.
        """
        wanted = dtypes.standardize_dtype(dtype)
        if isinstance(x, KerasTensor):
            if autocast and x.dtype != wanted and dtypes.is_float_dtype(x.dtype):
                return KerasTensor(x.shape, dtype=wanted, sparse=x.sparse, ragged=x.ragged)
            return x
        if isinstance(x, Variable):
            x = x.value
        e = engine()
        if not e.is_tensor(x):
            if not hasattr(x, "__array__"):
                return x
            x = e.convert(x, None)
        have = e.dtype_name(x)
        if autocast and have != wanted and dtypes.is_float_dtype(have):
            return e.cast(x, wanted)
        return x

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"name": self._name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A policy from what `get_config` returned."""
        return cls(**config)

    def __eq__(self, other: Any) -> bool:
        # FloatDTypePolicy is another name for the same thing.
        return isinstance(other, DTypePolicy) and self.get_config() == other.get_config()

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f'<{type(self).__name__} "{self.name}">'


@public("keras.FloatDTypePolicy", "keras.dtype_policies.FloatDTypePolicy")
class FloatDTypePolicy(DTypePolicy):
    """A `DTypePolicy` without quantization; the older name, still found in files."""


@functools.cache
def _dtypes_of(name: str) -> tuple[str, str]:
    if name in _MIXED:
        return _MIXED[name], "float32"
    try:
        dtype = dtypes.standardize_dtype(name)
    except ValueError:
        raise ValueError(
            f"Unknown dtype policy {name!r}. Use a dtype name ({', '.join(dtypes.FLOATS)}, ...), "
            "'mixed_float16' or 'mixed_bfloat16', or for a quantized layer a name as 'int8_from_float32'."
        ) from None
    return dtype, dtype


@functools.cache
def _plain(name: str) -> DTypePolicy:
    return DTypePolicy(name)


@public("keras.config.dtype_policy", "keras.mixed_precision.dtype_policy", "keras.mixed_precision.global_policy")
def dtype_policy() -> DTypePolicy:
    """The policy of layers that name none: that of `set_dtype_policy`, else `floatx`."""
    return _Default.policy or _plain(settings.floatx)


@public(
    "keras.config.set_dtype_policy", "keras.mixed_precision.set_dtype_policy", "keras.mixed_precision.set_global_policy"
)
def set_dtype_policy(policy: Any) -> None:
    """Set the policy of layers that name none and are made from now on.

    Args:
        policy: a policy, its name or its config; None goes back to `floatx`.

    Example:
        >>> set_dtype_policy("mixed_bfloat16")
    """
    _Default.policy = None if policy is None else get(policy)


@public("keras.dtype_policies.get")
def get(identifier: Any) -> DTypePolicy:
    """A policy from its name, its config, a dtype, or itself; None is the default policy.

    Args:
        identifier: for example "float32", "mixed_float16", "int8_from_float32", "gptq/4/128_from_float32".

    Raises:
        ValueError: when it means none.
    """
    if identifier is None:
        return dtype_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return _by_name(identifier)
    if not isinstance(identifier, (bool, int, float, list, tuple)):
        try:
            return _plain(dtypes.standardize_dtype(identifier))
        except ValueError:
            pass
    raise ValueError(f"A dtype policy is named by a string, a DTypePolicy, its config, or a dtype, not {identifier!r}.")


@functools.cache
def _by_name(name: str) -> DTypePolicy:
    if "_from_" in name:
        from klayers.quantized_policies import from_name

        return from_name(name)
    if name.split("/")[0] in ("int8", "int4", "float8", "gptq", "awq") and name not in dtypes.ALL:
        raise ValueError(_needs_source(name))
    if name in ("int8", "int4"):
        raise ValueError(_needs_source(name))
    return _plain(name)


def _needs_source(mode: str) -> str:
    return (
        f"{mode!r} alone is not a dtype policy of a layer: say what is quantized, as '{mode}_from_float32'. "
        f"For variables of that dtype use DTypePolicy({mode!r})."
    )


@public("keras.dtype_policies.serialize")
def serialize(dtype_policy: DTypePolicy) -> dict[str, Any]:
    """A policy as plain data."""
    return serialize_keras_object(dtype_policy)


@public("keras.dtype_policies.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A policy from plain data. Policies of the classes here are shared, not made anew."""
    if isinstance(config, dict) and config.get("class_name") == "DTypePolicy" and not custom_objects:
        settings_of = config.get("config")
        name = settings_of.get("name") if isinstance(settings_of, dict) else None
        if isinstance(name, str) and config.get("module") == "keras":
            return _plain(name)
    return deserialize_keras_object(config, custom_objects=custom_objects, namespaces=("keras.dtype_policies", "keras"))
