"""Arithmetic of sliding windows, for the rules and kernels of convolutions, pooling and patches.

"same" pads so that the output has `ceil(size / stride)` positions, the smaller half in front; "valid" pads nothing.
A transposed convolution spreads its input over `(size - 1) * stride + window` positions, of which it keeps the
middle ones; which, depends on window and stride only, so it is known even when sizes are not.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, Iterator, NamedTuple, Optional, Sequence, Tuple, TypeVar

from kops import config
from kops.engine import engine
from kops.shapes import Shape
from kops.static_types import exact, frozen

D = TypeVar("D")  # what stands for a dimension: an int, or None where the size is unknown


class Geometry(NamedTuple):
    """Checked window arguments of an op over `n` spatial dimensions."""

    n: int
    strides: Tuple[int, ...]
    dilation: Tuple[int, ...]
    padding: str
    channels_first: bool


def each(value: Any, n: int, name: str, least: int = 1) -> tuple[int, ...]:
    """A window argument given once or per spatial dimension, as a tuple of ints from `least` up."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * n
    if len(values) == 1:
        values = values * n
    if len(values) != n or not all(isinstance(v, int) and v >= least for v in values):
        kind = "a positive int" if least else "an int from 0 up"
        raise ValueError(f"{name} must be {kind} or {n} of them, not {value!r}.")
    return values


def channels_first(data_format: str | None) -> bool:
    """Whether channels come before the spatial dimensions; None is the configured format."""
    data_format = config.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"data_format must be 'channels_first' or 'channels_last', not {data_format!r}.")
    return data_format == "channels_first"


def geometry(ndim: int, strides: Any, padding: str, data_format: str | None, dilation: Any = 1) -> Geometry:
    """Window arguments, checked; `ndim` is that of the input with batch and channels."""
    if not 3 <= ndim <= 5:
        raise ValueError(f"the input has batch, channels and 1 to 3 spatial dimensions; it has {ndim} dimensions.")
    steps = frozen((strides, dilation))
    compiling = engine().compiling
    # torch.compile warns of caches, and needs none.
    run = _geometry.__wrapped__ if compiling is not None and compiling() else _geometry
    data_format = config.image_data_format() if data_format is None else data_format
    return run(ndim, steps, exact(steps), padding, data_format)


@functools.lru_cache(maxsize=4096)
def _geometry(ndim: int, steps: Any, key: Any, padding: str, data_format: str) -> Geometry:
    n = ndim - 2
    lower = padding.lower() if isinstance(padding, str) else padding
    if lower not in ("same", "valid"):
        raise ValueError(f"padding must be 'same' or 'valid', not {padding!r}.")
    strides, dilation = each(steps[0], n, "strides"), each(steps[1], n, "dilation_rate")
    return Geometry(n, strides, dilation, lower, channels_first(data_format))


def pooling(
    ndim: int, pool_size: Any, strides: Any, padding: str, data_format: str | None
) -> tuple[Geometry, tuple[int, ...]]:
    """Arguments of pooling, checked, and the window; strides default to it."""
    g = geometry(ndim, pool_size if strides is None else strides, padding, data_format)
    return g, each(pool_size, g.n, "pool_size")


def extent(window: int, dilation: int) -> int:
    """How many positions a dilated window covers."""
    if window < 1:
        raise ValueError("a window has at least one position along each dimension.")
    return (window - 1) * dilation + 1


