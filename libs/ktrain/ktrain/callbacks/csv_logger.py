"""Epochs as rows of a CSV file."""

from __future__ import annotations

import collections.abc
import csv
import os
from typing import Any

import numpy as np

from kspec import public
from ktrain.callbacks.callback import Callback


@public("keras.callbacks.CSVLogger")
class CSVLogger(Callback):
    """Writes the logs of each epoch as a row.

    Args:
        filename: of the file.
        separator: between columns.
        append: add to a file that is there.
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename = os.fspath(filename)
        self.sep = separator
        self.append = append
        self.writer: Any = None
        self.keys: list[str] | None = None
        self.csv_file: Any = None
        self._with_header = True

    def on_train_begin(self, logs: Any = None) -> None:
        if self.append and os.path.exists(self.filename):
            with open(self.filename, encoding="utf-8") as file:
                self._with_header = not file.readline().strip()
        self.csv_file = open(self.filename, "a" if self.append else "w", newline="", encoding="utf-8")  # noqa: SIM115
        self.writer, self.keys = None, None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            # Validation may not run each epoch; its columns are there from the beginning.
            names = {k for k in self.keys if not k.startswith("val_")}
            self.keys += [f"val_{k}" for k in sorted(names) if self._validates() and f"val_{k}" not in self.keys]
        if self.writer is None:
            self.writer = csv.DictWriter(self.csv_file, ["epoch", *self.keys], delimiter=self.sep)
            if self._with_header:
                self.writer.writeheader()
        self.writer.writerow({"epoch": epoch, **{k: _cell(logs.get(k, "NA")) for k in self.keys}})
        self.csv_file.flush()

    def _validates(self) -> bool:
        return bool(self.params.get("do_validation", False))

    def on_train_end(self, logs: Any = None) -> None:
        if self.csv_file is not None:
            self.csv_file.close()
        self.writer = None


def _cell(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.item()
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, str):
        return f"[{', '.join(map(str, value))}]"
    return value
