"""`@public` and `@plugin`: the only places where a public name or a plug-in name is said.

Both only leave a mark on the object. `tools/api_gen.py` reads the decorators from the source text
(it imports nothing) and writes each library's `_public.py`, which `kspec.resolver` reads.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar

T = TypeVar("T")

_MARK = "__public_names__"


def public(*names: str) -> Callable[[T], T]:
    """Give an object its public names, the canonical one (which files carry) first.

    Args:
        *names: dotted names that start with `keras.`, as `"keras.layers.Dense"`.

    Example:
        >>> @public("keras.layers.Twice")
        ... class Twice: ...
        >>> public_name(Twice)
        'keras.layers.Twice'
    """
    if not names:
        raise ValueError("public() needs at least one dotted name, e.g. 'keras.layers.Dense'.")
    for name in names:
        if not name.startswith("keras."):
            raise ValueError(f"A public name starts with 'keras.', not {name!r}.")

    def mark(obj: T) -> T:
        setattr(obj, _MARK, names)
        return obj

    return mark


def public_names(obj: Any) -> tuple[str, ...]:
    """All public names of `obj`, canonical first; empty when it is not public.

    A subclass does not inherit its parent's names: it is another object.
    """
    if isinstance(obj, type):
        return vars(obj).get(_MARK, ())
    return getattr(obj, _MARK, ()) if hasattr(obj, "__name__") else ()


def public_name(obj: Any) -> str | None:
    """The canonical public name of `obj`, or None."""
    names = public_names(obj)
    return names[0] if names else None


def plugin(kind: str, *names: str) -> Callable[[T], T]:
    """Offer an object to the libraries below as the plug-in `names` of `kind`.

    Args:
        kind: the protocol's short name, as `"quantization"` or `"export"`.
        *names: what users ask for, as `"int8"` or `"onnx"`.
    """
    if not names:
        raise ValueError(f"plugin({kind!r}) needs at least one name.")
    return lambda obj: obj
