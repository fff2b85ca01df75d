"""The state of optimizers of Keras 2, whose variables have other names and another order."""

from __future__ import annotations

import re
from typing import Any

# What Keras 2 called the slots of its optimizers, and what Keras 3 calls them.
_SLOTS = {
    "m": ("momentum",),
    "v": ("velocity", "norm"),
    "vhat": ("velocity_hat",),
    "u": ("norm",),
    "momentum": ("momentum",),
    "rms": ("velocity",),
    "velocity": ("velocity",),
    "mg": ("average_gradient",),
    "average_gradient": ("average_gradient",),
    "accumulator": ("accumulator",),
    "accum_grad": ("accumulated_grad",),
    "accumulated_grad": ("accumulated_grad",),
    "accum_var": ("accumulated_delta_var",),
    "accumulated_delta_var": ("accumulated_delta_var",),
    "linear": ("linear",),
}
_ITERATION = re.compile(r"(^|/)iter(ation|ations)?:0$")


def in_file_order(variables: list[Any], names: list[str]) -> list[Any]:
    """The variables of an optimizer in the order in which a file has their values.

    Keras 2 wrote `Adam/m/dense/kernel:0` or, in its older optimizers, `Adam/dense/kernel/m:0`, some of them all
    first moments before all second ones, and no learning rate. Within one slot the order is that of the model's
    variables, as it is today.

    Args:
        variables: of the optimizer, as Keras 3 orders and names them: `adam/dense_kernel_momentum`.
        names: of the values in the file.

    Returns:
        One variable for each name; all variables in their own order when the names are not those of Keras 2.
    """
    if not names or not all(name.endswith(":0") for name in names):
        return variables
    left = list(variables)
    found = []
    for name in names:
        index = _first(left, _endings(name))
        if index is None:
            return variables
        found.append(left.pop(index))
    return found


def by_slots(variables: list[Any], values: list[Any]) -> tuple[list[Any], list[Any]]:
    """Variables and values of an optimizer of Keras before 2.4, which numbered them: `training/Adam/variable_1`.

    It wrote the iteration, if it had one, then slot after slot, each in the order of the model's variables. What was
    kept of slots that are not in use has the shape (1,).

    Args:
        variables: of the optimizer.
        values: of the file, with shapes.

    Returns:
        What belongs together; both as given when it does not fit.
    """
    kept = list(values)
    while kept and tuple(kept[-1].shape) == (1,) != tuple(variables[-1].shape):
        kept.pop()
    slots: dict[str, list[Any]] = {}
    for variable in variables:
        path = getattr(variable, "path", None) or variable.name
        for ending in dict.fromkeys(ending for endings in _SLOTS.values() for ending in endings):
            if path.endswith(f"_{ending}"):
                slots.setdefault(ending, []).append(variable)
                break
    found = [variable for slot in slots.values() for variable in slot]
    if kept and tuple(kept[0].shape) == ():
        found.insert(0, variables[0])
    fits = [tuple(v.shape) for v in found] == [tuple(value.shape) for value in kept]
    return (found, kept) if fits else (variables, values)


def _endings(name: str) -> tuple[str, ...]:
    if _ITERATION.search(name):
        return ("/iteration",)
    if name.endswith("momentum_cache:0"):
        return ("/product",)
    parts = name[: -len(":0")].split("/")
    slot = parts[1] if len(parts) > 3 and parts[1] in _SLOTS else parts[-1]
    return tuple(f"_{new}" for new in _SLOTS.get(slot, ()))


def _first(variables: list[Any], endings: tuple[str, ...]) -> int | None:
    """Where the first variable stands whose path ends so."""
    for ending in endings:
        for index, variable in enumerate(variables):
            if (getattr(variable, "path", None) or variable.name).endswith(ending):
                return index
    return None
