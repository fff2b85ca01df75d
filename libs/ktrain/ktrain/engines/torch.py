"""Training with PyTorch: eager steps and one fused update of all variables.

`jit_compile=True` compiles the forward pass with the loss, and so its gradient; the update stays the fused one.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import torch

from klayers import masking
from kops import tree
from kops.backends.torch import core
from kops.engine import engine
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.engines import steps
from ktrain.engines.steps import fetch, python_logs

__all__ = [
    "Steps",
    "fetch",
    "fused_update",
    "is_concrete",
    "jit_of_file",
    "python_logs",
    "require_training",
    "resolve_jit",
]


def is_concrete(x: Any) -> bool:
    """Whether a tensor has a value now."""
    return True


def fused_update(optimizer: Any, variables: list[Any]) -> Any:
    """The update of all variables at once, where there is one whose conditions hold."""
    from ktrain.engines.torch_foreach import fused

    return fused(optimizer, variables)


def resolve_jit(model: Any, jit_compile: Any) -> bool:
    """Whether forward pass and loss are compiled; compiling takes long, so only when asked for."""
    return jit_compile is True


def jit_of_file(jit_compile: Any) -> Any:
    """What a file's `jit_compile` means here: JAX writes True for "auto", which is no wish to compile PyTorch code."""
    return "auto"


def require_training() -> None:
    """This engine trains."""


def _tensor(x: Any) -> Any:
    if type(x) is np.ndarray and x.flags.writeable and x.dtype.name in _DIRECT:
        tensor = torch.from_numpy(x)
    elif x is None:
        return None
    else:
        tensor = engine().convert(x, None)
    device = core.default_device()
    return tensor if device is None or tensor.device == device else tensor.to(device, non_blocking=True)


_DIRECT = frozenset({"float32", "float64", "int32", "int64", "uint8", "int8", "int16", "bool", "float16"})


def place(data: Any) -> Any:
    """A batch as tensors on the device."""
    return tuple(
        _tensor(part) if type(part) is np.ndarray or not tree.is_nested(part) else tree.map_structure(_tensor, part)
        for part in data
    )


class Steps(steps.EagerSteps):
    """The steps of the PyTorch engine."""

    def train_step(self: Any, data: Any) -> dict[str, Any]:
        """One training step on a batch `data`; returns the metrics by name. Override for your own."""
        x, y, sample_weight = self._train_without_metrics(data)
        with torch.no_grad():
            return self.compute_metrics(x, y, self._last_outputs.pop(), sample_weight=sample_weight)

    def _train_without_metrics(self: Any, data: Any) -> tuple[Any, Any, Any]:
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred, loss = self._forward_and_loss(x, y, sample_weight)
        with torch.no_grad():
            self._track_loss(loss.detach(), x)
        trainable = self._cached("trainable", lambda: _Held(self.trainable_variables)).variables
        scaled = self.optimizer.scale_loss(loss) if self.optimizer is not None else loss
        if not trainable:
            return self._keep(x, y, sample_weight, y_pred)
        scaled.backward()
        natives = [v._native for v in trainable]
        gradients = [n.grad for n in natives]
        with torch.no_grad():
            self.optimizer.apply(gradients, trainable)
        for n in natives:
            n.grad = None
        return self._keep(x, y, sample_weight, y_pred)

    def _keep(self: Any, x: Any, y: Any, sample_weight: Any, y_pred: Any) -> tuple[Any, Any, Any]:
        detached = tree.map_structure(_detach, y_pred) if tree.is_nested(y_pred) else _detach(y_pred)
        self._last_outputs.append(detached)
        return x, y, sample_weight

    @property
    def _last_outputs(self: Any) -> list[Any]:
        return self._cached("outputs", list)

    def _forward_and_loss(self: Any, x: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        if not self.jit_compile:
            return self._plain_forward_and_loss(x, y, sample_weight)
        compiled = self._cached("compiled", lambda: _compile(self._plain_forward_and_loss))
        return compiled(x, y, sample_weight)

    def _plain_forward_and_loss(self: Any, x: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        y_pred = self._forward(x, training=True)
        return y_pred, self._loss_of(x, y, y_pred, sample_weight, training=True)

    def make_train_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that trains on them; None for logs means: those of the metrics."""

        def make() -> Any:
            lazy = not self._has_own("train_step", "compute_metrics", "get_metrics_result")

            def run(batches: list[Any]) -> Any:
                logs = None
                for data in batches:
                    if lazy:
                        # Metrics are accumulated; their results are computed when somebody looks.
                        x, y, weight = self._train_without_metrics(place(data))
                        y_pred = self._last_outputs.pop()
                        metrics = self._compiled.metrics
                        if metrics is not None and y is not None:
                            with torch.no_grad():
                                metrics.update_state(y, y_pred, sample_weight=weight)
                    else:
                        logs = self.train_step(place(data))
                return logs

            return run

        self.train(True)  # modules of the user read the flag
        return self._cached("train", make, force)

    def make_test_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that evaluates them and returns the metrics."""

        def make() -> Any:
            def run(batches: list[Any]) -> Any:
                with torch.no_grad():
                    for data in batches:
                        logs = self.test_step(place(data))
                return logs

            return run

        return self._cached("test", make, force)

    def make_predict_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that returns their outputs."""

        def make() -> Any:
            def run(batches: list[Any]) -> Any:
                with torch.no_grad():
                    if len(batches) == 1:
                        return self.predict_step(place(batches[0]))
                    return steps.concatenate_outputs([self.predict_step(place(data)) for data in batches])

            return run

        return self._cached("predict", make, force)


def _compile(method: Any) -> Any:
    """A method compiled as one graph.

    The compiler counts recompilations by code object, and all models share the method's: each gets its own copy.
    """
    function = method.__func__
    code = function.__code__.replace(co_name=f"{function.__name__}_{id(method.__self__)}")
    copy = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    return torch.compile(types.MethodType(copy, method.__self__), fullgraph=True)


class _Held:
    """A list that the model's attribute tracking must not see."""

    def __init__(self, variables: list[Any]) -> None:
        self.variables = variables


def _detach(x: Any) -> Any:
    if not isinstance(x, torch.Tensor):
        return x
    detached = x.detach()
    if masking.in_use:
        masking.set_mask(detached, masking.get_mask(x))
    return detached
