"""The subscripts of einsum, read once, and the shapes that contractions give."""

from __future__ import annotations

import functools
from typing import Sequence

from kops.shapes import Shape, broadcast_shapes


@functools.lru_cache(maxsize=1024)
def parse(subscripts: str, count: int) -> tuple[tuple[tuple[str, str], ...], tuple[str, str]]:
    """`(inputs, output)`: each a pair of the letters before and after `...`; "" where there is no ellipsis.

    Letters are given once for all; an ellipsis is marked by `.` at the end of the first part.

    Raises:
        ValueError: for subscripts that say nothing sensible.
    """
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != count:
        raise ValueError(f"subscripts {subscripts!r} describe {len(inputs)} operands, but {count} were given.")
    letters = left.replace(",", "").replace("...", "")
    if not arrow:
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    for term in (*inputs, right):
        bare = term.replace("...", "", 1)
        if bare and not bare.isalpha():
            raise ValueError(f"subscripts {subscripts!r}: {term!r} holds more than letters and one ellipsis.")
    bare = right.replace("...", "")
    if len(set(bare)) != len(bare) or set(bare) - set(letters):
        raise ValueError(f"subscripts {subscripts!r}: letters of the output stand once, and in an input.")

    def pair(term: str) -> tuple[str, str]:
        before, dots, after = term.partition("...")
        return before + ("." if dots else ""), after

    return tuple(pair(t) for t in inputs), pair(right)


def einsum_shape(subscripts: str, shapes: Sequence[Shape]) -> Shape:
    """The shape of an einsum over operands of these shapes."""
    inputs, (out_before, out_after) = parse(subscripts, len(shapes))
    lengths: dict[str, int | None] = {}
    ellipsis: Shape = ()
    for (before, after), shape in zip(inputs, shapes):
        dots = before.endswith(".")
        before = before.rstrip(".")
        named = len(before) + len(after)
        if named > len(shape) or (named < len(shape) and not dots):
            raise ValueError(f"subscripts {subscripts!r} do not fit an operand of shape {tuple(shape)}.")
        middle = shape[len(before) : len(shape) - len(after)]
        ellipsis = broadcast_shapes(ellipsis, middle)
        ends = (*shape[: len(before)], *shape[len(shape) - len(after) :])
        for letter, d in zip(before + after, ends):
            have = lengths.get(letter)
            if None not in (have, d) and have != d:
                raise ValueError(f"subscripts {subscripts!r}: axis {letter!r} has lengths {have} and {d}.")
            lengths[letter] = d if have is None else have
    middle = ellipsis if out_before.endswith(".") else ()
    return (*(lengths[c] for c in out_before.rstrip(".")), *middle, *(lengths[c] for c in out_after))


def contracted(a: Shape, b: Shape, first: Sequence[int], second: Sequence[int]) -> Shape:
    """The shape left after summing products over pairs of axes."""
    for i, j in zip(first, second):
        if None not in (a[i], b[j]) and a[i] != b[j]:
            raise ValueError(
                f"shapes {a} and {b}: axis {i} of the first has length {a[i]}, axis {j} of the second {b[j]}; "
                "they are summed together and must be equal."
            )
    return (*(d for i, d in enumerate(a) if i not in first), *(d for j, d in enumerate(b) if j not in second))
