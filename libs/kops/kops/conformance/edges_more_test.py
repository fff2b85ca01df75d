"""Positions and orders at their edges: pads wider than the axis, quantile methods, options of `unique`, ids that
repeat, are negative or point outside, resizing against PIL and its formula, seeds."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.conformance import collect
from kops.engine import engine

collect.rows()  # declares the ops
RNG = np.random.default_rng(5)


def host(x):
    return np.asarray(engine().to_numpy(x))


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "edge", "wrap", "constant"])
def test_pad_wider_than_the_axis(mode):
    x = RNG.normal(size=(3, 1, 4)).astype("float32")
    for widths in (((7, 8), (0, 3), (2, 0)), ((2, 2), (1, 1), (3, 3)), ((0, 0), (0, 0), (9, 0))):
        np.testing.assert_array_equal(host(kops.pad(x, widths, mode=mode)), np.pad(x, widths, mode=mode))
    np.testing.assert_array_equal(host(kops.pad(x, 2, constant_values=-1.0))[0, 0, 0], -1.0)


def test_complex_numbers_are_close_within_real_tolerances():
    x, y = np.array([1 + 2j, 3j], "complex64"), np.array([1 + 2.1j, 3.3j], "complex64")
    np.testing.assert_array_equal(host(kops.isclose(x, y, atol=0.2)), [True, False])
    np.testing.assert_array_equal(host(kops.isclose(x, y, 0.0, np.array([0.01, 0.4], "float32"))), [False, True])
    assert not host(kops.allclose(x, y)) and host(kops.allclose(x, y, rtol=0.2))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantile_methods(method):
    x = RNG.normal(size=(7, 4)).astype("float32")
    x[2, 1] = np.nan
    q = np.array([0.0, 0.25, 0.5, 0.6, 1.0], "float32")
    got = host(kops.quantile(x, q, axis=0, method=method))
    np.testing.assert_allclose(got, np.quantile(x, q, axis=0, method=method), rtol=1e-6)
    got = host(kops.nanquantile(x, q, axis=(0, 1), method=method))
    np.testing.assert_allclose(got, np.nanquantile(x, q, axis=(0, 1), method=method), rtol=1e-6)
    got = host(kops.percentile(x[:, :1], 40.0, axis=0, method=method, keepdims=True))
    np.testing.assert_allclose(got, np.percentile(x[:, :1], 40, axis=0, method=method, keepdims=True), rtol=1e-6)


def test_unique_options():
    x = np.array([[3, 1, 3], [2, 1, 2]], "int32")
    names = ("return_index", "return_inverse", "return_counts")
    for flags in np.ndindex(2, 2, 2):
        options = {n: bool(f) for n, f in zip(names, flags)}
        got, want = kops.unique(x, **options), np.unique(x, **options)
        got, want = (got, want) if any(flags) else ((got,), (want,))
        for g, w in zip(got, want):
            np.testing.assert_array_equal(host(g), np.asarray(w).reshape(host(g).shape))
    values, inverse = kops.unique(np.array([1.0, np.nan, np.nan, 0.0], "float32"), return_inverse=True)
    np.testing.assert_array_equal(host(values), [0.0, 1.0, np.nan])
    np.testing.assert_array_equal(host(inverse), [1, 2, 2, 0])


def test_sort_is_stable():
    keys = RNG.integers(0, 4, 500)
    for dtype in ("int32", "float32", "float16", "uint8"):
        got = host(kops.argsort(kops.cast(keys.astype("int32"), dtype)))
        np.testing.assert_array_equal(got, np.argsort(keys, kind="stable"))


def test_ids_out_of_range():
    """Segments: left out. One-hot: zeros. Scatter and take: negative ones count from the end."""
    rows = np.arange(1.0, 6.0, dtype="float32")
    ids = np.array([0, -1, 5, 1, 1], "int32")
    np.testing.assert_array_equal(host(kops.segment_sum(rows, ids, num_segments=3)), [1, 9, 0])
    np.testing.assert_array_equal(host(kops.segment_max(rows, ids, num_segments=3)), [1, 5, -np.inf])
    np.testing.assert_array_equal(host(kops.segment_min(rows, ids, num_segments=3)), [1, 4, np.inf])
    np.testing.assert_array_equal(host(kops.segment_prod(rows, ids, num_segments=3)), [1, 20, 1])
    np.testing.assert_array_equal(host(kops.one_hot(ids, 3)).sum(-1), [1, 0, 0, 1, 1])
    np.testing.assert_array_equal(host(kops.take(rows, np.array([-1, -5], "int32"))), [5, 1])
    np.testing.assert_array_equal(host(kops.take_along_axis(rows, np.array([-1, 0], "int32"), 0)), [5, 1])


def test_duplicates():
    at = np.array([[1], [1], [0]], "int32")
    values = np.array([2.0, 3.0, 4.0], "float32")
    np.testing.assert_array_equal(host(kops.scatter(at, values, (3,))), [4, 5, 0])
    base = np.array([1.0, 1.0, 1.0], "float32")
    for reduction, want in (("add", [5, 6, 1]), ("max", [4, 3, 1]), ("min", [1, 1, 1]), ("mul", [4, 6, 1])):
        np.testing.assert_array_equal(host(kops.scatter_update(base, at, values, reduction=reduction)), want)


def test_negative_positions_of_scatters():
    at, values = np.array([[-1], [0]], "int32"), np.array([2.0, 3.0], "float32")
    base = np.zeros(3, "float32")
    np.testing.assert_array_equal(host(kops.scatter_update(base, at, values)), [3, 0, 2])
    everywhere = kops.scatter_update(np.zeros((2, 3), "float32"), np.zeros((1, 0), "int32"), np.ones((1, 3), "float32"))
    np.testing.assert_array_equal(host(everywhere), np.ones((2, 3)))
    np.testing.assert_array_equal(host(kops.scatter(at, values, (3,))), [3, 0, 2])


KERNELS = {  # as PIL defines its filters: support and weight
    "bilinear": (1.0, lambda t: np.maximum(1 - np.abs(t), 0)),
    "lanczos3": (3.0, lambda t: np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)),
    "lanczos5": (5.0, lambda t: np.where(np.abs(t) < 5, np.sinc(t) * np.sinc(t / 5), 0)),
    "bicubic": (2.0, lambda t: _keys(np.abs(t), -0.5)),
}


def _keys(t, a):
    near = (a + 2) * t**3 - (a + 3) * t**2 + 1
    far = a * (t**3 - 5 * t**2 + 8 * t - 4)
    return np.where(t < 1, near, np.where(t < 2, far, 0))


def _weights(kind, size, target, antialias):
    _, weight = KERNELS[kind]
    scale = size / target
    stretch = max(scale, 1.0) if antialias else 1.0
    centre = (np.arange(target) + 0.5) * scale - 0.5
    w = weight((np.arange(size)[None] - centre[:, None]) / stretch)
    return w / w.sum(1, keepdims=True)


@pytest.mark.parametrize("kind", list(KERNELS))
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_resize_antialiased(kind, data_format):
    x = RNG.normal(size=(2, 12, 9, 3))
    for target in ((5, 4), (7, 15)):
        want = np.einsum("ah,bw,nhwc->nabc", _weights(kind, 12, target[0], True), _weights(kind, 9, target[1], True), x)
        arrange = (lambda a: a) if data_format == "channels_last" else (lambda a: np.moveaxis(a, -1, 1))
        got = kops.image.resize(
            arrange(x).astype("float32"), target, interpolation=kind, antialias=True, data_format=data_format
        )
        np.testing.assert_allclose(host(got), arrange(want), rtol=1e-4, atol=1e-4)


def test_resize_like_pil():
    image = pytest.importorskip("PIL.Image")
    x = RNG.uniform(size=(24, 17)).astype("float32")
    for kind, name in (("bilinear", "BILINEAR"), ("bicubic", "BICUBIC"), ("lanczos3", "LANCZOS")):
        want = np.asarray(image.fromarray(x).resize((6, 9), getattr(image.Resampling, name)))
        got = host(kops.image.resize(x[..., None], (9, 6), interpolation=kind, antialias=True))[..., 0]
        np.testing.assert_allclose(got, want, atol=2e-5)


def test_identity_transforms_keep_the_image():
    x = RNG.normal(size=(2, 6, 7, 3)).astype("float32")
    identity = np.array([[1, 0, 0, 0, 1, 0, 0, 0]] * 2, "float32")
    for interpolation in ("nearest", "bilinear"):
        for mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
            got = kops.image.affine_transform(x, identity, interpolation=interpolation, fill_mode=mode)
            np.testing.assert_allclose(host(got), x, atol=1e-5)
    corners = np.array([[[0, 0], [0, 6], [5, 0], [5, 6]]] * 2, "float32")
    np.testing.assert_allclose(host(kops.image.perspective_transform(x, corners, corners)), x, atol=1e-4)
    np.testing.assert_allclose(host(kops.image.elastic_transform(x, alpha=0.0, sigma=2.0, seed=1)), x, atol=1e-5)
    away = np.array([[1, 0, 100, 0, 1, 0, 0, 0]] * 2, "float32")
    np.testing.assert_array_equal(host(kops.image.affine_transform(x, away, fill_value=3.0)), 3.0)


def test_a_seed_gives_the_same_whatever_was_drawn_before():
    seed = kops.random.SeedGenerator(7)
    first, second = host(kops.random.normal((5,), seed=seed)), host(kops.random.normal((5,), seed=seed))
    assert not np.allclose(first, second)
    again = kops.random.SeedGenerator(7)
    np.testing.assert_array_equal(host(kops.random.normal((5,), seed=again)), first)
    kops.random.uniform((3,), seed=99)  # what was drawn before does not matter
    np.testing.assert_array_equal(host(kops.random.uniform((3,), seed=1)), host(kops.random.uniform((3,), seed=1)))


def test_what_comparing_with_other_engines_of_keras_found():
    x = RNG.normal(size=(4, 5)).astype("float32")
    for axis in (None, (0, 1)):  # of order 2, a sum of squares also over two axes
        np.testing.assert_allclose(host(kops.normalize(x, axis=axis)), x / np.sqrt((x**2).sum()), rtol=1e-5)
    np.testing.assert_array_equal(host(kops.softmax(x, axis=())), 1.0)
    np.testing.assert_array_equal(host(kops.log_softmax(x, axis=())), 0.0)
    holes = np.array([2, np.nan, 3], "float32")
    np.testing.assert_array_equal(host(kops.nancumsum(holes, dtype="int32")), [2, 2, 5])
    np.testing.assert_array_equal(host(kops.nancumprod(holes, dtype="uint8")), [2, 2, 6])
    switches, places = np.zeros(3, "bool"), np.array([[1]])
    for reduction in (None, "add", "max"):  # a fraction is true
        got = kops.scatter_update(switches, places, np.array([0.25], "float32"), reduction=reduction)
        np.testing.assert_array_equal(host(got), [False, True, False])
    none = kops.scatter_update(np.ones((4, 0)), np.zeros((0, 1), "int32"), np.ones((0, 0)), reduction="mul")
    assert host(none).shape == (4, 0)
    lu, pivots = kops.lu_factor(np.zeros((2, 0, 0), "float32"))
    assert host(lu).shape == (2, 0, 0) and host(pivots).shape == (2, 0)
    with pytest.raises(ValueError, match="it cannot be -4"):
        kops.geomspace(1.0, 2.0, num=-4)
    with pytest.raises(ValueError, match="no channels"):
        kops.image.ssim(np.zeros((12, 12, 0), "float32"), np.zeros((12, 12, 0), "float32"), 1.0)
