"""Quantizers: objects that turn a float tensor into integers and a scale."""

from __future__ import annotations

from typing import Any

from klayers.by_name import ByName
from kquant.abs_max import abs_max_quantize
from kspec import public


@public("keras.Quantizer", "keras.quantizers.Quantizer")
class Quantizer:
    """The base of quantizers.

    A subclass writes `__call__(x, axis=None)`, which returns the quantized tensor and its scale (what the tensor was
    multiplied by), and, to be saved, `get_config()`.

    Args:
        output_dtype: dtype of the quantized tensor.
    """

    def __init__(self, output_dtype: str = "int8") -> None:
        self.output_dtype = output_dtype

    def __call__(self, x: Any) -> Any:
        """The quantized tensor and its scale."""
        return x

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A quantizer from what `get_config` returned."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        raise NotImplementedError(f"{type(self).__name__} must define get_config() to be saved.")


@public("keras.quantizers.AbsMaxQuantizer")
class AbsMaxQuantizer(Quantizer):
    """`abs_max_quantize` as an object.

    Args:
        axis: the axis or axes over which one scale is shared; None leaves it to the call (and there means all).
        value_range: the lowest and the highest integer used.
        epsilon: added to the largest absolute value.
        output_dtype: dtype of the integers.

    Example:
        >>> integers, scale = AbsMaxQuantizer(axis=-1)(np.ones((2, 3), "float32"))
    """

    def __init__(
        self,
        axis: Any = None,
        value_range: tuple[int, int] = (-127, 127),
        epsilon: float = 1e-7,
        output_dtype: str = "int8",
    ) -> None:
        super().__init__(output_dtype)
        self.axis = None if axis is None else tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
        self.value_range = tuple(value_range)
        self.epsilon = epsilon

    def __call__(self, x: Any, axis: Any = None, to_numpy: bool = False) -> Any:
        """The integers and their scale; `axis` of the call wins over that of the constructor."""
        return abs_max_quantize(
            x,
            self.axis if axis is None else axis,
            value_range=self.value_range,  # type: ignore[arg-type]
            dtype=self.output_dtype,
            epsilon=self.epsilon,
            to_numpy=to_numpy,
        )

    def get_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "value_range": self.value_range,
            "epsilon": self.epsilon,
            "output_dtype": self.output_dtype,
        }
        if self.axis is not None:
            config["axis"] = self.axis
        return config


_NAMES = ByName("quantizer", "keras.quantizers", (AbsMaxQuantizer,), abs_max=AbsMaxQuantizer, Quantizer=Quantizer)


@public("keras.quantizers.serialize")
def serialize(initializer: Any) -> Any:
    """The plain data from which `deserialize` makes the quantizer (or quantization config) again."""
    return _NAMES.serialize(initializer)


@public("keras.quantizers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The quantizer, or quantization config, that `serialize` described."""
    return _NAMES.deserialize(config, custom_objects)


@public("keras.quantizers.get")
def get(identifier: Any, **kwargs: Any) -> Any:
    """The quantizer that an argument means.

    Args:
        identifier: a name ("AbsMaxQuantizer", "abs_max_quantizer"), a class, a config, a callable, or None.
        **kwargs: arguments of its constructor, when a name or a class is given.

    Raises:
        ValueError: when it means none.
    """
    if kwargs:
        cls = _NAMES.names.get(identifier, identifier) if isinstance(identifier, str) else identifier
        if not isinstance(cls, type):
            raise ValueError(f"Arguments {', '.join(kwargs)} go with the name or class of a quantizer, not {cls!r}.")
        return cls(**kwargs)
    return _NAMES.get(identifier)
