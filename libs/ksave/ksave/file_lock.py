"""One process, and one thread in it, at a time: a lock that the system gives back when its owner dies."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import time
from typing import Callable, Iterator

_POLL = 0.05
# File systems that know no locks. What is written gets its name whole even without one.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


@contextlib.contextmanager
def file_lock(path: str) -> Iterator[None]:
    """Hold the lock of this name inside the block; whoever comes later waits.

    Args:
        path: a file that is there only while the lock is held or waited for.

    Example:
        >>> with file_lock("data.bin.lock"):
        ...     fetch("data.bin")
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            _take(handle)
            if _is_still(handle, path):
                break
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # its owner took the file away; the next one made another
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)  # while it is held: nobody can be between opening this file and locking it unnoticed
        os.close(handle)


def _is_still(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _take(handle: int) -> None:
    if os.name == "posix":
        fcntl = importlib.import_module("fcntl")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
    elif os.name == "nt":
        msvcrt = importlib.import_module("msvcrt")
        _wait(lambda: msvcrt.locking(handle, msvcrt.LK_NBLCK, 1))


def _wait(attempt: Callable[[], object]) -> None:
    while True:
        try:
            attempt()
            return
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EDEADLK, errno.EAGAIN):
                raise
            time.sleep(_POLL)
