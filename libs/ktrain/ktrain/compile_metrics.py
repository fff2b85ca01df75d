"""`CompileMetrics`: the metrics given to `compile`, for one output or several."""

from __future__ import annotations

from typing import Any

from kops import tree
from ktrain.metrics import accuracy, identifiers, probabilistic
from ktrain.metrics.averages import MeanMetricWrapper
from ktrain.metrics.metric import Metric
from ktrain.outputs import Outputs

_BY_SHAPE = {
    "accuracy": (
        accuracy.BinaryAccuracy, accuracy.SparseCategoricalAccuracy, accuracy.CategoricalAccuracy,
    ),
    "crossentropy": (
        probabilistic.BinaryCrossentropy, probabilistic.SparseCategoricalCrossentropy,
        probabilistic.CategoricalCrossentropy,
    ),
}  # fmt: skip
_SHORT = {"acc": "accuracy", "ce": "crossentropy"}


def _by_shape(name: str, y_true: Any, y_pred: Any) -> Any:
    """The accuracy or crossentropy that fits labels and predictions of these shapes."""
    binary, sparse, categorical = _BY_SHAPE[_SHORT.get(name, name)]
    true_shape, pred_shape = tuple(getattr(y_true, "shape", ())), tuple(y_pred.shape)
    if len(pred_shape) < 2 or pred_shape[-1] == 1:
        return binary(name=name)
    if len(true_shape) < len(pred_shape) or (true_shape[-1] == 1 and pred_shape[-1] != 1):
        return sparse(name=name)
    return categorical(name=name)


def make_metric(choice: Any, y_true: Any, y_pred: Any) -> tuple[str, Any]:
    """The name in the logs, and the metric, of a name, function, config or object."""
    lowered = choice.lower() if isinstance(choice, str) else None
    if lowered in _BY_SHAPE or lowered in _SHORT:
        return choice, _by_shape(lowered, y_true, y_pred)  # type: ignore[arg-type]
    metric = identifiers.get(choice)
    if not isinstance(metric, Metric):
        metric = MeanMetricWrapper(metric, name=getattr(metric, "__name__", None) or type(metric).__name__)
    return (choice if isinstance(choice, str) else metric.name), metric


def _check_names(metrics: Any) -> None:
    """Refuse unknown names at once, not at the first batch."""
    for leaf in tree.flatten(metrics):
        if isinstance(leaf, str) and leaf.lower() not in _BY_SHAPE and leaf.lower() not in _SHORT:
            identifiers.get(leaf)


def _without_configs(metrics: Any) -> Any:
    """Configs of metrics made objects, so that what is left is lists, dictionaries by output, names and objects."""
    if isinstance(metrics, dict):
        if "class_name" in metrics:
            return identifiers.deserialize(metrics)
        return {key: _without_configs(value) for key, value in metrics.items()}
    if isinstance(metrics, (list, tuple)):
        return [_without_configs(value) for value in metrics]
    return metrics


class CompileMetrics(Metric):
    """Updates all metrics, and names their results.

    Args:
        metrics, weighted_metrics: a list for a single output; a list of lists, or a dictionary by output name.
            Weighted ones get the sample weights.
        output_names: of the model.
    """

    def __init__(self, metrics: Any, weighted_metrics: Any, output_names: Any = None) -> None:
        super().__init__(name="compile_metrics")
        for what, value in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            if value is not None and not isinstance(value, (list, tuple, dict)):
                raise ValueError(f"{what} is a list or a dictionary by output name, not {value!r}.")
        self._chosen = (_without_configs(metrics), _without_configs(weighted_metrics))
        _check_names(self._chosen[0])
        _check_names(self._chosen[1])
        self._output_names = output_names
        self._outputs: Outputs | None = None
        # (output, name in the logs, metric, whether weighted)
        self._entries: list[tuple[int, str, Any, bool]] = []

    @property
    def built(self) -> bool:
        """Whether it knows the outputs."""
        return self._outputs is not None

    @property
    def metrics(self) -> list[Any]:
        """The metrics."""
        return [entry[2] for entry in self._entries]

    @property
    def variables(self) -> list[Any]:
        return [v for metric in self.metrics for v in metric.variables]

    def build(self, y_true: Any, y_pred: Any) -> None:
        """Make the metrics, now that the outputs are known."""
        outputs = Outputs(y_pred, self._output_names)
        labels, predictions = outputs.by_output(y_true, "y"), outputs.flatten(y_pred)
        used: set[str] = set()
        entries: list[tuple[int, str, Any, bool]] = []
        for choices, weighted in ((self._chosen[0], False), (self._chosen[1], True)):
            what = "weighted_metrics" if weighted else "metrics"
            for i, chosen in enumerate(outputs.choices(choices, what, every=False)):
                for choice in chosen if isinstance(chosen, (list, tuple)) else [chosen]:
                    if choice is None:
                        continue
                    name, metric = make_metric(choice, labels[i], predictions[i])
                    if not outputs.single:
                        prefix = f"{outputs.names[i]}_weighted_" if weighted else f"{outputs.names[i]}_"
                        plain = f"{outputs.names[i]}_{name}"
                    else:
                        prefix, plain = "weighted_" if weighted else "", name
                    # A weighted metric shows that it is one only beside the unweighted one.
                    shown = plain if plain not in used else f"{prefix}{name}"
                    number = 1
                    while shown in used:
                        shown = f"{plain}_{number}"
                        number += 1
                    used.add(shown)
                    entries.append((i, shown, metric, weighted))
        self._entries = entries
        self._outputs = outputs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        if self._outputs is None:
            self.build(y_true, y_pred)
        outputs = self._outputs
        assert outputs is not None
        if outputs.structure == 0 and not isinstance(y_true, (list, tuple, dict)):
            for _, _, metric, weighted in self._entries:
                if weighted and sample_weight is not None:
                    metric.update_state(y_true, y_pred, sample_weight=sample_weight)
                else:
                    metric.update_state(y_true, y_pred)
            return
        labels = outputs.by_output(y_true, "y")
        weights = outputs.by_output(sample_weight, "sample_weight", broadcast=True)
        predictions = outputs.flatten(y_pred)
        for i, name, metric, weighted in self._entries:
            if labels[i] is None:
                raise ValueError(f"The metric {name!r} needs labels for the output {outputs.names[i]!r}.")
            if weighted and weights[i] is not None:
                metric.update_state(labels[i], predictions[i], sample_weight=weights[i])
            else:
                metric.update_state(labels[i], predictions[i])

    def result(self) -> dict[str, Any]:
        results: dict[str, Any] = {}
        for _, name, metric, _ in self._entries:
            value = metric.result()
            if isinstance(value, dict):
                results.update(value)
            else:
                results[name] = value
        return results

    def reset_state(self) -> None:
        for metric in self.metrics:
            metric.reset_state()

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("The metrics of compile() are saved with the model's compile config.")
