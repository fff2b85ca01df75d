"""Which version of Keras wrote a file, and what is said about it when that matters."""

from __future__ import annotations

import contextlib
import re
import warnings
from typing import Any, Iterator

from ksave.limits import visible
from ksave.migrations import MigrationWarning, summary

# The version of the Keras format that is written, and up to which files are known.
KERAS_VERSION = "3.15.2"


def numbers(version: str | None) -> tuple[int, ...]:
    """`(3, 15)` for "3.15.2"; empty for what is no version."""
    return tuple(int(part) for part in (version or "").split(".")[:2] if re.fullmatch("[0-9]{1,9}", part))


def is_newer(version: str | None) -> bool:
    """Whether files of this version may hold what is not known here."""
    return numbers(version) > numbers(KERAS_VERSION)


def is_before_3(version: str | None) -> bool:
    """Whether configs of this version have the names of Keras 1 and 2."""
    return bool(numbers(version)) and numbers(version) < (3,)


@contextlib.contextmanager
def explained(version: str | None) -> Iterator[None]:
    """A file of a newer version is tried; when that fails, its version is part of the explanation."""
    try:
        yield
    except Exception as error:
        if is_newer(version):
            error.args = (
                f"{error}\n(The file was written by Keras {visible(version or '')}, newer than {KERAS_VERSION}, up to "
                "which files are known here.)",
            )
        raise


def announce(path: str, version: str | None, notes: dict[str, int]) -> None:
    """Warn, once for a file, of what was read differently from how it stands in it."""
    if notes:
        wrote = f"Keras {version}" if version else "an old version of Keras"
        warnings.warn(
            f"{path} was written by {visible(wrote)}. Read as Keras {KERAS_VERSION} means it: "
            f"{visible(summary(notes))}. Save it again to have a file of today.",
            MigrationWarning,
            stacklevel=4,
        )


_UNKNOWN = re.compile(r"unexpected keyword argument '(\w+)'|got unknown arguments: (\w+(?:, \w+)*)")


def without_unknown(config: dict[str, Any], error: BaseException | None) -> dict[str, Any] | None:
    """The config of a newer version without arguments that its class does not know and that choose nothing.

    Args:
        config: of an object that could not be made.
        error: what its class said.

    Returns:
        A config to try, or None when the error is another one, or an argument chooses something.
    """
    while error is not None:
        found = _UNKNOWN.search(str(error))
        if found:
            names = (found[1] or found[2]).split(", ")
            neutral = all(name in config and config[name] in (None, False, [], {}, "") for name in names)
            return {key: value for key, value in config.items() if key not in names} if neutral else None
        error = error.__cause__
    return None
