from __future__ import annotations

import itertools

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.conv_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from klayers.layers.separable_conv import SeparableConv1D, SeparableConv2D

RNG = np.random.default_rng(1)
X1 = RNG.normal(size=(2, 5, 4)).astype("float32")
X2 = RNG.normal(size=(2, 4, 5, 3)).astype("float32")
X3 = RNG.normal(size=(1, 3, 2, 3, 2)).astype("float32")


def spread(x, kernel, strides, dilation):
    """Every input position adds the kernel times its value: all of the output, without any cut."""
    n = x.ndim - 2
    reach = [(k - 1) * dilation + 1 for k in kernel.shape[:n]]
    sizes = [(s - 1) * strides + r for s, r in zip(x.shape[1:-1], reach)]
    y = np.zeros((x.shape[0], *sizes, kernel.shape[-2]))
    for place in itertools.product(*(range(s) for s in x.shape[1:-1])):
        for tap in itertools.product(*(range(k) for k in kernel.shape[:n])):
            at = tuple(p * strides + t * dilation for p, t in zip(place, tap))
            y[(slice(None), *at)] += x[(slice(None), *place)] @ kernel[tap].T
    return y


@pytest.mark.parametrize(
    ("cls", "x", "strides", "dilation"),
    [
        (Conv1DTranspose, X1, 2, 1),
        (Conv2DTranspose, X2, 1, 1),
        (Conv2DTranspose, X2, 2, 1),
        (Conv2DTranspose, X2, 1, 2),
        (Conv3DTranspose, X3, 2, 1),
    ],
)
def test_valid_keeps_all(cls, x, strides, dilation):
    def expected(x, kernel, bias):
        return spread(x.astype("float64"), kernel, strides, dilation) + bias

    make = lambda **k: cls(5, 3, strides=strides, dilation_rate=dilation, **k)
    layer = check_layer(make, x, expected, rtol=1e-4, atol=1e-4)
    assert layer.kernel.shape[-2:] == (5, x.shape[-1])


@pytest.mark.parametrize(("padding", "extra", "size"), [("same", None, 10), ("same", 1, 10), ("valid", 1, 12)])
def test_sizes_and_cuts(padding, extra, size):
    layer = Conv1DTranspose(2, 3, strides=2, padding=padding, output_padding=extra)
    y = as_array(layer(X1))
    assert y.shape == (2, size, 2) == layer.compute_output_shape(X1.shape)
    whole = spread(X1.astype("float64"), layer.kernel.numpy(), 2, 1)
    whole = np.concatenate([whole, np.zeros((2, 3, 2))], 1)  # room for an output padding
    starts = [s for s in range(3) if np.allclose(whole[:, s : s + size], y, atol=1e-4)]
    assert starts, "the output is no contiguous part of the whole"


def test_channels_first():
    x = np.ascontiguousarray(X2.transpose(0, 3, 1, 2))
    first = Conv2DTranspose(2, 3, strides=2, padding="same", data_format="channels_first")
    last = Conv2DTranspose(2, 3, strides=2, padding="same")
    y = as_array(first(x))
    last.build(X2.shape)
    last.set_weights(first.get_weights())
    np.testing.assert_allclose(as_array(last(X2)).transpose(0, 3, 1, 2), y, rtol=1e-4, atol=1e-4)
    assert first(kops.KerasTensor((None, 3, None, 5))).shape == (None, 2, None, 10)


def test_separable_is_depthwise_then_pointwise():
    def expected(x, depthwise, pointwise, bias):
        rows, columns = (n - 2 for n in x.shape[1:3])
        y = np.zeros((x.shape[0], rows, columns, x.shape[-1], depthwise.shape[-1]))
        for i, j in itertools.product(range(3), range(3)):
            y += x[:, i : i + rows, j : j + columns, :, None] * depthwise[i, j]
        return y.reshape(*y.shape[:3], -1) @ pointwise[0, 0] + bias

    make = lambda **k: SeparableConv2D(4, 3, depth_multiplier=2, **k)
    layer = check_layer(make, X2, expected, rtol=1e-4, atol=1e-4)
    assert [v.name for v in layer.weights] == ["depthwise_kernel", "pointwise_kernel", "bias"]
    check_layer(lambda **k: SeparableConv1D(4, 3, strides=2, padding="same", **k), X1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Conv2DTranspose(4, 3, strides=2, output_padding=2), "output_padding 2 must be less"),
        (lambda: Conv1DTranspose(4, 3, padding="causal"), "padding must be one of"),
        (lambda: Conv2DTranspose(4, 3, strides=2, dilation_rate=2), "cannot both be larger"),
        (lambda: SeparableConv1D(0, 3), "filters must be a positive integer"),
        (lambda: Conv2DTranspose(4, 3)(kops.KerasTensor((None, 5, 5, None))), "number of channels"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
