"""Python numbers beside float64 tensors keep 64 bits, and beside 16-bit floats become infinite beyond their range."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.conformance import collect
from kops.engine import engine

collect.rows()  # declares the ops
C = 0.1
X = np.array([1.0, 2.0])

DOUBLES = {
    "add": (lambda x: kops.add(C, x), X + C),
    "arange": (lambda x: kops.arange(C, 1.1, 0.3, dtype="float64"), np.arange(C, 1.1, 0.3)),
    "array": (lambda x: kops.array([C, 0.2], "float64"), [0.1, 0.2]),
    "average": (lambda x: kops.average(x, weights=[C, 0.3]), 1.75),
    "clip": (lambda x: kops.clip(x, C, 1.1), [1, 1.1]),
    "convert_to_tensor": (lambda x: kops.convert_to_tensor([C], "float64"), [0.1]),
    "dot": (lambda x: kops.dot(x, [C, 0.2]), 0.5),
    "elu": (lambda x: kops.elu(-x, C), C * np.expm1(-X)),
    "full": (lambda x: kops.full((2,), C, dtype="float64"), [0.1, 0.1]),
    "full_like": (lambda x: kops.full_like(x, C), [0.1, 0.1]),
    "geomspace": (lambda x: kops.geomspace(C, 1.1, 3, dtype="float64"), np.geomspace(C, 1.1, 3)),
    "heaviside": (lambda x: kops.heaviside(x - 1, C), [0.1, 1]),
    "leaky_relu": (lambda x: kops.leaky_relu(-x, C), -X * C),
    "linspace": (lambda x: kops.linspace(C, 1.1, 3, dtype="float64"), [0.1, 0.6, 1.1]),
    "logspace": (lambda x: kops.logspace(C, 1.1, 3, dtype="float64"), np.logspace(C, 1.1, 3)),
    "max": (lambda x: kops.max(x * 0, initial=C), 0.1),
    "nan_to_num": (lambda x: kops.nan_to_num(x * np.nan, nan=C), [0.1, 0.1]),
    "pad": (lambda x: kops.pad(x, ((1, 0),), constant_values=C), [0.1, 1, 2]),
    "power": (lambda x: kops.power(x, C), X**C),
    "scatter_update": (lambda x: kops.scatter_update(x, [[0]], [C]), [0.1, 2]),
    "slice_update": (lambda x: kops.slice_update(x, [0], [C]), [0.1, 2]),
    "threshold": (lambda x: kops.threshold(x, 1.1, C), [0.1, 2]),
    "trapezoid": (lambda x: kops.trapezoid(x, dx=C), 0.15),
    "where": (lambda x: kops.where(x > 1, x, C), [0.1, 2]),
}

HALVES = {
    "clip": (lambda x, big: kops.clip(x, -big, big), [1, 1]),
    "full": (lambda x, big: kops.full((2,), big, dtype=x.dtype), [np.inf, np.inf]),
    "full_like": (lambda x, big: kops.full_like(x, -big), [-np.inf, -np.inf]),
    "pad": (lambda x, big: kops.pad(x, ((1, 0),), constant_values=big), [np.inf, 1, 1]),
    "power": (lambda x, big: kops.power(kops.add(x, x), big), [np.inf, np.inf]),
    "threshold": (lambda x, big: kops.threshold(x, 1.5, big), [np.inf, np.inf]),
    "where": (lambda x, big: kops.where(x > 1, x, big), [np.inf, np.inf]),
}


@pytest.fixture
def wide():
    """On JAX 64 bits are a setting."""
    if engine().NAME != "jax":
        yield
        return
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def host(x):
    return np.asarray(engine().to_numpy(x))


@pytest.mark.parametrize("name", DOUBLES)
def test_64_bits_stay(name, wide):
    call, expected = DOUBLES[name]
    found = host(call(kops.convert_to_tensor(X, "float64")))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("dtype, big", [("float16", 1e6), ("bfloat16", 1e39)])
@pytest.mark.parametrize("name", HALVES)
def test_beyond_the_range_is_infinite(name, dtype, big):
    call, expected = HALVES[name]
    found = host(call(kops.ones((2,), dtype), big))
    assert found.dtype.name == dtype
    np.testing.assert_array_equal(found.astype("float32"), expected)


def test_what_rounds_into_the_range_is_finite():
    assert float(host(kops.full((), 65510.0, dtype="float16"))) == 65504.0


@pytest.mark.parametrize("op", ["reshape", "tile", "broadcast_to"])
def test_sizes_are_ints(op):
    with pytest.raises(TypeError, match="ints are needed"):
        getattr(kops, op)(kops.ones((4,)), (2.0, 2.0))
