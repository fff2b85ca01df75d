"""Batches of different samples, and what mapping a function over them must give."""

from __future__ import annotations

from typing import Any, Callable

from kops import tree


def twice(arrays: list[Any]) -> tuple[list[Any], list[Any]]:
    """The sample and a multiple of it: what was sorted, positive or definite stays so. Ints and bools as they are."""
    return list(arrays), [_more(x) for x in arrays]


def _more(x: Any) -> Any:
    kind = str(x.dtype).split(".")[-1]
    if not kind.startswith(("float", "bfloat", "complex")):
        return x
    return (x * 1.125).astype(x.dtype) if hasattr(x, "astype") else x * 1.125


def flat(value: Any) -> list[Any]:
    return [x for x in tree.flatten(value) if hasattr(x, "dtype")]


def mapped(function: Callable[..., Any], samples: Any, stack: Callable[..., Any]) -> list[Any]:
    """The outputs of a plain loop, one on another."""
    rows = [flat(function(*sample)) for sample in samples]
    return [stack(pair) for pair in zip(*rows)]
