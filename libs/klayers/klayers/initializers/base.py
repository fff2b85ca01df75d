"""`Initializer`, the base class."""

from __future__ import annotations

from typing import Any

from kops.dtypes import standardize_dtype
from kops.engine import engine
from kspec import public


@public("keras.Initializer", "keras.initializers.Initializer")
class Initializer:
    """A function from a shape and a dtype to a first value.

    Subclasses write `__call__(shape, dtype=None)` and, to be saved, `get_config()`.

    Example:
        >>> class Halves(Initializer):
        ...     def __call__(self, shape, dtype=None):
        ...         return 0.5 * keras.ops.ones(shape, dtype=dtype)
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """A tensor of this shape and dtype (None: `floatx`)."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(shape, dtype=None).")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer from what `get_config` returned."""
        return cls(**config)

    def clone(self) -> Any:
        """A new initializer with the same settings; without a seed in them it draws other values."""
        return type(self).from_config(self.get_config())


def to_native(values: Any, dtype: Any) -> Any:
    """A NumPy array as the engine's tensor of a dtype."""
    return engine().convert(values, standardize_dtype(dtype))
