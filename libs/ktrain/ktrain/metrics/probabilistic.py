"""Metrics of probabilities and margins that are means of a loss."""

from __future__ import annotations

from typing import Any

from kspec import public
from ktrain.losses import binary, categorical, divergence, hinge, sparse
from ktrain.metrics.errors import _NamedMean


@public("keras.metrics.KLDivergence")
class KLDivergence(_NamedMean):
    """The mean Kullback-Leibler divergence."""

    def __init__(self, name: str = "kl_divergence", dtype: Any = None) -> None:
        super().__init__(divergence.kl_divergence, name, dtype)
        self._direction = "down"


@public("keras.metrics.Poisson")
class Poisson(_NamedMean):
    """The mean Poisson loss."""

    def __init__(self, name: str = "poisson", dtype: Any = None) -> None:
        super().__init__(divergence.poisson, name, dtype)
        self._direction = "down"


@public("keras.metrics.Hinge")
class Hinge(_NamedMean):
    """The mean hinge loss."""

    def __init__(self, name: str = "hinge", dtype: Any = None) -> None:
        super().__init__(hinge.hinge, name, dtype)
        self._direction = "down"


@public("keras.metrics.SquaredHinge")
class SquaredHinge(_NamedMean):
    """The mean squared hinge loss."""

    def __init__(self, name: str = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(hinge.squared_hinge, name, dtype)
        self._direction = "down"


@public("keras.metrics.CategoricalHinge")
class CategoricalHinge(_NamedMean):
    """The mean categorical hinge loss."""

    def __init__(self, name: str = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(hinge.categorical_hinge, name, dtype)
        self._direction = "down"


@public("keras.metrics.BinaryCrossentropy")
class BinaryCrossentropy(_NamedMean):
    """The mean crossentropy of yes/no labels.

    Args:
        from_logits: whether predictions are logits rather than probabilities.
        label_smoothing: how far labels move towards 0.5.
        name, dtype: see `keras.Metric`.
    """

    def __init__(
        self, name: str = "binary_crossentropy", dtype: Any = None, from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            binary.binary_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing
        )
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self._direction = "down"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "from_logits": self.from_logits, "label_smoothing": self.label_smoothing}


@public("keras.metrics.CategoricalCrossentropy")
class CategoricalCrossentropy(_NamedMean):
    """The mean crossentropy of one-hot labels.

    Args:
        from_logits: whether predictions are logits rather than probabilities.
        label_smoothing: how far labels move towards the uniform distribution.
        axis: of the classes.
        name, dtype: see `keras.Metric`.
    """

    def __init__(
        self, name: str = "categorical_crossentropy", dtype: Any = None, from_logits: bool = False,
        label_smoothing: float = 0, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(
            categorical.categorical_crossentropy, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis
        self._direction = "down"

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "from_logits": self.from_logits,
            "label_smoothing": self.label_smoothing,
            "axis": self.axis,
        }


@public("keras.metrics.SparseCategoricalCrossentropy")
class SparseCategoricalCrossentropy(_NamedMean):
    """The mean crossentropy of labels that are class numbers.

    Args:
        from_logits: whether predictions are logits rather than probabilities.
        ignore_class: a label whose loss is zero.
        axis: of the classes.
        name, dtype: see `keras.Metric`.
    """

    def __init__(
        self, name: str = "sparse_categorical_crossentropy", dtype: Any = None, from_logits: bool = False,
        ignore_class: int | None = None, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(
            sparse.sparse_categorical_crossentropy, name, dtype,
            from_logits=from_logits, ignore_class=ignore_class, axis=axis,
        )  # fmt: skip
        self.from_logits = from_logits
        self.ignore_class = ignore_class
        self.axis = axis
        self._direction = "down"

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "from_logits": self.from_logits,
            "ignore_class": self.ignore_class,
            "axis": self.axis,
        }
