"""Images at other coordinates: geometric transformations."""

from __future__ import annotations

import itertools
from typing import Any, Sequence

import kops
from kops import dtypes, promote, shapes
from kops import images as layouts
from kops.declare import Tensor, composite
from kops.ops.image import gaussian_blur

FILL_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")
_ORDERS = {"nearest": 0, "bilinear": 1}


def _inside(index: Any, size: Any, fill_mode: str) -> Any:
    """Whole coordinates brought into a dimension."""
    if fill_mode == "wrap":
        return kops.mod(index, size)
    if fill_mode == "mirror":  # about the centre of the last pixel
        period = kops.maximum(2 * (size - 1), 1)
        back = kops.mod(index, period)
        return kops.minimum(back, period - back) if not (isinstance(size, int) and size == 1) else index * 0
    if fill_mode == "reflect":  # about the edge of the last pixel
        back = kops.mod(index, 2 * size)
        return kops.minimum(back, 2 * size - 1 - back)
    return kops.clip(index, 0, size - 1)


def _sample(
    values: Any, coordinates: Sequence[Any], sizes: Sequence[Any], offset: Any, order: int, fill_mode: str, fill: Any
) -> Any:
    """`values` at `coordinates`.

    Args:
        values: `(positions, ...)`: the dimensions of `sizes` flattened to one, which may be repeated.
        coordinates: one float tensor for each of the sizes, all of one shape.
        offset: added to the flat positions, 0 or whole numbers that broadcast to the coordinates.

    Returns:
        The shape of the coordinates, then the trailing dimensions of `values`.
    """
    per_axis = []
    for at, size in zip(coordinates, sizes):
        if order == 0:
            taps = [(kops.sign(at) * kops.floor(kops.abs(at) + 0.5), None)]
        else:
            low = kops.floor(at)
            taps = [(low, 1.0 - (at - low)), (low + 1.0, at - low)]
        entries = []
        for index, weight in taps:
            index = kops.cast(index, "int32")
            valid = None
            if fill_mode == "constant":
                valid = kops.logical_and(index >= 0, index < size)
            entries.append((_inside(index, size, fill_mode), weight, valid))
        per_axis.append(entries)
    total: Any = None
    widened = (..., *(None,) * (len(values.shape) - 1))
    for combination in itertools.product(*per_axis):
        flat, weight, valid = 0, None, None
        for (index, w, v), size in zip(combination, sizes):
            flat = flat * size + index
            weight = w if weight is None else weight * w
            valid = v if valid is None else kops.logical_and(valid, v)
        part = kops.take(values, flat + offset, axis=0)
        if valid is not None:
            part = kops.where(valid[widened], part, fill)
        if weight is not None:
            part = part * weight[widened]
        total = part if total is None else total + part
    return total


def _restored(x: Any, dtype: str) -> Any:
    if dtype in dtypes.INTS:
        x = kops.sign(x) * kops.floor(kops.abs(x) + 0.5)
    return kops.cast(x, dtype)


def _check_mode(fill_mode: str) -> None:
    if fill_mode not in FILL_MODES:
        raise ValueError(f"fill_mode must be one of {FILL_MODES}, not {fill_mode!r}.")


def _coordinates_shape(inputs: Any, coordinates: Any, order: int, fill_mode: str) -> shapes.Shape:
    _check_mode(fill_mode)
    if order not in (0, 1):
        raise ValueError(f"order must be 0 (nearest) or 1 (linear), not {order!r}.")
    if len(coordinates.shape) < 2 or coordinates.shape[0] not in (None, len(inputs.shape)):
        raise ValueError(
            f"coordinates must be ({len(inputs.shape)}, ...), one row for each dimension of the input, not "
            f"{tuple(coordinates.shape)}."
        )
    if 0 in inputs.shape and 0 not in coordinates.shape[1:]:
        raise ValueError(f"an input of shape {tuple(inputs.shape)} has no positions.")
    return tuple(coordinates.shape[1:])


@composite("keras.ops.image.map_coordinates", dtype=layouts.moved_by_floats, shape=_coordinates_shape, checked=True)
def map_coordinates(
    inputs: Tensor, coordinates: Tensor, order: int, fill_mode: str = "constant", fill_value: float = 0
) -> Any:
    """The input at given coordinates, between its positions by interpolation.

    Args:
        inputs: a tensor of any shape.
        coordinates: `(dimensions of the input, ...)`.
        order: 0 for the nearest position, 1 for linear interpolation.
        fill_mode: what lies outside: `"constant"` (`fill_value`), `"nearest"` (the last position), `"wrap"` (the other
            end), `"reflect"` (mirrored at the edge: `b a | a b c | c b`), `"mirror"` (mirrored at the last position:
            `c b | a b c | b a`).
        fill_value: for `"constant"`.

    Returns:
        A tensor of the shape of `coordinates` without its first dimension, and of the dtype of `inputs`.
    """
    dtype = kops.standardize_dtype(inputs.dtype)
    wide = inputs if dtype == "float64" else kops.cast(inputs, "float32")
    at = kops.cast(coordinates, wide.dtype)
    sizes = kops.shape(inputs)
    parts = [at[i] for i in range(len(sizes))]
    return _restored(_sample(kops.reshape(wide, [-1]), parts, sizes, 0, order, fill_mode, fill_value), dtype)


