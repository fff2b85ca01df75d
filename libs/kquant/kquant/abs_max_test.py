from __future__ import annotations

import numpy as np
import pytest

from kops.engine import engine
from kquant.abs_max import abs_max_quantize

X = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [3.0, 1.5, -1.0]], "float32")


def host(pair):
    return tuple(np.asarray(engine().to_numpy(t)) for t in pair)


@pytest.mark.parametrize("to_numpy", [False, True])
def test_one_scale_per_row(to_numpy):
    integers, scale = host(abs_max_quantize(X, axis=-1, to_numpy=to_numpy))
    assert integers.dtype == np.int8
    np.testing.assert_array_equal(integers, [[64, -127, 32], [0, 0, 0], [127, 64, -42]])
    np.testing.assert_allclose(scale, [[63.5], [127e7], [127 / 3]], rtol=1e-6)


@pytest.mark.parametrize(("axis", "shape"), [(0, (1, 3)), ((0, 1), (1, 1)), (None, (1, 1)), ((), (3, 3))])
def test_the_scale_has_size_one_along_the_axes(axis, shape):
    integers, scale = host(abs_max_quantize(X, axis=axis))
    assert scale.shape == shape
    assert np.abs(integers / scale - X).max() <= 0.5 / scale.min() + 1e-6


def test_a_narrow_range_is_kept_to():
    integers, scale = host(abs_max_quantize(X, axis=-1, value_range=(-8, 7)))
    np.testing.assert_array_equal(integers, [[4, -7, 2], [0, 0, 0], [7, 4, -2]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_floats_have_finite_scales(dtype):
    import ml_dtypes  # noqa: F401  (names bfloat16 to NumPy)

    integers, scale = abs_max_quantize(X.astype(dtype), axis=-1)
    assert str(engine().dtype_name(scale)) == dtype
    assert np.isfinite(np.asarray(engine().to_numpy(scale), "float32")).all()
    np.testing.assert_array_equal(engine().to_numpy(integers)[1], [0, 0, 0])


def test_no_rows_at_all():
    integers, scale = host(abs_max_quantize(np.zeros((0, 3), "float32"), axis=-1))
    assert integers.shape == (0, 3) and scale.shape == (0, 1)


def test_a_range_that_is_none_is_refused():
    with pytest.raises(ValueError, match="low < 0 < high"):
        abs_max_quantize(X, axis=-1, value_range=(3, 7))
