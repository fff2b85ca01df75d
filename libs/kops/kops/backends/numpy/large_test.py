"""Kernels that take another way with large arrays."""

from __future__ import annotations

import numpy as np
import pytest

from kops.backends.numpy.linalg_matrix import TABLE as LINALG
from kops.backends.numpy.sorting import TABLE as SORTING

RNG = np.random.default_rng(0)
KINDS = {
    "floats": lambda x: x,
    "many equal": lambda x: np.round(x),
    "some equal": lambda x: np.round(x, 3),
    "with NaN": lambda x: np.where(x > 1, np.nan, x),
    "with zeros of both signs": lambda x: np.where(np.abs(x) < 0.5, 0.0 * x, x),
    "integers": lambda x: np.round(9 * x).astype("int32"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(5000,), (70, 3, 40)])
def test_orders_are_stable(kind, shape):
    x = KINDS[kind](RNG.normal(size=shape).astype("float32"))
    for axis in range(-1, len(shape)):
        np.testing.assert_array_equal(SORTING["argsort"](x, axis), np.argsort(x, axis, kind="stable"))
    values, places = SORTING["top_k"](x, 5, True)
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, -1))
    if kind != "with NaN":
        np.testing.assert_array_equal(places, np.argsort(-x, -1, kind="stable")[..., :5])


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("right", [(2, 150, 3), (2, 150)])
def test_triangles_are_solved_in_halves(lower, right):
    a = RNG.normal(size=(2, 150, 150)) + 30 * np.eye(150)
    b = RNG.normal(size=right)
    triangle = np.tril(a) if lower else np.triu(a)
    x = LINALG["solve_triangular"](a, b, lower)
    product = np.einsum("bij,bj...->bi...", triangle, x)
    np.testing.assert_allclose(product, b, 1e-10, 1e-12)
