"""What steps of all engines share: evaluation and prediction line by line, and the functions made of steps."""

from __future__ import annotations

from typing import Any

from kops import tree
from kops.engine import engine
from ktrain.data.packing import unpack_x_y_sample_weight


class EagerSteps:
    """Mixin of `Trainer`: `test_step` and `predict_step` as documented for engines that hold state in variables."""

    def test_step(self: Any, data: Any) -> dict[str, Any]:
        """Evaluate one batch and return the metrics by name. Override for your own."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self._forward(x, training=False)
        loss = self._loss_of(x, y, y_pred, sample_weight, training=False)
        self._track_loss(loss, x)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self: Any, data: Any) -> Any:
        """The outputs for one batch. Override for your own."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self._forward(x, training=False)

    def _result_of_metrics(self: Any) -> dict[str, Any]:
        return self.get_metrics_result()

    def _cached(self: Any, kind: str, make: Any, force: bool = False) -> Any:
        """A step function, made once until compile changes."""
        compiled = self._compiled
        cache = (
            self.__dict__.setdefault("_loose_functions", _Functions()).held if compiled is None else compiled.functions
        )
        if force or kind not in cache:
            cache[kind] = make()
        return cache[kind]

    def _predict_ready(self: Any) -> Any:
        return self.make_predict_function()


class _Functions:
    """Step functions of a model that is not compiled."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}


def concatenate_outputs(outputs: list[Any]) -> Any:
    """The outputs of several batches as one."""
    import kops as ops

    if len(outputs) == 1:
        return outputs[0]
    return tree.map_structure(lambda *parts: ops.concatenate(parts, axis=0), *outputs)


def fetch(outputs: Any) -> Any:
    """Outputs as NumPy arrays."""
    to_numpy = engine().to_numpy
    return tree.map_structure(to_numpy, outputs) if tree.is_nested(outputs) else to_numpy(outputs)


def python_logs(logs: Any) -> dict[str, Any]:
    """Logs as Python numbers, sorted by name."""
    to_numpy = engine().to_numpy

    def number(value: Any) -> Any:
        array = to_numpy(value) if hasattr(value, "shape") else value
        return float(array) if getattr(array, "ndim", 1) == 0 else array

    return {name: number(logs[name]) for name in sorted(logs)}


def require_training(name: str) -> None:
    """Raise the error of engines that compute no gradients."""
    raise NotImplementedError(
        f"The {name} backend cannot train: it computes no gradients. Set KERAS_BACKEND to jax, torch or tensorflow to "
        "train; evaluate and predict work here."
    )