def _grid(x: Any, height: int, width: int, dtype: Any) -> tuple[Any, Any]:
    """Row and column of every pixel, `(1, height, 1)` and `(1, 1, width)`."""
    # Not of the first image: there may be none.
    ones = kops.sum(kops.zeros_like(x[..., 0], dtype=dtype), axis=0) + 1.0
    return kops.cumsum(ones, axis=0)[None] - 1.0, kops.cumsum(ones, axis=1)[None] - 1.0


def _warp(images: Any, rows_and_columns: Any, interpolation: str, fill_mode: str, fill: Any, data_format: Any) -> Any:
    """Images at `rows_and_columns(rows, columns)`, functions of the pixel with the batch in front."""
    dtype = kops.standardize_dtype(images.dtype)

    def warped(x: Any) -> Any:
        _, height, width, depth = kops.shape(x)
        places = rows_and_columns(*_grid(x, height, width, x.dtype))
        start = kops.cumsum(kops.ones_like(x[:, 0, 0, 0], dtype="int32")) - 1
        offset = kops.reshape(start, [-1, 1, 1]) * (height * width)
        flat = kops.reshape(x, [-1, depth])
        return _sample(flat, places, (height, width), offset, _ORDERS[interpolation], fill_mode, fill)

    x = images if dtype == "float64" else kops.cast(images, "float32")
    return _restored(layouts.as_batch(x, data_format, warped), dtype)


def _checked(images: Any, interpolation: str, fill_mode: str, data_format: Any) -> shapes.Shape:
    _check_mode(fill_mode)
    if interpolation not in _ORDERS:
        raise ValueError(f"interpolation must be 'nearest' or 'bilinear', not {interpolation!r}.")
    layouts.layout(len(images.shape), data_format)
    if 0 in images.shape[-3:]:
        raise ValueError(f"images of shape {tuple(images.shape)} have no positions or no channels.")
    return tuple(images.shape)


def _check_batch(images: Any, *batched: Any) -> None:
    """`batched` have as many entries as there are images."""
    for x in batched:
        if len(images.shape) == 4 and None not in (images.shape[0], x.shape[0]) and x.shape[0] != images.shape[0]:
            raise ValueError(f"{images.shape[0]} images do not fit a batch of {x.shape[0]}: {tuple(x.shape)}.")


def _affine_shape(images: Any, transform: Any, interpolation: str, fill_mode: str, data_format: Any) -> shapes.Shape:
    shape = _checked(images, interpolation, fill_mode, data_format)
    wanted = len(images.shape) - 2
    if len(transform.shape) != wanted or transform.shape[-1] not in (None, 8):
        raise ValueError(f"transform must have shape {'(batch, 8)' if wanted == 2 else '(8,)'}, not {transform.shape}.")
    _check_batch(images, transform)
    return shape


@composite("keras.ops.image.affine_transform", dtype=layouts.moved_by_floats, shape=_affine_shape, checked=True)
def affine_transform(
    images: Tensor,
    transform: Tensor,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0,
    data_format: Any = None,
) -> Any:
    """Images after a projective change of coordinates.

    The pixel `(x, y)` of the result is that of the image at `((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)` with
    `k = c0 x + c1 y + 1`.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        transform: `[a0, a1, a2, b0, b1, b2, c0, c1]`, `(batch, 8)` or `(8,)`.
        interpolation: `"nearest"` or `"bilinear"`.
        fill_mode, fill_value: see `map_coordinates`.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Images of the same shape and dtype.
    """

    def moved(y: Any, x: Any) -> Any:
        t = kops.cast(kops.reshape(transform, [-1, 8, 1, 1]), x.dtype)
        a0, a1, a2, b0, b1, b2, c0, c1 = (t[:, i] for i in range(8))
        k = c0 * x + c1 * y + 1.0
        return (b0 * x + b1 * y + b2) / k, (a0 * x + a1 * y + a2) / k

    return _warp(images, moved, interpolation, fill_mode, fill_value, data_format)


