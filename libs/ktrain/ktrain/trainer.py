"""`Trainer`: compile, losses and metrics of a model; with `Loops` and the engine's steps it makes models trainable."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops import tree
from kops.scopes import StatelessScope, ambient
from ksave import deserialize_keras_object, serialize_keras_object
from ktrain import engines
from ktrain.compiled import Compiled, LossSources, batch_size_of, takes
from ktrain.loops import Loops
from ktrain.optimizers import identifiers as optimizer_identifiers
from ktrain.optimizers.loss_scale import LossScaleOptimizer
from ktrain.state_tree import StateTree


class Trainer(Loops, StateTree, engines.load().Steps):  # type: ignore[misc]
    """Mixin that makes a `klayers.Model` trainable."""

    optimizer: Any = None
    compiled: bool = False
    stop_training: bool = False
    history: Any = None
    _compiled: Compiled | None = None
    _extra_losses: Any = None
    _loss_sources: Any = None  # set while fit and evaluate run
    _initial_epoch: Any = None

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None, metrics: Any = None,
        weighted_metrics: Any = None, run_eagerly: bool = False, steps_per_execution: int = 1,
        jit_compile: Any = "auto", auto_scale_loss: bool = True,
    ) -> None:  # fmt: skip
        """Say how the model is trained.

        Args:
            optimizer: a name, a config or an `Optimizer`.
            loss: a name, function or `Loss`; for several outputs also a list or a dictionary by output name.
            loss_weights: a number for each output.
            metrics: names, functions or `Metric`s; for several outputs a list of lists or a dictionary.
            weighted_metrics: like `metrics`; they get sample and class weights.
            run_eagerly: run steps line by line, for debugging.
            steps_per_execution: how many steps are run as one.
            jit_compile: compile steps (True, False, or "auto": where that pays).
            auto_scale_loss: wrap the optimizer in a `LossScaleOptimizer` under the policy "mixed_float16".

        Raises:
            ValueError: for unknown names; the message has the nearest ones.
        """
        if run_eagerly and jit_compile is True:
            raise ValueError("run_eagerly=True and jit_compile=True exclude each other.")
        if not isinstance(steps_per_execution, int) or steps_per_execution < 1:
            raise ValueError(f"steps_per_execution is a positive integer, not {steps_per_execution!r}.")
        optimizer = optimizer_identifiers.get(optimizer)
        given = optimizer
        if auto_scale_loss and optimizer is not None and self._is_mixed_float16():
            if not isinstance(optimizer, LossScaleOptimizer):
                optimizer = LossScaleOptimizer(optimizer, name="loss_scale_optimizer")
        self._compiled = Compiled(
            loss, loss_weights, metrics, weighted_metrics, run_eagerly, steps_per_execution,
            engines.load().resolve_jit(self, jit_compile), self._own_output_names(),
        )  # fmt: skip
        self.optimizer = optimizer
        self._scaled: Any = optimizer if optimizer is not given else None
        self.compiled = True
        self.stop_training = False

    def _is_mixed_float16(self) -> bool:
        policy = getattr(self, "dtype_policy", None)
        return getattr(policy, "name", "") == "mixed_float16"

    def _own_output_names(self) -> Any:
        try:
            return getattr(self, "output_names", None)
        except (AttributeError, ValueError):
            return None

    def _require_compiled(self) -> Compiled:
        if self._compiled is None:
            raise ValueError("Call compile() first: the model has no optimizer, loss and metrics yet.")
        return self._compiled

    # Settings

    @property
    def jit_compile(self) -> Any:
        """Whether steps are compiled."""
        return None if self._compiled is None else self._compiled.jit_compile

    @jit_compile.setter
    def jit_compile(self, value: Any) -> None:
        compiled = self._require_compiled()
        compiled.jit_compile = engines.load().resolve_jit(self, value)
        compiled.functions.clear()

    @property
    def run_eagerly(self) -> bool:
        """Whether steps run line by line."""
        return self._compiled is not None and self._compiled.run_eagerly

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        compiled = self._require_compiled()
        compiled.run_eagerly = bool(value)
        compiled.functions.clear()

    @property
    def steps_per_execution(self) -> int:
        """How many steps are run as one."""
        return 1 if self._compiled is None else self._compiled.steps_per_execution

    @property
    def loss(self) -> Any:
        """The loss given to compile."""
        return None if self._compiled is None else self._compiled.config["loss"]

    # Losses and metrics

    @property
    def losses(self) -> list[Any]:
        """Losses that layers added in the last call, and weight penalties."""
        if self._extra_losses is not None:
            return list(self._extra_losses)
        if self._loss_sources is not None and ambient.stateless is None:
            return self._loss_sources.losses(self)
        return super().losses

    @property
    def metrics(self) -> list[Any]:
        """The loss, the metrics that layers hold, and those of compile."""
        held = super().metrics
        if self._compiled is None:
            return held
        own = self._compiled.own_metrics()
        return list({id(m): m for m in [own[0], *held, *own[1:]]}.values())

    @property
    def metrics_names(self) -> list[str]:
        """The names of `metrics`."""
        return [metric.name for metric in self.metrics]

    @property
    def metrics_variables(self) -> list[Any]:
        """The state of all metrics."""
        return [v for metric in self.metrics for v in metric.variables]

    def reset_metrics(self) -> None:
        """Set all metrics to zero."""
        for metric in self.metrics:
            metric.reset_state()

    def get_metrics_result(self) -> dict[str, Any]:
        """The values of all metrics by name."""
        results: dict[str, Any] = {}
        for metric in self.metrics:
            value = metric.result()
            if isinstance(value, dict):
                results.update(value)
            else:
                results[metric.name] = value
        return results

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """The number to minimise: the loss of compile, what layers added, and weight penalties. Override for your own.

        Args:
            x: inputs.
            y: labels.
            y_pred: the model's outputs for `x`.
            sample_weight: weights of samples.
            training: whether it is for training.
        """
        compiled = self._require_compiled()
        total: Any = None
        if compiled.loss is not None:
            if y is None:
                raise ValueError("The model was compiled with a loss, but the data has no labels (y).")
            total = compiled.loss(y, y_pred, sample_weight)
        for loss in self.losses:
            loss = ops.sum(loss) if len(getattr(loss, "shape", ())) else loss
            if total is None:
                total = ops.convert_to_tensor(loss)
            else:
                total = ops.add(total, ops.cast(loss, total.dtype))
        if total is None:
            raise ValueError(
                "There is nothing to minimise: give compile() a loss, call add_loss() in a layer, or override "
                "compute_loss()."
            )
        return total

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Update the metrics of compile and return the values of all. Override for your own.

        Args:
            x, y, y_pred, sample_weight: see `compute_loss`.
        """
        metrics = self._require_compiled().metrics
        if metrics is not None and y is not None:
            metrics.update_state(y, y_pred, sample_weight=sample_weight)
        return self.get_metrics_result()

    def _loss_of(self, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool) -> Any:
        """`compute_loss`, also where somebody overrides it without `training`."""
        if takes(type(self).compute_loss, "training"):
            return self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training)
        return self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)

    def _forward(self, x: Any, training: bool) -> Any:
        return self(x, training=training) if self._call_signature.takes_training else self(x)

    def _watch_losses(self, watch: bool) -> None:
        """Find the sources of losses once for the steps to come."""
        self._loss_sources = LossSources(self) if watch else None

    def _track_loss(self, loss: Any, x: Any) -> None:
        self._require_compiled().loss_tracker.update_state(loss, sample_weight=batch_size_of(x))

    def _has_own(self, *names: str) -> bool:
        """Whether the model overrides one of these methods of the trainer."""
        return any(getattr(type(self), name) is not _original(name) for name in names)

    def stateless_compute_loss(
        self, trainable_variables: Any, non_trainable_variables: Any, metrics_variables: Any, x: Any = None,
        y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True,
    ) -> Any:  # fmt: skip
        """`compute_loss` as a pure function.

        Returns:
            `(loss, (trainable_variables, non_trainable_variables, metrics_variables))`.
        """
        groups = (self.trainable_variables, self.non_trainable_variables, self.metrics_variables)
        given = (list(trainable_variables), list(non_trainable_variables), list(metrics_variables))
        mapping = [pair for mine, values in zip(groups, given) for pair in zip(mine, values)]
        with StatelessScope(state_mapping=mapping) as scope:
            loss = self._loss_of(x, y, y_pred, sample_weight, training)
        after = tuple(
            [value if (new := scope.get_current_value(v)) is None else new for v, value in zip(mine, values)]
            for mine, values in zip(groups, given)
        )
        return loss, after

    def quantize(self, mode: Any = None, config: Any = None, filters: Any = None, **kwargs: Any) -> None:
        """Hold and apply the kernels of the layers in fewer bits; see `klayers.Model.quantize`."""
        super().quantize(mode=mode, config=config, filters=filters, **kwargs)
        self._forget_functions()

    def _forget_functions(self) -> None:
        """Make steps anew: the model has other variables now."""
        self.__dict__.pop("_loose_functions", None)
        if self._compiled is not None:
            self._compiled.functions.clear()

    # Building

    def _prepare(self, data: Any, training: bool = True) -> None:
        """Make all variables, before the first step, from the shapes of a batch."""
        from ktrain.data.packing import unpack_x_y_sample_weight

        x, y, sample_weight = unpack_x_y_sample_weight(data)
        compiled = self._compiled
        known = compiled is not None and all(part is None or part.built for part in (compiled.loss, compiled.metrics))
        y_pred: Any = None
        if not self.built or (not known and y is not None):
            y_pred = self._output_specs(x)
        if compiled is not None and not known and y is not None and y_pred is not None:
            compiled.build(y, y_pred, sample_weight)
        if training and self.optimizer is not None and not self.optimizer.built:
            self.optimizer.build(self.trainable_variables)

    def _output_specs(self, x: Any) -> Any:
        """The outputs for a batch as KerasTensors; this builds the model."""
        from kops.keras_tensor import KerasTensor
        from kops.scopes import NoRecording

        def spec(leaf: Any) -> Any:
            if leaf is None:
                return None
            dtype = ops.standardize_dtype(leaf.dtype) if getattr(leaf.dtype, "kind", "") not in "USO" else "string"
            return KerasTensor(tuple(leaf.shape), dtype=dtype)

        specs = tree.map_structure(spec, x) if tree.is_nested(x) else spec(x)
        with NoRecording():
            return self(specs)

    # Configs

    def get_compile_config(self) -> dict[str, Any] | None:
        """The arguments of compile as plain data; None for a model that is not compiled."""
        compiled = self._compiled
        if compiled is None:
            return None
        optimizer: Any = self.optimizer
        if optimizer is not None and optimizer is self._scaled:
            optimizer = optimizer.inner_optimizer  # who reads the file compiles again, and so wraps it again
        return {
            "optimizer": serialize_keras_object(optimizer),
            **{key: serialize_keras_object(value) for key, value in compiled.config.items()},
            "run_eagerly": compiled.run_eagerly,
            "steps_per_execution": compiled.steps_per_execution,
            "jit_compile": compiled.jit_compile,
        }

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile with the arguments of `get_compile_config`."""
        if not config:
            return
        if type(self).compile is not Trainer.compile and "optimizer" not in config:
            raise ValueError(
                f"{type(self).__name__} overrides compile(); it must override compile_from_config() too to be loaded "
                "compiled."
            )
        config = {
            key: _with_optimizer(value) if key == "optimizer" else deserialize_keras_object(
                value, namespaces=("keras.losses", "keras.metrics")
            )
            for key, value in config.items()
        }  # fmt: skip
        if "jit_compile" in config:
            config["jit_compile"] = engines.load().jit_of_file(config["jit_compile"])
        self.compile(**config)
        if self.optimizer is not None and self.built:
            self.optimizer.build(self.trainable_variables)


def _with_optimizer(value: Any) -> Any:
    return optimizer_identifiers.deserialize(value) if isinstance(value, (dict, str)) else value


def _original(name: str) -> Any:
    return getattr(Trainer, name)
