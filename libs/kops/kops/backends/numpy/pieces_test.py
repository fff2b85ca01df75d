"""Formulas computed piece by piece give what they give as a whole."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from kops.backends.numpy import nn_conv, special
from kops.backends.numpy.nn_activations import gelu
from kops.backends.numpy.pieces import in_pieces

RNG = np.random.default_rng(0)


def test_every_piece_is_computed_once():
    calls = []

    def double(x, factor):
        calls.append(x.size)
        return x * factor

    x = RNG.normal(size=(3, 15001)).astype("float32")[:, ::-1]
    got = in_pieces(double)(x, 2)
    np.testing.assert_array_equal(got, x * 2)
    assert got.dtype == x.dtype and sum(calls) == x.size and len(calls) == 3
    assert in_pieces(double)(x[:0], 2).shape == (0, 15001)


@pytest.fixture(params=["SciPy", "Python"])
def source(request, monkeypatch):
    """Where the error functions come from."""
    special._function.cache_clear()
    if request.param == "Python":
        monkeypatch.setitem(sys.modules, "scipy", None)
    yield request.param
    special._function.cache_clear()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_error_functions(dtype, source):
    x = np.linspace(-6, 6, 40001).astype(dtype)
    x[:3] = np.inf, -np.inf, np.nan
    tolerance = {"float16": 1e-3, "float32": 1.2e-7, "float64": 2e-14}[dtype]
    for function, exact in ((special.erf, math.erf), (special.erfc, math.erfc)):
        want = np.array([exact(v) for v in x.tolist()])
        got = function(x)
        assert got.dtype == x.dtype
        np.testing.assert_allclose(got, want.astype(dtype), tolerance, 6e-8 if dtype == "float16" else 0)
    want = np.array([0.5 * v * (1 + math.erf(v * math.sqrt(0.5))) for v in x[3:].tolist()])
    np.testing.assert_allclose(gelu(x[3:], False), want, tolerance, tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erfinv_inverts(dtype, source):
    y = np.linspace(-3.5, 3.5, 40001)
    x = np.array([math.erf(v) for v in y]).astype(dtype)
    got = special.erfinv(x)
    again = np.array([math.erf(v) for v in got.tolist()])
    np.testing.assert_allclose(again, x, 3e-7 if dtype == "float32" else 6e-16)
    np.testing.assert_array_equal(special.erfinv(np.array([1, -1, 0, np.nan], dtype)), [np.inf, -np.inf, 0, np.nan])
    if dtype == "float64":  # next to 1 the complement counts, next to 0 the function itself
        np.testing.assert_allclose(got, y, 1e-9)
        np.testing.assert_allclose(special.erfinv(np.array([1 - 2.0**-53, 1e-30])), [5.863584748755167, 8.86226925e-31])


@pytest.mark.parametrize("cached", [1, 200, 1000])
@pytest.mark.parametrize(
    "strides, padding, dilation, groups", [(1, "same", 1, 1), (2, "valid", 1, 2), (1, "same", 2, 1)]
)
def test_convolution(monkeypatch, cached, strides, padding, dilation, groups):
    x = RNG.normal(size=(3, 9, 7, 4))
    kernel = RNG.normal(size=(3, 2, 4 // groups, 6))
    depthwise = RNG.normal(size=(3, 2, 4, 2))
    args = (strides, padding, "channels_last", dilation)
    whole = nn_conv.conv(x, kernel, *args), nn_conv.depthwise_conv(x, depthwise, *args)
    monkeypatch.setattr(nn_conv, "_CACHED", cached)
    np.testing.assert_allclose(nn_conv.conv(x, kernel, *args), whole[0], 1e-12, 1e-12)
    np.testing.assert_allclose(nn_conv.depthwise_conv(x, depthwise, *args), whole[1], 1e-12, 1e-12)
