"""The base of recurrent layers with a cell of their own: LSTM, GRU, SimpleRNN."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Callable

import kops
from klayers.input_spec import InputSpec
from klayers.layers.rnn import RNN
from klayers.layers.settings import config_of


def shows_cell(*names: str) -> Callable[[Any], Any]:
    """Class decorator: attributes that are the cell's, and make up the config."""

    def decorate(cls: Any) -> Any:
        for name in names:
            setattr(cls, name, property(attrgetter(f"cell.{name}")))
        cls._cell_names = names
        return cls

    return decorate


class RecurrentLayer(RNN):
    """An RNN that makes its cell from its own arguments, and uses the engine's whole recurrence where it can."""

    _cell_names: tuple[str, ...] = ()

    def __init__(self, cell: Any, activity_regularizer: Any = None, **kwargs: Any) -> None:
        kwargs.pop("implementation", None)
        super().__init__(cell, activity_regularizer=activity_regularizer, **kwargs)
        self.input_spec = InputSpec(ndim=3)

    def _fused(self, training: Any) -> Any:
        """The op that computes all steps at once, or None where the settings are not the ones it knows."""
        raise NotImplementedError

    def inner_loop(self, sequences: Any, initial_state: Any, mask: Any, training: bool = False) -> Any:
        fused = self._fused(training)
        # Recurrent dropout comes between the steps.
        if fused is None or (training and self.cell.recurrent_dropout):
            return super().inner_loop(sequences, initial_state, mask, training)
        if training and self.cell.dropout:
            sequences = sequences * kops.expand_dims(self.cell.get_dropout_mask(sequences[:, 0]), 1)
        cell = self.cell
        mask = None if mask is None else kops.cast(mask, "bool")
        outputs, *states = fused(
            sequences, *initial_state, cell.kernel, cell.recurrent_kernel, cell.bias, mask, reverse=self.go_backwards
        )
        if mask is not None and self.zero_output_for_mask:
            seen = kops.flip(mask, axis=1) if self.go_backwards else mask
            outputs = kops.where(kops.expand_dims(seen, -1), outputs, kops.zeros_like(outputs))
        return outputs[:, -1], outputs, states

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        return {**config, **config_of(self, *self._cell_names, "activity_regularizer")}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:  # type: ignore[override]  # no cell to deserialize
        from klayers.layer_saving import LayerSaving

        return LayerSaving.from_config.__func__(cls, config)
