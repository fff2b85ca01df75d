"""A table of public names as the libraries above would declare it, of things that note when they are used."""

from __future__ import annotations

from typing import Any

import kspec


class Layer:
    """Takes any config."""

    def __init__(self, **config: Any) -> None:
        self.config = config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def build_from_config(self, config: dict[str, Any]) -> None:
        self.build_config = config


def declare_names(monkeypatch: Any) -> list[str]:
    """Declare the names; gives the list of what has been made or called since, which has to stay empty."""
    called: list[str] = []

    class Noted(Layer):
        def __init__(self, **config: Any) -> None:
            called.append("made")

    class Plain:
        def __init__(self, **config: Any) -> None:
            called.append("made")

    def function(*args: Any, **kwargs: Any) -> None:
        called.append("called")

    table = {
        "keras.layers.Dense": Layer,
        "keras.layers.TFSMLayer": Noted,
        "keras.layers.TorchModuleWrapper": Noted,
        "keras.losses.MeanSquaredError": Noted,
        "keras.callbacks.Callback": Noted,
        "keras.utils.get_file": function,
        "keras.utils.Plain": Plain,
        "keras.config.enable_unsafe_deserialization": function,
        "keras.saving.load_model": function,
        "keras.activations.relu": function,
        "keras.activations.deserialize": function,
        "keras.ops.relu": function,
    }
    monkeypatch.setattr(kspec, "known_names", lambda: dict.fromkeys(table, ""))
    monkeypatch.setattr(kspec, "resolve", table.__getitem__)
    return called
