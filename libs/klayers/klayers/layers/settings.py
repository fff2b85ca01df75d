"""Constructor arguments that several layers share: stored on the layer, and brought back into its config.

The end of an argument's name says what it is: `..._initializer`, `..._regularizer`, `..._constraint`,
`activation`.
"""

from __future__ import annotations

from typing import Any

from klayers import activations, constraints, initializers, regularizers

_KINDS = {
    "initializer": initializers,
    "regularizer": regularizers,
    "constraint": constraints,
    "activation": activations,
}


def store(layer: Any, **arguments: Any) -> None:
    """Set the arguments as attributes, names and configs replaced by the objects they mean."""
    for name, value in arguments.items():
        setattr(layer, name, _KINDS[name.rpartition("_")[2]].get(value))  # type: ignore[attr-defined]


def config_of(layer: Any, *names: str) -> dict[str, Any]:
    """The attributes of these names as plain data, in this order."""
    config = {}
    for name in names:
        value = getattr(layer, name)
        kind = _KINDS.get(name.rpartition("_")[2])
        config[name] = value if kind is None else kind.serialize(value)  # type: ignore[attr-defined]
    return config


def positive_int(value: Any, name: str) -> int:
    """`value` if it is a positive integer."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError(f"{name} must be a positive integer, not {value!r}.")
    return int(value)


def choice(value: Any, name: str, allowed: tuple[str, ...]) -> str:
    """`value` in lower case if it is one of the allowed words."""
    word = value.lower() if isinstance(value, str) else value
    if word not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}.")
    return word
