"""JSON from a file one does not trust: bounded in size and depth, no key twice."""

from __future__ import annotations

import json
import re
from typing import Any

from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError

# Strings are skipped whole, so brackets inside them do not count.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def _depth(text: bytes) -> int:
    depth = deepest = 0
    for token in _TOKENS.finditer(text):
        first = text[token.start()]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in b"]}":
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise UnsafeFileError(f"The key {twice!r} stands twice in one JSON object; readers would disagree.")
    return result


def loads(text: bytes | str, name: str = "JSON", limits: Limits = DEFAULT) -> Any:
    """Parse JSON, refusing documents that are too large, too deep or ambiguous.

    Args:
        text: UTF-8 bytes or a string.
        name: what the document is called in errors.
        limits: the bounds.

    Raises:
        UnsafeFileError: a bound is exceeded or a key stands twice in an object.
        CorruptFileError: the text is not JSON.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(data) > limits.json_bytes:
        raise UnsafeFileError(f"{name} has {len(data)} bytes; at most {limits.json_bytes} are read.")
    depth = _depth(data)
    if depth > limits.json_depth:
        raise UnsafeFileError(f"{name} is nested {depth} deep; at most {limits.json_depth} is read.")
    try:
        return json.loads(data, object_pairs_hook=_unique)
    except UnsafeFileError:
        raise
    except ValueError as error:  # also UnicodeDecodeError
        raise CorruptFileError(f"{name} is not valid JSON: {error}") from error
