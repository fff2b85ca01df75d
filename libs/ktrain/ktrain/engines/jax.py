"""Training with JAX: the state goes through the jitted step and stays on the device."""

from __future__ import annotations

from typing import Any

import jax

from klayers import masking
from kops.scopes import StatelessScope, ambient
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
    """Whether a tensor has a value now (it is no tracer)."""
    return not isinstance(x, jax.core.Tracer)


def fused_update(optimizer: Any, variables: list[Any]) -> Any:
    """The update of all variables at once; None: one after the other, which XLA fuses."""
    return None


def resolve_jit(model: Any, jit_compile: Any) -> bool:
    """Whether steps are compiled: unless somebody says no, or a layer cannot be."""
    if jit_compile == "auto":
        return all(getattr(layer, "supports_jit", True) for layer in model._flatten_layers())
    return bool(jit_compile)


def jit_of_file(jit_compile: Any) -> Any:
    """What a file's `jit_compile` means here: what it says."""
    return jit_compile


def require_training() -> None:
    """This engine trains."""


def _values(variables: list[Any]) -> list[Any]:
    return [v._native if v._native is not None else v.value for v in variables]


def _placed(batches: list[Any]) -> Any:
    """The batches where the active distribution wants them."""
    placement = ambient.placement
    return batches if placement is None else [placement.place_batch(data) for data in batches]


def _kept_in_place(groups: Any, state: Any) -> Any:
    """The new state laid out as its variables: left to itself, XLA may split it otherwise from step to step."""
    placement = ambient.placement
    if placement is None:
        return state
    return tuple(
        [x if v._layout is None else placement.place_variable(x, v._layout) for v, x in zip(variables, values)]
        for variables, values in zip(groups, state)
    )


def _write(variables: list[Any], values: list[Any]) -> None:
    for variable, value in zip(variables, values):
        variable._native = value


def _after(scope: StatelessScope, variables: list[Any], before: list[Any]) -> list[Any]:
    get = scope.get_current_value
    return [old if (new := get(v)) is None else new for v, old in zip(variables, before)]


class _State:
    """The variables of each part of the state, listed once."""

    def __init__(self, model: Any) -> None:
        self.trainable = model.trainable_variables
        self.non_trainable = model.non_trainable_variables
        self.optimizer = model.optimizer.variables if model.optimizer is not None else []
        self.metrics = model.metrics_variables

    def train(self) -> tuple[list[Any], ...]:
        return (self.trainable, self.non_trainable, self.optimizer, self.metrics)

    def test(self) -> tuple[list[Any], ...]:
        return (self.trainable, self.non_trainable, self.metrics)


