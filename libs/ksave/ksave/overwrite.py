"""Asking before a file is written over."""

from __future__ import annotations

import sys

from ksave import remote


def may_write(path: str, overwrite: bool) -> bool:
    """True when `path` may be written; asks at a terminal when it exists and `overwrite` is false.

    Raises:
        FileExistsError: it exists and nobody can be asked.
    """
    if overwrite or not remote.exists(path):
        return True
    if not sys.stdin or not sys.stdin.isatty():
        raise FileExistsError(f"{path} exists. Pass overwrite=True to write over it.")
    while (answer := input(f"{path} exists. Overwrite it? [y/n] ").strip().lower()) not in ("y", "n"):
        pass
    return answer == "y"
