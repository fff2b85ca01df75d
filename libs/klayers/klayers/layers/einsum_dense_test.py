from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.einsum_dense import EinsumDense, analyze

X = np.random.default_rng(1).normal(size=(2, 3, 6)).astype("float32")


@pytest.mark.parametrize(
    ("equation", "output_shape", "bias_axes", "kernel", "bias"),
    [
        ("abc,cd->abd", (None, 4), "d", (6, 4), (4,)),
        ("abc,cd->abd", (3, 4), None, (6, 4), None),
        ("abc,cde->abde", (None, 4, 5), "de", (6, 4, 5), (4, 5)),
        ("abc,cde->abde", (None, 4, 5), "e", (6, 4, 5), (5,)),
        ("abc,bc->ab", (3,), "b", (3, 6), (3,)),
        ("...c,cd->...d", (4,), "d", (6, 4), (4,)),
        ("ab...,bd->ad...", (4, None), "d", (3, 4), (4, 1)),
        ("abc,bcd->ad", 4, "d", (3, 6, 4), (4,)),
    ],
)
def test_equations(equation, output_shape, bias_axes, kernel, bias):
    def expected(x, kernel, bias=0.0):
        return np.einsum(equation, x, kernel) + bias

    make = lambda **k: EinsumDense(equation, output_shape, bias_axes=bias_axes, **k)
    layer = check_layer(make, X, expected, rtol=1e-4, atol=1e-4)
    assert layer.kernel.shape == kernel
    assert (None if layer.bias is None else layer.bias.shape) == bias


def test_activation_and_unknown_sizes():
    layer = EinsumDense("abc,cd->abd", (None, 4), activation="relu")
    y = as_array(layer(X))
    np.testing.assert_allclose(y, np.maximum(X @ layer.kernel.numpy(), 0), rtol=1e-4, atol=1e-5)
    assert layer(kops.KerasTensor((None, None, 6))).shape == (None, None, 4)
    assert analyze("abc,cd->abd", None, (None, 3, 6), (None, 4)) == ((6, 4), None, (None, 3, 4))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EinsumDense("ab,bc", 4), "has the form 'ab,bc->ac'"),
        (lambda: EinsumDense("ab->ab", 4), "has the form"),
        (lambda: EinsumDense("abc,cd->abe", (None, 4))(X), "'e' of the output .* in neither input nor kernel"),
        (lambda: EinsumDense("abc,de->abe", (None, 4))(X), "'d' of the kernel .* in neither input nor output"),
        (lambda: EinsumDense("abc,bc->ab", (5,))(X), "'b' .* has size 3 in the input and 5"),
        (lambda: EinsumDense("abc,cd->abd", (None, 4), bias_axes="z")(X), "bias_axes names z"),
        (lambda: EinsumDense("abc,cde->abde", (None, None, 4))(X), "size of the kernel's axis 'd'"),
        (lambda: EinsumDense("ab,bc->ac", 4)(X), "for inputs of 2 axes"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
