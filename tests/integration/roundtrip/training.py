"""Random settings of training for a model of any structure of outputs."""

from __future__ import annotations

from typing import Any

import custom
import numpy as np
from models import BATCH, Models

LOSSES = (
    "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError Huber LogCosh Poisson "
    "CosineSimilarity KLDivergence BinaryCrossentropy BinaryFocalCrossentropy Hinge SquaredHinge CategoricalHinge "
    "CategoricalCrossentropy CategoricalFocalCrossentropy CategoricalGeneralizedCrossEntropy Dice Tversky"
)
LOSS_NAMES = "mse mae mape msle huber log_cosh poisson cosine_similarity kl_divergence hinge categorical_crossentropy"
METRICS = (
    "AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy CategoricalCrossentropy "
    "CategoricalHinge CosineSimilarity F1Score FBetaScore FalseNegatives FalsePositives Hinge KLDivergence "
    "LogCoshError MeanAbsoluteError MeanSquaredError MeanSquaredLogarithmicError OneHotIoU OneHotMeanIoU Poisson "
    "Precision PrecisionAtRecall R2Score Recall RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity "
    "SpecificityAtSensitivity SquaredHinge TopKCategoricalAccuracy TrueNegatives TruePositives PearsonCorrelation "
    "ConcordanceCorrelation"
)
METRIC_NAMES = "mse mae accuracy acc categorical_accuracy binary_accuracy hinge kl_divergence AUC"


class Training:
    """Optimizer, losses, metrics and targets of one model."""

    def __init__(self, models: Models, model: Any):
        self.d, self.model = models, model
        self.keras = models.keras
        self.paths = self.keras.tree.flatten(models.outputs)

    def compile(self) -> Any:
        """Compiles the model; the targets."""
        d = self.d
        paths = self.paths
        rng = np.random.default_rng([d.seed, 7])
        targets = [np.eye(3, dtype="float32")[rng.integers(0, 3, size=BATCH)] for _ in paths]
        arguments: dict[str, Any] = {"optimizer": d.optimizer()}
        structured = len(paths) > 1
        if structured and self.names():
            losses = {name: self.loss() for name in self.names()}
            metrics = {name: self.metrics() for name in self.names() if d.chance(0.6)}
            weights = {name: d.one((0.5, 2, 1.0)) for name in self.names()}
            if d.chance(0.4):
                losses, weights = list(losses.values()), list(weights.values())
                metrics = [self.metrics() for _ in paths]
            if d.chance(0.25):
                losses, weights = self.loss(), None
        else:
            losses, metrics, weights = self.loss(), self.metrics(), d.one((None, [0.5])) if len(paths) == 1 else None
            if structured:
                metrics = None
        arguments["loss"] = losses
        if d.chance(0.8):
            arguments["metrics"] = metrics
        if d.chance(0.3):
            arguments["weighted_metrics"] = metrics if d.chance(0.5) and "metrics" not in arguments else None
        if d.chance(0.5) and weights is not None:
            arguments["loss_weights"] = weights
        arguments["jit_compile"] = d.one(("auto", False))
        if d.chance(0.1):
            arguments["auto_scale_loss"] = False
        self.model.compile(**arguments)
        return self.keras.tree.map_structure(lambda i: targets[i], self.d.outputs)

    def names(self) -> list[str]:
        """The names of outputs by which settings may go."""
        structure = self.d.outputs
        if isinstance(structure, dict):
            return [] if "first" in structure else list(structure)
        return list(self.model.output_names) if isinstance(structure, list) else []

    def loss(self) -> Any:
        d = self.d
        kind = d.random.randrange(12)
        if kind < 3:
            return d.one(LOSS_NAMES.split())
        if kind == 3:
            return custom.Tilted(0.4, name="tilted")
        if kind == 4:
            return d.one((custom.weighted_square, custom.plain_loss, self.keras.losses.mean_squared_error))
        return d.make(getattr(self.keras.losses, d.one(LOSSES.split())))

    def metrics(self) -> Any:
        d = self.d
        made: list[Any] = []
        for _ in range(d.random.randrange(1, 4)):
            kind = d.random.randrange(10)
            if kind < 3:
                made.append(d.one(METRIC_NAMES.split()))
            elif kind == 3:
                made.append(custom.Largest(-5.0, name=f"largest{len(made)}"))
            elif kind == 4:
                made.append(custom.weighted_square)
            else:
                named = {"name": f"m{len(made)}"} if d.chance(0.5) else {}
                made.append(d.make(getattr(self.keras.metrics, d.one(METRICS.split())), **named))
        return made