class Steps:
    """The steps of the JAX engine; each takes a state and data, and returns a result and the new state."""

    def compute_loss_and_updates(
        self: Any, trainable_variables: Any, non_trainable_variables: Any, metrics_variables: Any, x: Any, y: Any,
        sample_weight: Any, training: bool = False, optimizer_variables: Any = None,
    ) -> Any:  # fmt: skip
        """The loss to differentiate with respect to the first argument.

        Returns:
            `(loss, (unscaled_loss, y_pred, non_trainable_variables, metrics_variables))`.
        """
        kwargs = {"training": training} if self._call_signature.takes_training else {}
        y_pred, non_trainable_variables, losses = self.stateless_call(
            trainable_variables, non_trainable_variables, x, return_losses=True, **kwargs
        )
        self._extra_losses = losses
        try:
            loss, (_, non_trainable_variables, metrics_variables) = self.stateless_compute_loss(
                trainable_variables, non_trainable_variables, metrics_variables,
                x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training,
            )  # fmt: skip
        finally:
            self._extra_losses = None
        unscaled = loss
        if training and self.optimizer is not None and optimizer_variables is not None:
            with StatelessScope(state_mapping=list(zip(self.optimizer.variables, optimizer_variables))):
                loss = self.optimizer.scale_loss(loss)
        return loss, (unscaled, y_pred, non_trainable_variables, metrics_variables)

    def _update_metrics(self: Any, variables: Any, loss: Any, x: Any, y: Any, y_pred: Any, weight: Any) -> Any:
        own = self.metrics_variables
        with StatelessScope(state_mapping=list(zip(own, variables))) as scope:
            self._track_loss(loss, x)
            logs = self.compute_metrics(x, y, y_pred, weight)
            return logs, _after(scope, own, variables)

    def train_step(self: Any, state: Any, data: Any) -> Any:
        """One training step.

        Args:
            state: `(trainable_variables, non_trainable_variables, optimizer_variables, metrics_variables)`.
            data: a batch.

        Returns:
            `(logs, state)`. Override for your own.
        """
        trainable, non_trainable, optimizer_state, metrics = state
        x, y, weight = unpack_x_y_sample_weight(data)

        def loss_of(trained: Any) -> Any:
            found = self.compute_loss_and_updates(
                trained, non_trainable, metrics, x, y, weight, training=True, optimizer_variables=optimizer_state
            )
            # Outputs leave the differentiated function as new tensors: their masks have to come along.
            return found[0], (found[1], masking.get_masks(found[1][1]) if masking.in_use else None)

        (_, (updates, masks)), grads = jax.value_and_grad(loss_of, has_aux=True)(trainable)
        loss, y_pred, non_trainable_after, metrics = updates
        masking.set_masks(y_pred, masks)
        if trainable:
            trainable, optimizer_state = self.optimizer.stateless_apply(optimizer_state, grads, trainable)
        logs, metrics = self._update_metrics(metrics, loss, x, y, y_pred, weight)
        return logs, (trainable, non_trainable_after, optimizer_state, metrics)

    def test_step(self: Any, state: Any, data: Any) -> Any:
        """One evaluation step: state is `(trainable_variables, non_trainable_variables, metrics_variables)`."""
        trainable, non_trainable, metrics = state
        x, y, weight = unpack_x_y_sample_weight(data)
        loss, (_, y_pred, non_trainable, metrics) = self.compute_loss_and_updates(
            trainable, non_trainable, metrics, x, y, weight, training=False
        )
        logs, metrics = self._update_metrics(metrics, loss, x, y, y_pred, weight)
        return logs, (trainable, non_trainable, metrics)

    def predict_step(self: Any, state: Any, data: Any) -> Any:
        """Outputs and the new non-trainable variables: state is `(trainable_variables, non_trainable_variables)`."""
        trainable, non_trainable = state
        kwargs = {"training": False} if self._call_signature.takes_training else {}
        x, _, _ = unpack_x_y_sample_weight(data)
        return self.stateless_call(trainable, non_trainable, x, **kwargs)

    # Functions made of steps

    def _compile_step(self: Any, function: Any, donate: bool) -> Any:
        compiled = self._compiled
        if compiled is not None and (compiled.run_eagerly or not compiled.jit_compile):
            return function
        return jax.jit(function, donate_argnums=0 if donate else ())

    def _looping(self: Any, step: Any, groups: Any, lazy: bool, donate: bool) -> Any:
        """A step over a list of batches, from the state of `groups` to their new state (and logs unless `lazy`)."""

        def run(state: Any, batches: Any) -> Any:
            logs = None
            for data in batches:
                logs, state = step(state, data)
            return (None if lazy else logs), _kept_in_place(groups, state)

        return self._compile_step(run, donate)

    def _state_holder(self: Any, kind: str) -> _State:
        return self._cached(f"{kind}_state", lambda: _State(self))

    def _cached(self: Any, kind: str, make: Any, force: bool = False) -> Any:
        return steps.EagerSteps._cached(self, kind, make, force)

    def make_train_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that trains on them; None for logs means: those of the metrics."""

        def make() -> Any:
            lazy = not self._has_own("train_step", "compute_metrics", "get_metrics_result")
            groups = _State(self).train()
            run = self._looping(self.train_step, groups, lazy, donate=True)

            def call(batches: list[Any]) -> Any:
                logs, state = run(tuple(map(_values, groups)), _placed(batches))
                for variables, values in zip(groups, state):
                    _write(variables, values)
                return logs

            return call

        return self._cached("train", make, force)

    def make_test_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that evaluates them and returns the metrics."""

        def make() -> Any:
            lazy = not self._has_own("test_step", "compute_metrics", "get_metrics_result")
            groups = _State(self).test()
            run = self._looping(self.test_step, groups, lazy, donate=False)

            def call(batches: list[Any]) -> Any:
                logs, state = run(tuple(map(_values, groups)), _placed(batches))
                # Evaluation changes metrics and states such as seeds, no trainable variable.
                _write(groups[1], state[1])
                _write(groups[2], state[2])
                return logs

            return call

        return self._cached("test", make, force)

    def make_predict_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that returns their outputs."""

        def make() -> Any:
            def run(state: Any, batches: Any) -> Any:
                outputs = []
                for data in batches:
                    out, non_trainable = self.predict_step(state, data)
                    state = (state[0], non_trainable)
                    outputs.append(out)
                return steps.concatenate_outputs(outputs), state[1]

            compiled = self._compile_step(run, donate=False)
            trainable, non_trainable = self.trainable_variables, self.non_trainable_variables

            def call(batches: list[Any]) -> Any:
                outputs, after = compiled((_values(trainable), _values(non_trainable)), _placed(batches))
                _write(non_trainable, after)
                return outputs

            return call

        return self._cached("predict", make, force)

    def _predict_ready(self: Any) -> Any:
        return self.make_predict_function()

    def _result_of_metrics(self: Any) -> dict[str, Any]:
        """The metrics' results, computed by one compiled function."""

        def make() -> Any:
            variables = self.metrics_variables

            def results(values: Any) -> Any:
                with StatelessScope(state_mapping=list(zip(variables, values))):
                    return self.get_metrics_result()

            compiled = self._compile_step(results, donate=False)
            return lambda: compiled(_values(variables))

        return self._cached("results", make)()

    def jax_state_sync(self: Any) -> None:
        """Nothing to do: variables hold the state of the last step."""
