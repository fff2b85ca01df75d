"""Graphs: any structure, shared parts, partial graphs, and disconnected ones."""

from __future__ import annotations

import numpy as np
import pytest

from kops import add, exp, subtract
from kops.engine import engine
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.operation import Operation


def host(x):
    return np.asarray(engine().to_numpy(x))


def test_single():
    x = KerasTensor((None, 2))
    f = Function(x, add(exp(x), 1.0))
    assert np.allclose(host(f(np.zeros((3, 2), "float32"))), 2.0)


def test_structures():
    a, b = KerasTensor((2,)), KerasTensor((2,))
    f = Function({"a": a, "b": b}, (add(a, b), [subtract(a, b)]))
    total, (difference,) = f({"a": np.array([3.0, 4.0], "float32"), "b": np.array([1.0, 1.0], "float32")})
    assert host(total).tolist() == [4.0, 5.0] and host(difference).tolist() == [2.0, 3.0]


def test_shared_part_runs_once():
    class Counting(Operation):
        calls = 0

        def call(self, x):
            Counting.calls += 1
            return exp(x)

    x = KerasTensor((2,))
    y = Counting()(x)
    f = Function(x, [add(y, 1.0), subtract(y, 1.0)])
    Counting.calls = 0
    f(np.zeros(2, "float32"))
    assert Counting.calls == 1
    assert len(f.operations) == 3


def test_intermediate_tensor_as_input():
    x = KerasTensor((2,))
    y = exp(x)
    f = Function(y, add(y, 1.0))
    assert host(f(np.zeros(2, "float32"))).tolist() == [1.0, 1.0]


def test_input_is_output():
    x = KerasTensor((2,))
    assert host(Function(x, [x, add(x, 1.0)])(np.zeros(2, "float32"))[0]).tolist() == [0.0, 0.0]


def test_symbolic_call_and_shapes():
    x = KerasTensor((None, 2))
    f = Function(x, add(x, 1.0))
    assert f(KerasTensor((5, 2))).shape == (5, 2)
    assert f.compute_output_shape((7, 2)) == (7, 2)


def test_disconnected():
    x, other = KerasTensor((2,), name="x"), KerasTensor((2,), name="other")
    with pytest.raises(ValueError, match="disconnected.*other"):
        Function(x, add(x, other))


def test_wrong_arguments():
    x = KerasTensor((2,))
    with pytest.raises(ValueError, match="symbolic tensors"):
        Function(x, 3.0)
    with pytest.raises(ValueError, match="at least one output"):
        Function(x, [])
    with pytest.raises(ValueError, match="has 1 inputs but was called with 2"):
        Function(x, add(x, 1.0))([np.zeros(2), np.zeros(2)])


def test_thousands_of_operations():
    x = y = KerasTensor((1,))
    for _ in range(3000):
        y = add(y, 1.0)
    assert host(Function(x, y)(np.zeros(1, "float32"))).tolist() == [3000.0]
