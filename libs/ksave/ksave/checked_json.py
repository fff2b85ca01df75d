"""JSON from a file one does not trust: bounded in size, depth and number of values, no key twice."""

from __future__ import annotations

import json
import re
from typing import Any

from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError

# After escapes are gone a string ends at the next quote, so these run in linear time whatever the text is.
_STRINGS = re.compile(rb'"[^"]*"?')
_BRACKETS = re.compile(rb"[\[\]{}]")
_LONG_NUMBER = re.compile(rb"(?<![0-9])[0-9]{1001}")


def _check_structure(data: bytes, name: str, limits: Limits) -> None:
    """Refuse documents that would cost far more memory or stack than they have bytes."""
    bare = _STRINGS.sub(b"", data.replace(b"\\\\", b"").replace(b'\\"', b""))
    values = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    if values > limits.json_values:
        raise UnsafeFileError(f"{name} has {values} values; at most {limits.json_values} are read.")
    if _LONG_NUMBER.search(bare):
        raise UnsafeFileError(f"{name} has a number of more than 1000 digits.")
    depth = 0
    for token in _BRACKETS.finditer(bare):
        if token[0] in (b"[", b"{"):
            depth += 1
            if depth > limits.json_depth:
                raise UnsafeFileError(f"{name} is nested more than {limits.json_depth} deep.")
        else:
            depth -= 1


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
    _check_structure(data, name, limits)
    try:
        # Decoded here: json itself would take UTF-16 and UTF-32, which the checks above cannot read.
        return json.loads(data.decode("utf-8", "surrogatepass"), object_pairs_hook=_unique)
    except UnsafeFileError:
        raise
    except (ValueError, RecursionError) as error:  # also UnicodeDecodeError
        raise CorruptFileError(f"{name} is not valid JSON: {error}") from error
