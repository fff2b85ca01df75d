"""Rearrangement of axes by names."""

from __future__ import annotations

import functools
from typing import Any

import kops
from kops import promote
from kops.declare import Operand, Tensor, composite
from kops.engine import compiling
from kops.shapes import product


def _side(text: str) -> tuple[tuple[str, ...], ...]:
    """One side of a pattern: for each axis the names that are folded into it; `1` is an axis without name."""
    groups: list[tuple[str, ...]] = []
    inside: list[str] | None = None
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(" and inside is None:
            inside = []
        elif token == ")" and inside is not None:
            groups.append(tuple(inside))
            inside = None
        elif token == "1" or token == "..." or token.isidentifier():
            names = () if token == "1" else (token,)
            if inside is None:
                groups.append(names)
            else:
                inside.extend(names)
        else:
            raise ValueError(f"pattern {text!r}: {token!r} is neither a name nor a well-placed parenthesis.")
    if inside is not None:
        raise ValueError(f"pattern {text!r}: a parenthesis is not closed.")
    return tuple(groups)


def _sides(pattern: str, ndim: int) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    left_text, arrow, right_text = pattern.partition("->")
    if not arrow:
        raise ValueError(f"pattern {pattern!r} needs '->' between the axes before and after.")
    left, right = list(_side(left_text)), list(_side(right_text))
    if ("...",) in left:
        at = left.index(("...",))
        spread = [(f"...{i}",) for i in range(ndim - len(left) + 1)]
        left[at : at + 1] = spread
        flat = [name for (name,) in spread]
        right = [g for group in right for g in (spread if group == ("...",) else [_spread(group, flat)])]
    if len(left) != ndim:
        raise ValueError(f"pattern {pattern!r} describes {len(left)} axes, but the tensor has {ndim}.")
    names = [n for g in left for n in g]
    if len(set(names)) != len(names) or sorted(names) != sorted(n for g in right for n in g):
        raise ValueError(f"pattern {pattern!r}: each name stands once on either side.")
    return left, right


def _spread(group: tuple[str, ...], names: list[str]) -> tuple[str, ...]:
    return tuple(n for name in group for n in (names if name == "..." else [name]))


def _inferring(sizes: list[Any]) -> tuple[Any, ...]:
    """The sizes for `reshape`, which infers a lone unknown one, unless there may be no elements."""
    unknown = [i for i, d in enumerate(sizes) if not isinstance(d, int)]
    return tuple(-1 if [i] == unknown and 0 not in sizes[:i] + sizes[i + 1 :] else d for i, d in enumerate(sizes))


def _steps(pattern: str, sizes: tuple[Any, ...], given: tuple[tuple[str, Any], ...]) -> tuple[Any, Any, Any]:
    """The shape of the elementary axes, their order, and the shape of the result; None for what changes nothing."""
    left, right = _sides(pattern, len(sizes))
    lengths: dict[str, Any] = dict(given)
    for group, size in zip(left, sizes):
        open_names = [n for n in group if n not in lengths]
        known = product([lengths.get(n, 1) for n in group])
        if len(open_names) > 1:
            raise ValueError(f"the lengths of {', '.join(open_names[1:])} in pattern {pattern!r} must be given.")
        if open_names:
            if isinstance(size, int) and (known == 0 or size % known):
                raise ValueError(f"an axis of length {size} does not split into parts of {known} ({pattern!r}).")
            lengths[open_names[0]] = None if size is None else size if known == 1 else size // known
        elif isinstance(size, int) and size != known:
            raise ValueError(f"an axis of length {size} is not {known} long, as {pattern!r} wants.")
    elementary = [n for g in left for n in g]
    unused = {name for name, _ in given} - set(elementary)
    if unused:
        raise ValueError(f"pattern {pattern!r} has no axis {', '.join(sorted(unused))}.")
    order = tuple(elementary.index(n) for g in right for n in g)
    split, folded = [lengths[n] for n in elementary], [product(lengths[n] for n in g) for g in right]
    return (
        _inferring(split) if any(len(g) != 1 for g in left) else None,
        order if order != tuple(range(len(order))) else None,
        _inferring(folded) if any(len(g) != 1 for g in right) else None,
    )


_remembered_steps = functools.lru_cache(maxsize=1024)(_steps)


@composite("keras.ops.rearrange", dtype=promote.first)
def rearrange(tensor: Tensor, pattern: Operand, **axes_lengths: Any) -> Any:
    """Axes split, ordered and folded together as a pattern of names says (einops notation).

    Args:
        tensor: the tensor.
        pattern: names of the axes before and after `->`; names in parentheses are folded into one axis; `1` is an
            axis of length 1; `...` stands for the axes not named.
        **axes_lengths: lengths of names that the shape does not tell.

    Example:
        >>> rearrange(ones((2, 6, 3)), "b (h w) c -> b h w c", h=2).shape
        (2, 2, 3, 3)
    """
    sizes = tuple(kops.shape(tensor))
    lengths = tuple(axes_lengths.items())
    known = all(isinstance(d, int) for d in (*sizes, *axes_lengths.values())) and not compiling()
    split, order, folded = (_remembered_steps if known else _steps)(str(pattern), sizes, lengths)
    if split is not None:
        tensor = kops.reshape(tensor, split)
    if order is not None:
        tensor = kops.transpose(tensor, order)
    return tensor if folded is None else kops.reshape(tensor, folded)
