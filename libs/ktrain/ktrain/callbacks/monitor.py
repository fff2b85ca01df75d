"""`MonitorCallback`: what callbacks share that watch one metric."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ktrain.callbacks.callback import Callback
from ktrain.metrics.metric import Metric


class MonitorCallback(Callback):
    """Knows whether one value of a metric is better than another.

    Args:
        monitor: the name in the logs, as "val_loss".
        mode: "min", "max" or "auto" (from the metric or its name).
        min_delta: a smaller change is no improvement.
    """

    def __init__(self, monitor: str = "val_loss", mode: str = "auto", min_delta: float = 0.0) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warnings.warn(f"mode {mode!r} is unknown; using 'auto'. Choose 'min', 'max' or 'auto'.", stacklevel=3)
            mode = "auto"
        self.monitor = monitor
        self.mode = mode
        self.min_delta = abs(min_delta)
        self._sign: int | None = {"min": -1, "max": 1}.get(mode)

    def direction(self) -> int:
        """1 when higher is better, -1 when lower is."""
        if self._sign is None:
            self._sign = self._find_direction()
        return self._sign

    def _find_direction(self) -> int:
        name = self.monitor[4:] if self.monitor.startswith("val_") else self.monitor
        if name == "loss" or name.endswith("_loss"):
            return -1
        for metric in _metrics_below(getattr(self.model, "metrics", [])):
            if metric.name == name or name.endswith("_" + metric.name):
                found = {"up": 1, "down": -1}.get(getattr(metric, "_direction", ""))
                if found is not None:
                    return found
        if name.endswith(("acc", "accuracy", "auc", "precision", "recall", "iou", "f1_score")):
            return 1
        if name.endswith(("error", "mse", "mae", "rmse", "crossentropy")):
            return -1
        raise ValueError(
            f"{type(self).__name__} monitors {self.monitor!r}, and whether that should grow or shrink is not known. "
            "Pass mode='max' or mode='min'."
        )

    def improves(self, value: Any, reference: Any) -> bool:
        """Whether `value` is better than `reference` (None: anything is)."""
        if reference is None:
            return True
        sign = self.direction()
        return bool(np.greater(sign * value - self.min_delta, sign * reference))

    def current(self, logs: Any) -> Any:
        """The monitored value, or None with a warning."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            warnings.warn(
                f"{type(self).__name__} monitors {self.monitor!r}, which is not in the logs: "
                f"{', '.join(sorted(logs)) or 'there are none'}.",
                stacklevel=3,
            )
        return value


def _metrics_below(metrics: Any) -> list[Any]:
    found: list[Any] = []
    for metric in metrics:
        found.append(metric)
        parts: Any = getattr(metric, "metrics", None) or getattr(metric, "_parts", ())
        found.extend(_metrics_below(m for m in parts if isinstance(m, Metric)))
    return found
