from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from kops.engine import engine
from kquant.float8 import compute_float8_amax_history, compute_float8_scale, quantize_and_dequantize


@pytest.mark.parametrize(
    ("amax", "scale", "margin", "expected"),
    [(2.0, 1.0, 0, 2 / 448), (2.0, 1.0, 1, 4 / 448), (0.0, 3.0, 0, 3.0), (np.inf, 3.0, 0, 3.0)],
)
def test_scale(amax, scale, margin, expected):
    found = compute_float8_scale(np.float32(amax), np.float32(scale), 448.0, margin)
    np.testing.assert_allclose(engine().to_numpy(found), expected, rtol=1e-6)


def test_history_moves_on():
    x, history = np.array([1.0, -3.0], "float32"), np.array([1.0, 2.0, 3.0, 4.0], "float32")
    found = compute_float8_amax_history(x, engine().convert(history, None))
    np.testing.assert_array_equal(engine().to_numpy(found), [3, 3, 4, 1])


@pytest.mark.parametrize(("dtype", "largest"), [("float8_e4m3fn", 448.0), ("float8_e5m2", 57344.0)])
def test_rounds_to_float8(dtype, largest):
    x = np.concatenate([np.linspace(-10, 10, 101), [3e5, -3e5]]).astype("float32")
    found = engine().to_numpy(quantize_and_dequantize(x, np.float32(2.0), dtype, "float32"))
    kind = getattr(ml_dtypes, dtype)
    expected = np.clip(x / 2, -largest, largest).astype(kind).astype("float32") * 2
    np.testing.assert_array_equal(found, expected)


def test_other_dtypes_are_refused():
    with pytest.raises(ValueError, match="float8_e4m3fn"):
        quantize_and_dequantize(np.ones(2, "float32"), 1.0, "int8", "float32")
