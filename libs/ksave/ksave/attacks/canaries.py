"""Watches what a file makes the process do: run, import, connect, open, take memory and time."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Events of https://docs.python.org/3/library/audit_events.html that reading a model has no reason to raise.
_NEVER = (
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.startfile",
    "os.symlink",
    "os.link",
    "subprocess.Popen",
    "pty.spawn",
    "pickle.find_class",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.sendto",
    "urllib.Request",
    "ftplib.connect",
    "webbrowser.open",
    "builtins.input",
    "code.__new__",
)
# Modules that the hostile files name.
MODULES = ("antigravity", "this", "evil_module")

_seen: list[str] | None = None
_secret = ""


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _seen is None:
        return
    if event in _NEVER or event == "import" and arguments[0] in MODULES:
        _seen.append(f"{event} {arguments!r:.200}")
    elif event == "open" and _secret and str(arguments[0]) == _secret:
        _seen.append(f"open {arguments[0]}")


sys.addaudithook(_hook)


class TooSlow(BaseException):
    """A file took longer than any file of its size may."""


@contextlib.contextmanager
def nothing_runs(secret: Path | None = None) -> Iterator[None]:
    """Fails when what is inside runs a program, unpickles, connects, imports what a file names or opens `secret`."""
    global _seen, _secret
    _seen, _secret = [], str(secret or "")
    try:
        yield
        assert _seen == []
    finally:
        _seen = None
    assert not set(MODULES) & set(sys.modules)


@contextlib.contextmanager
def bounded(megabytes: int = 320, seconds: int = 20) -> Iterator[None]:
    """What is inside gets a `MemoryError` for more memory than this, and `TooSlow` after this time."""
    try:
        import resource
    except ImportError:  # Windows
        yield
        return

    def alarm(*_: Any) -> None:
        raise TooSlow

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    old = signal.signal(signal.SIGALRM, alarm)
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm", encoding="ascii") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + (megabytes << 20), hard))
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
