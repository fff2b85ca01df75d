from __future__ import annotations

import itertools

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.global_pooling import (
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
)
from klayers.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)

RNG = np.random.default_rng(1)
X = {
    1: RNG.normal(size=(2, 9, 4)).astype("float32"),
    2: RNG.normal(size=(2, 7, 6, 4)).astype("float32"),
    3: RNG.normal(size=(2, 5, 4, 5, 2)).astype("float32"),
}


def pooled(x, window, strides, padding, reduce):
    n = x.ndim - 2
    sizes = x.shape[1:-1]
    if padding == "same":
        counts = [-(-s // t) for s, t in zip(sizes, strides)]
        starts = [-(max((c - 1) * t + w - s, 0) // 2) for c, t, w, s in zip(counts, strides, window, sizes)]
    else:
        counts = [(s - w) // t + 1 for s, w, t in zip(sizes, window, strides)]
        starts = [0] * n
    y = np.zeros((x.shape[0], *counts, x.shape[-1]))
    for place in itertools.product(*(range(c) for c in counts)):
        cut = tuple(slice(max(o + p * t, 0), o + p * t + w) for o, p, t, w in zip(starts, place, strides, window))
        y[(slice(None), *place)] = reduce(x[(slice(None), *cut)], axis=tuple(range(1, n + 1)))
    return y


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize(
    ("cls", "rank", "reduce"),
    [
        (MaxPooling1D, 1, np.max),
        (MaxPooling2D, 2, np.max),
        (MaxPooling3D, 3, np.max),
        (AveragePooling1D, 1, np.mean),
        (AveragePooling2D, 2, np.mean),
        (AveragePooling3D, 3, np.mean),
    ],
)
def test_windows(cls, rank, reduce, padding):
    x = X[rank]
    expected = pooled(x, (2,) * rank, (2,) * rank, padding, reduce)
    check_layer(lambda **k: cls(2, padding=padding, **k), x, expected)
    expected = pooled(x, (3,) * rank, (2,) * rank, padding, reduce)
    np.testing.assert_allclose(as_array(cls(3, 2, padding)(x)), expected, rtol=1e-5, atol=1e-6)


def test_channels_first_and_unknown_sizes():
    x = np.ascontiguousarray(X[2].transpose(0, 3, 1, 2))
    for cls in (MaxPooling2D, AveragePooling2D):
        y = as_array(cls((2, 3), data_format="channels_first")(x))
        np.testing.assert_allclose(y, as_array(cls((2, 3))(X[2])).transpose(0, 3, 1, 2), rtol=1e-5)
        assert cls(2)(kops.KerasTensor((None, None, 5, 3))).shape == (None, None, 2, 3)
    y = GlobalMaxPooling2D(data_format="channels_first", keepdims=True)(x)
    np.testing.assert_array_equal(as_array(y), x.max((2, 3), keepdims=True))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("cls", "rank", "reduce"),
    [
        (GlobalAveragePooling1D, 1, np.mean),
        (GlobalAveragePooling2D, 2, np.mean),
        (GlobalAveragePooling3D, 3, np.mean),
        (GlobalMaxPooling1D, 1, np.max),
        (GlobalMaxPooling2D, 2, np.max),
        (GlobalMaxPooling3D, 3, np.max),
    ],
)
def test_global(cls, rank, reduce, keepdims):
    expected = reduce(X[rank], axis=tuple(range(1, rank + 1)), keepdims=keepdims)
    check_layer(lambda **k: cls(keepdims=keepdims, **k), X[rank], expected, rtol=1e-4)


def test_a_mask_leaves_steps_out_of_the_mean():
    mask = np.zeros((2, 9), bool)
    mask[0, :3] = True
    mask[1, 2:] = True
    y = as_array(GlobalAveragePooling1D()(X[1], mask=mask))
    np.testing.assert_allclose(y, [X[1][0, :3].mean(0), X[1][1, 2:].mean(0)], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MaxPooling2D(0), "pool_size must be"),
        (lambda: MaxPooling2D((2, 2, 2)), "pool_size must be"),
        (lambda: MaxPooling2D(2, strides=0), "strides must be"),
        (lambda: MaxPooling2D(padding="foo"), "padding must be one of 'valid', 'same', not 'foo'"),
        (lambda: MaxPooling1D(2)(np.ones((2, 3), "float32")), "3 axes, not 2"),
        (lambda: MaxPooling1D(5)(np.ones((2, 3, 1), "float32")), "window of 5 does not fit"),
        (lambda: GlobalAveragePooling2D()(np.ones((2, 3, 4), "float32")), "4 axes, not 3"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
