"""The ambient state of layer calls in a thread: what a layer passes down to the layers it calls."""

from __future__ import annotations

import itertools
import threading
from typing import Any


class _Context(threading.local):
    training: bool | None = None  # as resolved by the innermost layer that was told
    call_id: int = 0  # of the outermost call that is running; 0 outside of any
    building: tuple[Any, ...] = ()  # layers whose build() is running


context = _Context()
_ids = itertools.count(1)


def new_call_id() -> int:
    return next(_ids)
