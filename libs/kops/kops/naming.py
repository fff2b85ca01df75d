"""Automatic names (`dense`, `dense_1`, ...) and the two spellings of a class's name."""

from __future__ import annotations

import re
from collections import Counter

from kspec import public

_used: Counter[str] = Counter()


def to_snake_case(name: str) -> str:
    """`"MaxPooling2D"` -> `"max_pooling2d"`."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def auto_name(prefix: str) -> str:
    """A name not used before in this session: `prefix`, then `prefix_1`, `prefix_2`, ..."""
    prefix = to_snake_case(prefix)
    count = _used[prefix]
    _used[prefix] += 1
    return prefix if count == 0 else f"{prefix}_{count}"


@public("keras.backend.get_uid")
def get_uid(prefix: str = "") -> int:
    """The next number for a prefix, starting with 1."""
    _used[prefix] += 1
    return _used[prefix]


def reset_uids() -> None:
    """Start counting anew; part of `clear_session`."""
    _used.clear()
