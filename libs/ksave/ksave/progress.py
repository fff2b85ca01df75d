"""How far a long piece of work has come, on standard error, while a terminal looks on."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Callable, Iterator

_DELAY = 0.5  # what is done sooner shows nothing


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of bytes that were just done.

    Drawn by rich where it is installed, as a line that is written over otherwise; nothing is shown when standard
    error is no terminal, or when the work takes less than half a second.

    Args:
        title: what is going on.
        total: how many bytes there are, or 0 when that is not known.

    Example:
        >>> with progress("Reading", 1 << 30) as done:
        ...     done(1 << 20)
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda count: None
        return
    bar = _bar(title, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Line:
    """One line of text, written over."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._done = 0
        self._shown = 0.0
        self._begun = time.monotonic()

    def advance(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._begun > _DELAY and now - self._shown > 0.1:
            self._shown = now
            print(f"\r{self._title}: {self._share()}", end="", file=sys.stderr, flush=True)

    def _share(self) -> str:
        if self._total:
            return f"{100 * self._done // self._total:3d}% of {self._total / 1e6:.1f} MB"
        return f"{self._done / 1e6:.1f} MB"

    def close(self) -> None:
        if self._shown:
            print(f"\r{self._title}: {self._share()}", file=sys.stderr)


class _Rich:
    """rich's bar; it appears late for the same reason."""

    def __init__(self, title: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.text import Text

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
        self._progress = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(Text(title).plain, total=total or None)
        self._begun = time.monotonic()
        self._started = False

    def advance(self, count: int) -> None:
        self._progress.advance(self._task, count)
        if not self._started and time.monotonic() - self._begun > _DELAY:
            self._started = True
            self._progress.start()

    def close(self) -> None:
        if self._started:
            self._progress.stop()


def _bar(title: str, total: int) -> _Line | _Rich:
    try:
        return _Rich(title, total)
    except ImportError:
        return _Line(title, total)
