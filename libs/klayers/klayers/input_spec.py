"""`InputSpec`: what a layer requires of an input, and the check."""

from __future__ import annotations

from typing import Any

from kops import tree
from kops.dtypes import standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.shapes import standardize_shape
from kspec import public


@public("keras.InputSpec", "keras.layers.InputSpec")
class InputSpec:
    """Rank, shape and dtype that a layer requires of an input. Set it as `layer.input_spec`.

    Args:
        dtype: dtype name, or None for any.
        shape: dimensions, None where any size is right; it decides `ndim`.
        ndim: the exact number of axes.
        max_ndim, min_ndim: bounds of the number of axes.
        axes: sizes of single axes, `{axis: size}`; a size None allows any.
        allow_last_axis_squeeze: whether `(..., 1)` may stand for `(...)` and the reverse.
        name: the key of the input where inputs are a dictionary.
        optional: whether the input may be None.

    Raises:
        TypeError: when the keys of `axes` are not integers.
        ValueError: when `axes` names an axis that an input of this rank does not have.

    Example:
        >>> layer.input_spec = InputSpec(ndim=4, axes={-1: 3})  # images of three channels
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype = None if dtype is None else standardize_dtype(dtype)
        self.shape = None if shape is None else standardize_shape(shape)
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.name = name
        self.optional = optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        try:
            self.axes = {int(axis): size for axis, size in dict(axes or {}).items()}
        except (TypeError, ValueError):
            raise TypeError(f"axes must be a dictionary from axis (an integer) to size, not {axes!r}.") from None
        most = self.ndim if self.ndim is not None else max_ndim
        if self.axes and most is not None:
            for axis in self.axes:
                if not -most <= axis < most:
                    raise ValueError(f"axes names axis {axis}, but inputs have at most {most} axes.")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes,
            "optional": self.optional,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """A spec from what `get_config` returned."""
        return cls(**config)

    def __repr__(self) -> str:
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")
        said = [f"{name}={getattr(self, name)}" for name in names if getattr(self, name) not in (None, {}, False)]
        return f"InputSpec({', '.join(said)})"


def assert_input_compatibility(input_spec: Any, inputs: Any, layer_name: str) -> None:
    """Check inputs against a spec, or a structure of them against a structure of specs.

    Raises:
        ValueError: saying which requirement of which input is not met.
    """
    specs = tree.flatten(input_spec)
    if isinstance(inputs, dict) and all(spec is not None and spec.name for spec in specs):
        missing = [spec.name for spec in specs if spec.name not in inputs and not spec.optional]
        if missing:
            raise ValueError(
                f"Layer {layer_name!r} misses the input {', '.join(map(repr, missing))}; "
                f"it was given {', '.join(map(repr, inputs))}."
            )
        values = [inputs.get(spec.name) for spec in specs]
    else:
        values = tree.flatten(inputs)
    if len(values) != len(specs):
        raise ValueError(f"Layer {layer_name!r} takes {len(specs)} inputs, but {len(values)} were given.")
    for number, (spec, x) in enumerate(zip(specs, values)):
        which = f"Layer {layer_name!r}" if len(specs) == 1 else f"Input {number} of layer {layer_name!r}"
        if spec is not None and not (x is None and spec.optional):
            _check(spec, x, which)


def _check(spec: InputSpec, x: Any, which: str) -> None:
    if x is None or not hasattr(x, "shape"):
        raise ValueError(f"{which} takes a tensor, not {x!r}.")
    shape = tuple(x.shape) if isinstance(x, KerasTensor) or not engine().is_tensor(x) else engine().shape(x)
    ndim = len(shape)
    if spec.ndim is not None and spec.ndim != ndim:
        longer = shape if ndim > spec.ndim else spec.shape
        squeezed = spec.allow_last_axis_squeeze and abs(ndim - spec.ndim) == 1 and longer and longer[-1] == 1
        if not squeezed:
            raise ValueError(f"{which} takes an input of {spec.ndim} axes, not {ndim}: its shape is {shape}.")
        _compare_sizes(enumerate((spec.shape or ())[: min(ndim, spec.ndim)]), shape, which)
        return
    if spec.max_ndim is not None and ndim > spec.max_ndim:
        raise ValueError(f"{which} takes an input of at most {spec.max_ndim} axes; its shape is {shape}.")
    if spec.min_ndim is not None and ndim < spec.min_ndim:
        raise ValueError(f"{which} takes an input of at least {spec.min_ndim} axes; its shape is {shape}.")
    if spec.dtype is not None and standardize_dtype(x.dtype) != spec.dtype:
        raise ValueError(f"{which} takes an input of dtype {spec.dtype}, not {standardize_dtype(x.dtype)}.")
    _compare_sizes(spec.axes.items(), shape, which)
    if spec.shape is not None:
        _compare_sizes(enumerate(spec.shape), shape, which)


def _compare_sizes(wanted: Any, shape: Any, which: str) -> None:
    for axis, size in wanted:
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"{which} takes an input that has an axis {axis}; its shape is {shape}.")
        if size is not None and shape[axis] not in (size, None):
            raise ValueError(f"{which} takes an input whose axis {axis} has size {size}, not shape {shape}.")
