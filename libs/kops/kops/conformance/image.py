"""Rows of the image ops. References are scipy.ndimage, colorsys, or loops over pixels."""

from __future__ import annotations

import colorsys
import math
from typing import Any

import numpy as np
from scipy import ndimage

from kops.conformance.rows import F, I, L, P, case, row


def _first(function: Any) -> Any:
    """The reference for channels last, for either format."""

    def reference(x: Any, *args: Any, data_format: Any = "channels_last", **static: Any) -> Any:
        if data_format == "channels_last":
            return function(x, *args, **static)
        return np.moveaxis(function(np.moveaxis(x, -3, -1), *args, **static), -1, -3)

    return reference


def _sinc(x: float) -> float:
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def _tap(method: str, x: float) -> float:
    x = abs(x)
    if method in ("bilinear", "linear"):
        return max(0.0, 1 - x)
    if method in ("bicubic", "cubic"):
        a = -0.5
        if x < 1:
            return (a + 2) * x**3 - (a + 3) * x**2 + 1
        return a * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0
    radius = int(method[-1])
    return _sinc(x) * _sinc(x / radius) if x < radius else 0.0


def _axis(x: Any, axis: int, size: int, scale: float, shift: float, method: str, antialias: bool) -> Any:
    n = x.shape[axis]
    rows = []
    for i in range(size):
        at = (i + 0.5 - shift) / scale - 0.5
        width = max(1 / scale, 1.0) if antialias else 1.0
        w = np.array([_tap(method, (at - j) / width) for j in range(n)])
        rows.append(w / w.sum() if -0.5 <= at <= n - 0.5 else w * 0)
    return np.moveaxis(np.tensordot(np.array(rows), x, (1, axis)), 0, axis)


def _resize(x: Any, size: Any, interpolation: Any = "bilinear", antialias: bool = False, **rest: Any) -> Any:
    for axis, new in zip((-3, -2), size):
        old = x.shape[axis]
        if interpolation == "nearest":
            x = np.take(x, [int((i + 0.5) * old / new) for i in range(new)], axis)
        else:
            x = _axis(x, axis, new, new / old, 0.0, interpolation, antialias)
    return x


def _translate(x: Any, shape: Any, scale: Any, translation: Any, dims: Any, method: Any, antialias: bool = True) -> Any:
    for d, s, t in zip(dims, scale, translation):
        x = _axis(x, d, shape[d], s, t, method, antialias)
    return x


_MODES = {"constant": "grid-constant", "wrap": "grid-wrap"}


def _map(x: Any, at: Any, order: int, fill_mode: str = "constant", fill_value: float = 0.0) -> Any:
    if order == 0:
        at = np.sign(at) * np.floor(np.abs(at) + 0.5)
    return ndimage.map_coordinates(x, at, order=order, mode=_MODES.get(fill_mode, fill_mode), cval=fill_value)


def _warped(x: Any, points: Any, interpolation: str, fill_mode: str, fill_value: float) -> Any:
    """One image; `points(x, y)` says where a pixel comes from."""
    y = np.zeros_like(x)
    rows, columns = np.mgrid[: x.shape[0], : x.shape[1]].astype(float)
    px, py = points(columns, rows)
    order = {"nearest": 0, "bilinear": 1}[interpolation]
    for c in range(x.shape[-1]):
        y[..., c] = _map(x[..., c], np.stack([py, px]), order, fill_mode, fill_value)
    return y


def _affine(
    x: Any, t: Any, interpolation: str = "bilinear", fill_mode: str = "constant", fill_value: float = 0.0
) -> Any:
    if x.ndim == 4:
        return np.stack([_affine(*pair, interpolation, fill_mode, fill_value) for pair in zip(x, t)])

    def points(u: Any, v: Any) -> Any:
        k = t[6] * u + t[7] * v + 1
        return (t[0] * u + t[1] * v + t[2]) / k, (t[3] * u + t[4] * v + t[5]) / k

    return _warped(x, points, interpolation, fill_mode, fill_value)


def _perspective(x: Any, start: Any, end: Any, interpolation: str = "bilinear", fill_value: float = 0.0) -> Any:
    if x.ndim == 4:
        return np.stack([_perspective(*each, interpolation, fill_value) for each in zip(x, start, end)])
    equations, values = [], []
    for (u, v), (p, q) in zip(end, start):
        equations += [[u, v, 1, 0, 0, 0, -p * u, -p * v], [0, 0, 0, u, v, 1, -q * u, -q * v]]
        values += [p, q]
    return _affine(x, np.linalg.solve(equations, values), interpolation, "constant", fill_value)