def same_padding(size: int, window: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Zeros before and after a dimension; none around nothing."""
    if size == 0:
        return 0, 0
    total = max((-(-size // stride) - 1) * stride + extent(window, dilation) - size, 0)
    return total // 2, total - total // 2


def paddings(sizes: Sequence[int], window: Sequence[int], g: Geometry) -> list[tuple[int, int]]:
    """Zeros before and after every spatial dimension."""
    if g.padding == "valid":
        for size, w, s, d in zip(sizes, window, g.strides, g.dilation):
            positions(size, w, s, g.padding, d)  # engines differ in what they make of no position
        return [(0, 0)] * g.n
    return [same_padding(*args) for args in zip(sizes, window, g.strides, g.dilation)]


def positions(size: int | None, window: int | None, stride: int, padding: str, dilation: int = 1) -> int | None:
    """How many windows fit into a dimension; None if a size is unknown."""
    if size is None or window is None:
        return None
    covered = extent(window, dilation)
    if padding == "same":
        return -(-size // stride)
    count = (size - covered) // stride + 1
    if count < 1 and size:
        raise ValueError(f"a window of {covered} does not fit into {size} positions without padding.")
    return max(count, 0)


def spatial(shape: Sequence[D], g: Geometry) -> tuple[D, ...]:
    return tuple(shape[2:] if g.channels_first else shape[1:-1])


def channels(shape: Sequence[D], g: Geometry) -> D:
    return shape[1] if g.channels_first else shape[-1]


def check_kernel(x: Any, kernel: Any, depth: int, g: Geometry) -> None:
    """For kernels of engines that take more than the rules do; those have the words, and what comes of nothing."""
    if x.ndim != kernel.ndim or channels(x.shape, g) % max(depth, 1) or 0 in spatial(x.shape, g):
        raise ValueError("The kernel does not fit the input.")


def assemble(batch: D, sizes: Sequence[D], depth: D, g: Geometry) -> tuple[D, ...]:
    """A whole shape in the order of the data format."""
    return (batch, depth, *sizes) if g.channels_first else (batch, *sizes, depth)


def slide(shape: Sequence[int | None], window: Sequence[int | None], depth: int | None, g: Geometry) -> Shape:
    """The output shape of a window that slides over an input of `shape` and gives `depth` channels."""
    sizes = (
        positions(size, w, s, g.padding, d) for size, w, s, d in zip(spatial(shape, g), window, g.strides, g.dilation)
    )
    return assemble(shape[0], tuple(sizes), depth, g)


def transposed_crop(window: Sequence[int], output_padding: Any, g: Geometry) -> list[tuple[int, int]]:
    """Per dimension of a transposed convolution, how many positions to cut in front and at the end.

    A negative number at the end means zeros to append.
    """
    extras: Sequence[Optional[int]]
    if output_padding is None or isinstance(output_padding, int):
        extras = (output_padding,) * g.n
    else:
        extras = tuple(output_padding) if isinstance(output_padding, (tuple, list)) else ()
    if len(extras) != g.n or not all(e is None or isinstance(e, int) for e in extras):
        raise ValueError(f"output_padding must be an int or {g.n} of them, not {output_padding!r}.")
    crops = []
    for w, s, d, extra in zip(window, g.strides, g.dilation, extras):
        w = extent(w, d)
        if extra is None:
            # The output has size * stride positions, "valid" windows wider than the stride excepted.
            surplus = w - s if g.padding == "same" else min(w - s, 0)
        else:
            if not 0 <= extra < max(s, d):
                raise ValueError(f"output_padding {extra} must be less than the stride {s} and not negative.")
            surplus = (2 * (w // 2) if g.padding == "same" else 0) - extra
        before = max(surplus, 0) // 2
        crops.append((before, surplus - before))
    return crops


def transposed_sizes(
    sizes: Sequence[int | None], window: Sequence[int], crops: Sequence[tuple[int, int]], g: Geometry
) -> Shape:
    return tuple(
        None if size is None else (size - 1) * s + extent(w, d) - before - after if size else 0
        for size, w, s, d, (before, after) in zip(sizes, window, g.strides, g.dilation, crops)
    )


def taps(x: Any, window: Sequence[int], g: Geometry) -> Iterator[Any]:
    """For each tap of the window in order the input positions it meets: slices `(batch, *new_sizes, channels)` of `x`.

    `x` is padded already and has channels last.
    """
    counts = [(size - extent(w, d)) // s + 1 for size, w, s, d in zip(x.shape[1:-1], window, g.strides, g.dilation)]
    if min(counts) < 1 and min(x.shape[1:-1]):
        raise ValueError("The window is larger than the input.")
    for offsets in itertools.product(*(range(w) for w in window)):
        cut = tuple(
            slice(o * d, o * d + (n - 1) * s + 1 if n > 0 else 0, s)
            for o, n, s, d in zip(offsets, counts, g.strides, g.dilation)
        )
        yield x[(slice(None), *cut)]
