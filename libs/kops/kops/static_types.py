"""Static arguments are of the type that the declaration says: one rule and one wording for every op and engine."""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np

_ARTICLES = {"bool": "a bool", "int": "an int", "float": "a number", "str": "a string"}
_NUMBERS = (int, float, np.number, np.bool_)


def annotated(annotation: Any) -> str:
    """An annotation as text, `X` or `X | None`."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return re.sub(r"^Optional\[(\w+)\]$|^(\w+) ?\| ?None$", r"\1\2 | None", text.strip())


def wanted_type(annotation: Any) -> str | None:
    """`"int"`, `"float | None"`, ... for an annotation that can be checked."""
    text = annotated(annotation)
    return text if text.partition(" | ")[0] in _ARTICLES else None


def _is(kind: str, x: Any) -> bool:
    if kind == "str":
        return isinstance(x, str)
    if kind == "int":
        return hasattr(x, "__index__")
    return isinstance(x, _NUMBERS) if kind == "float" else isinstance(x, (bool, int, np.bool_))


def exact(x: Any) -> Any:
    """A static argument as a key: to Python 1, 1.0 and True are one, to rules and compilers they are not."""
    if type(x) is tuple:
        return tuple(map(exact, x))
    return x if type(x) is int else (type(x), x)


def frozen(x: Any) -> Any:
    """A static argument with tuples for its lists and dictionaries."""
    if isinstance(x, (list, tuple)):
        return tuple(map(frozen, x))
    return tuple(sorted((k, frozen(v)) for k, v in x.items())) if isinstance(x, dict) else x


def check_static_types(parameters: Sequence[Any], args: Sequence[Any]) -> None:
    """Raise TypeError for the first static argument of a wrong type, or None in place of a tensor.

    A tensor passes: it is a number that is known at run time.
    """
    for p, x in zip(parameters, args):
        if x is None and p.kind == "tensor" and p.default is p.EMPTY:
            raise TypeError(f"{p.name} is a tensor, not None.")
        if p.wants is None or x is p.default or hasattr(x, "shape") and p.wants != "str":
            continue
        kind, _, optional = p.wants.partition(" | ")
        if not (x is None and optional) and not _is(kind, x) and type(x).__name__ not in _SYMBOLIC:
            raise TypeError(f"{p.name} is {_ARTICLES[kind]}{' or None' * bool(optional)}, not {x!r}.")


_SYMBOLIC = ("SymInt", "SymFloat", "SymBool")  # numbers with a name, of torch.export
