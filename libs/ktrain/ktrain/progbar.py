"""`Progbar`: progress of a loop, on one line of a terminal or one line of a log."""

from __future__ import annotations

import logging
import math
import shutil
import sys
import time
from typing import Any

from kops.config import is_interactive_logging_enabled
from kspec import public

_BAR, _BOLD, _GREEN, _GREY, _END = "━", "\x1b[1m", "\x1b[32m", "\x1b[37m", "\x1b[0m"


def duration(seconds: float) -> str:
    """A time to wait, as "0s", "3:05" or "1:02:03"."""
    seconds = int(seconds)
    if seconds >= 3600:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 60}:{seconds % 60:02d}" if seconds >= 60 else f"{seconds}s"


def per_unit(seconds: float, unit: str) -> str:
    """The time of one step, as "12ms/step"."""
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s/{unit}"
    return f"{seconds * 1e3:.0f}ms/{unit}" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/{unit}"


def number(value: Any) -> str:
    """A metric's value, with four decimals or in scientific notation when it is small."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        return str(value)
    return f"{value:.4f}" if abs(value) > 1e-3 or value == 0 or math.isnan(value) else f"{value:.4e}"


@public("keras.utils.Progbar")
class Progbar:
    """Shows how far a loop is, how long it takes, and values.

    Args:
        target: the number of steps; None when it is unknown.
        width: of the bar, in characters.
        verbose: 0 shows nothing, 1 a bar that is rewritten (only its last state when the output is no terminal),
            2 one line at the end.
        interval: seconds between two updates of the display.
        stateful_metrics: names of values to show as they come; the others are averaged over steps.
        stateless_metrics: names of values to average; then all others are shown as they come.
        unit_name: what a step is called.
    """

    def __init__(
        self, target: int | None, width: int = 20, verbose: int = 1, interval: float = 0.05,
        stateful_metrics: Any = None, stateless_metrics: Any = None, unit_name: str = "step",
    ) -> None:  # fmt: skip
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self.stateless_metrics = None if stateless_metrics is None else set(stateless_metrics)
        self._values: dict[str, tuple[float, float]] = {}
        self._seen = 0
        self._start = time.time()
        self._last_shown = 0.0
        self._after_first: float | None = None
        self._length = 0
        self._terminal = hasattr(sys.stdout, "isatty") and sys.stdout.isatty()

    def due(self) -> bool:
        """Whether an update that is not the last would show something now."""
        return self.verbose == 1 and self._terminal and time.time() - self._last_shown >= self.interval

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Say that `current` steps are done.

        Args:
            values: pairs (name, value).
            finalize: whether this is the last update; default when `current` reaches the target.
        """
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        for name, value in values or ():
            self._take(name, value, max(current - self._seen, 1))
        if self._after_first is None and current > 0:
            self._after_first = time.time()
        self._seen = current
        if self.verbose == 0 or not (finalize or self.due()):
            return
        if self.verbose == 2:
            self._write(self._line_of_log(current) + "\n")
            return
        line = self._line_of_terminal(current, finalize)
        if self._terminal:
            shown = len(_plain(line))
            self._write("\r" + line + " " * max(self._length - shown, 0) + ("\n" if finalize else ""))
            self._length = shown
        else:
            self._write(line + "\n")
        self._last_shown = time.time()

    def add(self, n: int, values: Any = None) -> None:
        """Say that `n` more steps are done."""
        self.update(self._seen + n, values)

    def _take(self, name: str, value: Any, steps: int) -> None:
        shown_as_is = name in self.stateful_metrics
        if self.stateless_metrics is not None:
            shown_as_is = name not in self.stateless_metrics
        if shown_as_is:
            self._values[name] = (value, 1)
            return
        try:
            total, count = self._values.get(name, (0.0, 0))
            self._values[name] = (total + value * steps, count + steps)
        except TypeError:
            self._values[name] = (value, 1)

    def _shown_values(self) -> str:
        parts = []
        for name, (total, count) in self._values.items():
            parts.append(f" - {name}: {number(total if count == 1 else total / count)}")
        return "".join(parts)

    def _time_per_step(self, current: int) -> float:
        now = time.time()
        if self._after_first is not None and current > 1:
            # The first step compiles; it says nothing about the others.
            return (now - self._after_first) / (current - 1)
        return (now - self._start) / max(current, 1)

    def _line_of_log(self, current: int) -> str:
        elapsed = time.time() - self._start
        of = f"{current}/{self.target}" if self.target is not None else f"{current}/Unknown"
        return f"{of} - {elapsed:.0f}s - {per_unit(elapsed / max(current, 1), self.unit_name)}{self._shown_values()}"

    def _line_of_terminal(self, current: int, finalize: bool) -> str:
        step = self._time_per_step(current)
        bold, green, grey, end = (_BOLD, _GREEN, _GREY, _END) if self._terminal else ("", "", "", "")
        if self.target is None:
            head = f"{bold}{current}/Unknown{end}"
            left = time.time() - self._start
        else:
            digits = len(str(self.target))
            full = min(self.width, int(self.width * current / max(self.target, 1)))
            bar = f"{green}{_BAR * full}{end}{grey}{(_BAR if self._terminal else ' ') * (self.width - full)}{end}"
            head = f"{bold}{current:>{digits}}/{self.target}{end} {bar}"
            left = time.time() - self._start if finalize else step * max(self.target - current, 0)
        line = f"{head} {bold}{duration(left)}{end} {per_unit(step, self.unit_name)}{self._shown_values()}"
        return line if not self._terminal or finalize else _fit(line, shutil.get_terminal_size().columns - 1)

    @staticmethod
    def _write(text: str) -> None:
        if is_interactive_logging_enabled():
            sys.stdout.write(text)
            sys.stdout.flush()
        elif text.strip():
            logging.getLogger("keras").info(_plain(text).strip())


def _plain(line: str) -> str:
    for code in (_BOLD, _GREEN, _GREY, _END):
        line = line.replace(code, "")
    return line


def _fit(line: str, columns: int) -> str:
    """The line cut so that it does not wrap, which could not be rewritten."""
    extra = len(_plain(line)) - columns
    return line[:-extra] if 0 < extra < len(line) else line
