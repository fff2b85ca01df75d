"""Tables of kernels: op name -> kernel."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

Kernel = Callable[..., Any]

# Ops whose formula is one other op, or a conversion: nothing to gain from a compiled form of their own.
_NAMES = "cast append dot inner fabs flipud fliplr empty_like bitwise_invert bitwise_left_shift bitwise_right_shift"
ALIASES = frozenset(_NAMES.split())


def merge_tables(package: str, families: str) -> dict[str, Kernel]:
    """The union of the `TABLE`s of an engine's modules; an op stands in one family only.

    Args:
        package: an engine, `kops.backends.jax`.
        families: its modules, with spaces between their names.
    """
    merged: dict[str, Kernel] = {}
    for family in families.split():
        table = import_module(f"{package}.{family}").TABLE
        twice = merged.keys() & table.keys()
        if twice:
            raise ValueError(f"{package}.{family} binds ops that are bound already: {', '.join(sorted(twice))}.")
        merged.update(table)
    return merged


def kernels(*functions: Kernel, around: Callable[[Kernel], Kernel] | None = None) -> dict[str, Kernel]:
    """Part of a table: functions that have the ops' own names, after an underscore or not.

    Args:
        around: what makes a kernel of each function; None where they are kernels.
    """
    named = {function.__name__.lstrip("_"): function for function in functions}
    return {name: around(function) for name, function in named.items()} if around else named


def native(module: Any, ops: str, around: Callable[[Kernel], Kernel] | None = None) -> dict[str, Kernel]:
    """Part of a table: functions of the engine itself.

    Args:
        module: where the engine has them.
        ops: names with spaces between them; `op=function` where the function has a name of its own.
        around: what makes a kernel of each function; None where they are kernels.
    """
    table: dict[str, Kernel] = {}
    for entry in ops.split():
        name, _, other = entry.partition("=")
        function = getattr(module, other or name)
        table[name] = around(function) if around else function
    return table