def _perspective_shape(
    images: Any, start_points: Any, end_points: Any, interpolation: str, data_format: Any
) -> shapes.Shape:
    shape = _checked(images, interpolation, "constant", data_format)
    for name, points in (("start_points", start_points), ("end_points", end_points)):
        if len(points.shape) != len(images.shape) - 1 or tuple(points.shape[-2:]) != (4, 2):
            raise ValueError(f"{name} must be (4, 2), or (batch, 4, 2) for a batch, not {tuple(points.shape)}.")
    _check_batch(images, start_points, end_points)
    return shape


def _from_square(points: Any) -> list[list[Any]]:
    """The projective map that takes the corners of the unit square to four points (Heckbert 1989).

    Closed forms, so that no engine needs to solve equations; entries are `(batch, 1, 1)`.
    """
    (x0, y0), (x1, y1), (x3, y3), (x2, y2) = (
        (points[:, i, 0][:, None, None], points[:, i, 1][:, None, None]) for i in range(4)
    )
    dx1, dx2, sx = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, sy = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    den = dx1 * dy2 - dx2 * dy1
    g, h = (sx * dy2 - dx2 * sy) / den, (dx1 * sy - sx * dy1) / den
    return [[x1 - x0 + g * x1, x3 - x0 + h * x3, x0], [y1 - y0 + g * y1, y3 - y0 + h * y3, y0], [g, h, g * 0.0 + 1.0]]


@composite(
    "keras.ops.image.perspective_transform", dtype=layouts.moved_by_floats, shape=_perspective_shape, checked=True
)
def perspective_transform(
    images: Tensor,
    start_points: Tensor,
    end_points: Tensor,
    interpolation: str = "bilinear",
    fill_value: float = 0,
    data_format: Any = None,
) -> Any:
    """Images seen in the perspective that takes four points to four others.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        start_points: `(batch, 4, 2)` or `(4, 2)`, points `(x, y)` of the images: top left, top right, bottom left,
            bottom right.
        end_points: where the result shows them.
        interpolation: `"nearest"` or `"bilinear"`.
        fill_value: what lies outside of the images.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Images of the same shape and dtype.
    """

    def moved(y: Any, x: Any) -> Any:
        there, here = (
            _from_square(kops.cast(kops.reshape(p, [-1, 4, 2]), x.dtype)) for p in (start_points, end_points)
        )
        (a, b, c), (d, e, f), (g, h, i) = here
        # Pixel -> unit square by the adjugate (a multiple of the inverse, which is all that matters) -> image.
        u = (e * i - f * h) * x + (c * h - b * i) * y + (b * f - c * e)
        v = (f * g - d * i) * x + (a * i - c * g) * y + (c * d - a * f)
        w = (d * h - e * g) * x + (b * g - a * h) * y + (a * e - b * d)
        px, py, pz = (row[0] * u + row[1] * v + row[2] * w for row in there)
        return py / pz, px / pz

    return _warp(images, moved, interpolation, "constant", fill_value, data_format)


def _elastic_shape(images: Any, sigma: float, interpolation: str, fill_mode: str, data_format: Any) -> shapes.Shape:
    if not hasattr(sigma, "shape") and sigma <= 0:
        raise ValueError(f"sigma is a width above 0, not {sigma}.")
    return _checked(images, interpolation, fill_mode, data_format)


@composite("keras.ops.image.elastic_transform", dtype=promote.real(promote.common), shape=_elastic_shape, checked=True)
def elastic_transform(
    images: Tensor,
    alpha: float = 20.0,
    sigma: float = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: float = 0.0,
    seed: Any = None,
    data_format: Any = None,
) -> Any:
    """Images deformed at random, smoothly.

    Every pixel is moved by normal noise, blurred with a Gaussian and multiplied by `alpha`.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        alpha: strength.
        sigma: standard deviation of the blur, in pixels: how smooth.
        interpolation: `"nearest"` or `"bilinear"`.
        fill_mode, fill_value: see `map_coordinates`.
        seed: an int or `keras.random.SeedGenerator`.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Images of the same shape and dtype.

    Reference: [Simard et al., 2003](https://doi.org/10.1109/ICDAR.2003.1227801)
    """
    rows, columns, _ = layouts.axes(images, data_format)
    sizes = kops.shape(images)
    batch = sizes[0] if len(images.shape) == 4 else 1
    noise = kops.random.normal((batch, sizes[rows], sizes[columns], 2), seed=seed)
    size = int(6 * sigma) | 1
    shift = alpha * gaussian_blur(noise, size, sigma, data_format="channels_last")

    def moved(y: Any, x: Any) -> Any:
        d = kops.cast(shift, x.dtype)
        return y + d[..., 0], x + d[..., 1]

    return _warp(images, moved, interpolation, fill_mode, fill_value, data_format)
