"""Ops of one's own."""

from __future__ import annotations

import numpy as np
import pytest

from kops import composite, multiply, primitive, promote, shapes, tanh
from kops.conformance import check
from kops.conformance.rows import F, case, row
from kops.declare import Tensor
from kops.engine import engine


@composite(dtype=promote.inexact)
def scaled_tanh(x: Tensor, scale: float = 2.0):
    """`scale * tanh(x)`."""
    return multiply(tanh(x), scale)


def _module():
    name = engine().NAME
    if name == "torch":
        import torch

        return torch
    if name == "tensorflow":
        import tensorflow as tf

        return tf
    if name == "jax":
        import jax.numpy as jnp

        return jnp
    return np


def _distance(x, y):
    m = _module()
    return m.sqrt(m.square(x) + m.square(y))


@primitive(
    dtype=promote.inexact,
    shape=shapes.broadcast,
    kernels=dict.fromkeys(("numpy", "jax", "torch", "tensorflow"), _distance),
)
def own_distance(x: Tensor, y: Tensor):
    """The length of (x, y)."""


def test_a_formula_of_ones_own_conforms():
    check(row("scaled_tanh", F(2, 3), scale=3.0, ref=lambda x, scale: scale * np.tanh(x), grad=True))


@pytest.mark.skipif(engine().NAME == "openvino", reason="the kernels are for other engines")
def test_a_kernel_of_ones_own_conforms():
    bad = [case(F(2, 3), F(4), error=ValueError, match="broadcast")]
    check(row("own_distance", F(2, 3), F(3), ref=np.hypot, grad=True, bad=bad))


def test_a_mistake_is_found():
    with pytest.raises(AssertionError, match="scaled_tanh"):
        check(row("scaled_tanh", F(2, 3), scale=3.0, ref=lambda x, scale: np.tanh(x)))


def test_an_engine_without_a_kernel_says_so():
    @primitive(dtype=promote.inexact, shape=shapes.broadcast, kernels={})
    def kernelless(x: Tensor):
        """Nothing."""

    with pytest.raises(NotImplementedError, match=f"{engine().NAME} backend has no kernel for kernelless"):
        kernelless(np.ones(2, "float32"))


def test_names_of_ops_are_not_taken():
    def add(x: Tensor):
        return x

    with pytest.raises(ValueError, match=r"an op 'add' already, in kops\.ops"):
        composite(dtype=promote.inexact)(add)


def test_names_in_the_declaration_are_public_ones():
    from kops import absolute, add
    from kspec import public_names

    assert public_names(add) == ("keras.ops.add", "keras.ops.numpy.add")
    assert public_names(absolute)[:1] == ("keras.ops.absolute",) and "keras.ops.abs" in public_names(absolute)
    assert public_names(scaled_tanh) == ()
