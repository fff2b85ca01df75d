"""Python's operators, in terms of ops, for the classes that are not native tensors."""

from __future__ import annotations

import importlib
from typing import Any

_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "mod",
    "pow": "power",
    "matmul": "matmul",
    "and": "logical_and",
    "or": "logical_or",
    "xor": "logical_xor",
}
_COMPARE = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}
_UNARY = {"neg": "negative", "abs": "absolute", "invert": "logical_not"}


def _op(name: str) -> Any:
    # Late: ops are declared in terms of the classes that get these operators.
    return getattr(importlib.import_module("kops"), name)


def _method(op: str, reverse: bool = False) -> Any:
    def forward(self: Any, other: Any) -> Any:
        return _op(op)(self, other)

    def backward(self: Any, other: Any) -> Any:
        return _op(op)(other, self)

    return backward if reverse else forward


class Operators:
    """Mixin: `x + 1`, `2 ** x`, `x @ y`, `x[..., 0]`, `-x`, `x < y`, `round(x)`, ..."""

    def __getitem__(self, key: Any) -> Any:
        return _op("get_item")(self, key)

    def __iter__(self) -> Any:
        # Without it Python would ask for items 0, 1, 2, ... until one is refused, which may never happen.
        shape = self.shape  # type: ignore[attr-defined]
        if not shape or shape[0] is None:
            raise TypeError(f"{type(self).__name__} of shape {tuple(shape)} cannot be iterated over.")
        return (self[i] for i in range(shape[0]))

    def __round__(self, ndigits: int | None = None) -> Any:
        return _op("round")(self, decimals=ndigits or 0)


for _name, _target in _BINARY.items():
    setattr(Operators, f"__{_name}__", _method(_target))
    setattr(Operators, f"__r{_name}__", _method(_target, reverse=True))
for _name, _target in _COMPARE.items():
    setattr(Operators, f"__{_name}__", _method(_target))
for _name, _target in _UNARY.items():
    setattr(Operators, f"__{_name}__", lambda self, _target=_target: _op(_target)(self))
# Comparison is elementwise; identity still makes them usable in sets and as keys.
Operators.__hash__ = object.__hash__  # type: ignore[method-assign]