def _weights(size: int, sigma: float) -> Any:
    w = np.exp(-0.5 * ((np.arange(size) - size // 2) / sigma) ** 2)
    return w / w.sum()


def _blur(x: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0)) -> Any:
    for axis, n, s in zip((-3, -2), kernel_size, sigma):
        x = ndimage.correlate1d(x, _weights(n, s), axis, mode="constant")
    return x


def _sobel(x: Any, data_format: Any = "channels_last") -> Any:
    axes = (-3, -2) if data_format == "channels_last" else (-2, -1)
    step, smooth = [-1.0, 0.0, 1.0], [1.0, 2.0, 1.0]
    parts = []
    for down, right in ((step, smooth), (smooth, step)):
        y = ndimage.correlate1d(x, down, axes[0], mode="constant")
        parts.append(ndimage.correlate1d(y, right, axes[1], mode="constant"))
    return np.stack(parts, -1)


def _ssim(a: Any, b: Any, max_val: float = 1.0, filter_size: int = 11, filter_sigma: float = 1.5) -> Any:
    def mean(x: Any) -> Any:
        w, edge = _weights(filter_size, filter_sigma), filter_size // 2
        y = ndimage.correlate1d(ndimage.correlate1d(x, w, -3), w, -2)
        return y[..., edge : y.shape[-3] - edge, edge : y.shape[-2] - edge, :]

    c1, c2 = (0.01 * max_val) ** 2, (0.03 * max_val) ** 2
    m, n = mean(a), mean(b)
    va, vb, cov = mean(a * a) - m * m, mean(b * b) - n * n, mean(a * b) - m * n
    values = (2 * m * n + c1) * (2 * cov + c2) / ((m * m + n * n + c1) * (va + vb + c2))
    return values.mean((-3, -2, -1))


def _colours(convert: Any) -> Any:
    return _first(lambda x: np.apply_along_axis(lambda c: convert(*c), -1, x))


def _patches(x: Any, size: Any, strides: Any = None, dilation_rate: int = 1, padding: str = "valid") -> Any:
    n = x.ndim - 2
    size = (size,) * n if isinstance(size, int) else size
    strides = size if strides is None else (strides,) * n
    if padding == "same":
        wide = []
        for d, w, s in zip(x.shape[1:], size, strides):
            total = max((math.ceil(d / s) - 1) * s + (w - 1) * dilation_rate + 1 - d, 0)
            wide.append((total // 2, total - total // 2))
        x = np.pad(x, [(0, 0), *wide, (0, 0)])
    counts = [(d - (w - 1) * dilation_rate - 1) // s + 1 for d, w, s in zip(x.shape[1:], size, strides)]
    y = np.zeros((x.shape[0], *counts, int(np.prod(size)) * x.shape[-1]), x.dtype)
    for place in np.ndindex(*counts):
        cut = tuple(slice(p * s, p * s + (w - 1) * dilation_rate + 1, dilation_rate)
                    for p, s, w in zip(place, strides, size))  # fmt: skip
        y[(slice(None), *place)] = x[(slice(None), *cut)].reshape(x.shape[0], -1)
    return y


def _margins(word: str) -> Any:
    def reference(x: Any, **static: Any) -> Any:
        edges = []
        for low, high, target, size in (
            ("top", "bottom", "height", x.shape[-3]),
            ("left", "right", "width", x.shape[-2]),
        ):
            a, b = static.get(f"{low}_{word}"), static.get(f"{high}_{word}")
            rest: Any = static.get(f"target_{target}")
            rest = None if rest is None else abs(rest - size)
            edges.append((rest - b if a is None else a, rest - a if b is None else b))
        (t, d), (l, r) = edges
        if word == "cropping":
            return x[..., t : x.shape[-3] - d, l : x.shape[-2] - r, :]
        return np.pad(x, [(0, 0)] * (x.ndim - 3) + [*edges, (0, 0)])

    return reference


_RESIZED = [
    row("resize", F(2, 5, 6, 3), size, method, antialias=antialias, ref=_resize, grad=method == "bilinear", tol=5e-5)
    for method in ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")
    for size, antialias in (((7, 4), False), ((3, 4), True))
]
_AT = L(np.array([[-3.1, -1.4, -0.3, 0.2, 1.1, 2.2, 3.6, 5.2], [0.3, 1.2, 4.1, -2.2, 2.6, 0.9, 1.7, -0.4]]))
_MAPPED = [
    row("map_coordinates", F(3, 4), _AT, order, mode, 0.5, ref=_map, tol=2e-5)
    for order in (0, 1)
    for mode in ("constant", "nearest", "wrap", "mirror", "reflect")
]
_TRANSFORM = L(np.array([[1.0, 0.2, 1.3, -0.1, 1.1, -0.7, 0.01, 0.02], [0.8, 0.0, -0.6, 0.3, 1.0, 0.4, 0.0, 0.0]]))
_START = L(
    np.array([[[0.0, 0.0], [5.0, 0.0], [0.0, 4.0], [5.0, 4.0]], [[0.0, 0.0], [5.0, 0.0], [0.0, 4.0], [5.0, 4.0]]])
)
_END = L(
    np.array([[[0.6, 0.1], [4.8, 0.7], [0.2, 3.9], [4.3, 4.2]], [[0.0, 0.3], [5.3, 0.2], [-0.4, 4.1], [4.6, 3.7]]])
)

ROWS = [
    *_RESIZED,
    row(
        "resize",
        I(5, 7, 3, high=200, dtype="uint8"),
        (7, 13),  # of odd sizes no result is half way between two integers
        ref=lambda x, size: np.rint(_resize(x * 1.0, size)),
        dynamic=False,
        note="the height is the leading dimension",
    ),
    row(
        "resize",
        F(2, 3, 5, 6),
        (7, 4),
        data_format="channels_first",
        ref=_first(_resize),
        bad=[
            case(F(2, 5, 6, 3), (7, 4), interpolation="area", match="interpolation"),
            case(F(2, 5, 6, 3), (7, 4, 3), match="size"),
            case(F(5, 6), (7, 4), match="dimensions"),
            case(F(2, 5, 6, 3), (7, 4), crop_to_aspect_ratio=True, pad_to_aspect_ratio=True, match="only one"),
        ],
    ),
    row(
        "resize", F(2, 4, 8, 3), (3, 3), crop_to_aspect_ratio=True, ref=lambda x, size, **s: _resize(x[:, :, 2:6], size)
    ),
    row(
        "resize",
        F(2, 4, 8, 3),
        (6, 6),
        pad_to_aspect_ratio=True,
        fill_value=0.5,
        ref=lambda x, size, **s: _resize(np.pad(x, ((0, 0), (2, 2), (0, 0), (0, 0)), constant_values=0.5), size),
    ),
    row(
        "scale_and_translate",
        F(2, 5, 6, 3),
        (2, 4, 7, 3),
        L([0.8, 1.3]),
        L([0.2, -0.5]),
        (1, 2),
        "linear",
        ref=_translate,
        tol=5e-5,
        dynamic="first",
        bad=[
            case(F(5, 6, 3), (4, 7), L([0.8, 1.3]), L([0.2, -0.5]), (0, 1), "linear", match="output_shape"),
            case(F(5, 6, 3), (4, 7, 3), L([0.8, 1.3]), L([0.2, -0.5]), (0, 1), "nearest", match="method"),
        ],
    ),
    row(
        "scale_and_translate",
        F(5, 6, 3),
        (4, 7, 3),
        L([0.8]),
        L([0.2]),
        (0,),
        "cubic",
        False,
        ref=lambda x, shape, *rest: _translate(x, (4,), *rest),
        tol=5e-5,
        dynamic=False,
        note="heights must be known",
    ),
    *_MAPPED,
    row(
        "map_coordinates",
        F(3, 4),
        P(2, 5, low=0.2, high=1.8),
        1,
        ref=_map,
        grad=True,
        bad=[
            case(F(3, 4), F(3, 5), 1, match="coordinates"),
            case(F(3, 4), F(2, 5), 2, match="order"),
            case(F(3, 4), F(2, 5), 1, "edge", match="fill_mode"),
        ],
    ),
    row(
        "affine_transform",
        F(2, 5, 6, 3),
        _TRANSFORM,
        ref=_affine,
        tol=5e-5,
        dynamic="first",
        bad=[case(F(2, 5, 6, 3), F(8), match="transform"), case(F(5, 6, 3), F(8), "area", match="interpolation")],
    ),
    row(
        "affine_transform",
        F(2, 3, 5, 6),
        _TRANSFORM,
        "bilinear",
        "reflect",
        data_format="channels_first",
        ref=_first(_affine),
        tol=5e-5,
        dynamic="first",
    ),
    row(
        "affine_transform",
        F(5, 6, 2),
        L([1.0, 0.21, 1.23, -0.13, 1.1, -0.67, 0.0, 0.0]),
        "nearest",
        "constant",
        0.5,
        ref=_affine,
        dynamic=False,
        note="the height is the leading dimension",
    ),
    row(
        "perspective_transform",
        F(2, 5, 6, 3),
        _START,
        _END,
        ref=_perspective,
        tol=1e-4,
        dynamic="first",
        bad=[case(F(2, 5, 6, 3), F(4, 2), F(4, 2), match="start_points")],
    ),
    row("perspective_transform", F(2, 5, 6, 3), _START, _END, "nearest", 0.5, ref=_perspective, dynamic="first"),
    row(
        "gaussian_blur",
        F(2, 5, 6, 3),
        ref=_blur,
        grad=True,
        bad=[
            case(F(5, 6, 3), (0, 3), match="kernel_size"),
            case(F(5, 6, 3), (3, 3), (0.0, 1.0), match="sigma"),
            case(F(5, 6), match="dimensions"),
        ],
    ),
    row("gaussian_blur", F(5, 6, 3), (3, 5), (0.5, 2.0), ref=_blur),
    row("sobel_edges", F(2, 5, 6, 3), ref=_sobel, grad=True, bad=[case(F(5, 6), match="dimensions")]),
    row(
        "sobel_edges",
        F(3, 5, 6),
        data_format="channels_first",
        ref=_sobel,
        dynamic=False,
        note="the number of channels is the leading dimension",
    ),
    row(
        "ssim",
        P(2, 12, 13, 3, low=0, high=1),
        P(2, 12, 13, 3, low=0, high=1),
        ref=_ssim,
        grad=True,
        tol=1e-4,
        bad=[case(F(2, 8, 9, 3), F(2, 8, 9, 3), match="smaller")],
    ),
    row("ssim", P(12, 13, 3), P(12, 13, 3), 2.0, 5, 1.0, ref=_ssim, tol=1e-4),
    row(
        "rgb_to_grayscale",
        F(2, 4, 5, 3),
        grad=True,
        ref=lambda x: x @ np.array([[0.2989], [0.587], [0.114]]),
        bad=[case(F(2, 4, 5, 2), match="3 channels"), case(F(4, 5), match="dimensions")],
    ),
    row(
        "rgb_to_grayscale",
        I(4, 5, 3, high=255, dtype="uint8"),
        ref=lambda x: np.floor(np.float32(x) @ np.array([[0.2989], [0.587], [0.114]], np.float32)),
    ),
    row(
        "rgb_to_hsv",
        P(2, 4, 5, 3, low=0, high=1),
        ref=_colours(colorsys.rgb_to_hsv),
        grad=True,
        tol=5e-5,
        sweep=("float16", "bfloat16", "float32"),
        note="ints are refused",
        bad=[case(I(4, 5, 3), match="floats"), case(F(4, 5, 2), match="3 channels")],
    ),
    row(
        "rgb_to_hsv",
        L(np.array([[[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [1.0, 0.0, 0.0], [0.2, 0.2, 0.7]]])),
        ref=_colours(colorsys.rgb_to_hsv),
        sweep=("float32",),
        note="ints are refused",
    ),
    row(
        "hsv_to_rgb",
        P(2, 3, 4, 5, low=0, high=1),
        data_format="channels_first",
        ref=_colours(colorsys.hsv_to_rgb),
        grad=True,
        tol=5e-5,
        sweep=("float16", "bfloat16", "float32"),
        note="ints are refused",
    ),
    row(
        "extract_patches",
        F(2, 5, 6, 3),
        2,
        ref=_patches,
        grad=True,
        bad=[case(F(2, 5, 6, 3), 7, match="fit"), case(F(5, 6), 2, match="dimensions")],
    ),
    row("extract_patches", F(2, 5, 6, 3), (2, 3), strides=2, padding="same", ref=_patches),
    row(
        "extract_patches",
        F(2, 3, 5, 6),
        2,
        strides=1,
        dilation_rate=2,
        data_format="channels_first",
        ref=_first(_patches),
    ),
    row("extract_patches_3d", F(2, 4, 5, 3, 2), (2, 1, 2), ref=_patches, grad=True),
    row("extract_patches_3d", F(1, 4, 5, 3, 2), 2, strides=1, padding="same", ref=_patches),
    row(
        "pad_images",
        F(2, 4, 5, 3),
        top_padding=1,
        left_padding=2,
        target_height=7,
        right_padding=0,
        ref=_margins("padding"),
        grad=True,
        bad=[
            case(F(2, 4, 5, 3), 1, 1, match="exactly two"),
            case(F(2, 4, 5, 3), 5, 1, target_height=7, target_width=9, match="negative"),
        ],
    ),
    row(
        "crop_images",
        F(2, 4, 5, 3),
        top_cropping=1,
        left_cropping=2,
        target_height=2,
        right_cropping=0,
        ref=_margins("cropping"),
        grad=True,
        bad=[case(F(2, 4, 5, 3), 1, 1, match="exactly two"), case(F(2, 4, 5, 3), 3, 1, 3, 1, match="positions")],
    ),
    row(
        "elastic_transform",
        F(2, 5, 6, 3),
        0.0,
        2.0,
        seed=3,
        ref=lambda x, *a, **s: x,
        dynamic=False,
        note="OpenVINO has no noise of unknown shape",
    ),
]
