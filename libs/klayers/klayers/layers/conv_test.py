from __future__ import annotations

import itertools

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.conv import Conv1D, Conv2D, Conv3D
from klayers.layers.depthwise_conv import DepthwiseConv1D, DepthwiseConv2D

RNG = np.random.default_rng(1)
X1 = RNG.normal(size=(2, 9, 4)).astype("float32")
X2 = RNG.normal(size=(2, 7, 6, 4)).astype("float32")
X3 = RNG.normal(size=(2, 5, 4, 5, 2)).astype("float32")


def convolve(x, kernel, strides=1, padding="valid", dilation=1, groups=1):
    """The sum over every tap of the window, in float64."""
    x, kernel = x.astype("float64"), kernel.astype("float64")
    n = x.ndim - 2
    strides, dilation = (tuple(v) if isinstance(v, tuple) else (v,) * n for v in (strides, dilation))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel.shape, dilation)]
    pads = [(0, 0)] * n
    if padding == "causal":
        pads = [(reach[0] - 1, 0)]
    elif padding == "same":
        total = [max((-(-s // t) - 1) * t + r - s, 0) for s, t, r in zip(x.shape[1:], strides, reach)]
        pads = [(t // 2, t - t // 2) for t in total]
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    sizes = [(s - r) // t + 1 for s, r, t in zip(x.shape[1:], reach, strides)]
    taken = kernel.shape[-2]
    made = kernel.shape[-1] // groups
    y = np.zeros((x.shape[0], *sizes, kernel.shape[-1]))
    for tap in itertools.product(*(range(k) for k in kernel.shape[:n])):
        cut = tuple(slice(i * d, i * d + (m - 1) * t + 1, t) for i, d, m, t in zip(tap, dilation, sizes, strides))
        piece = x[(slice(None), *cut)]
        for g in range(groups):
            y[..., g * made : (g + 1) * made] += (
                piece[..., g * taken : (g + 1) * taken] @ kernel[tap][:, g * made : (g + 1) * made]
            )
    return y


@pytest.mark.parametrize(
    ("cls", "x", "options"),
    [
        (Conv1D, X1, {"strides": 2}),
        (Conv1D, X1, {"padding": "causal", "dilation_rate": 2}),
        (Conv1D, X1, {"padding": "same", "groups": 2}),
        (Conv2D, X2, {}),
        (Conv2D, X2, {"padding": "same", "strides": (2, 1)}),
        (Conv2D, X2, {"dilation_rate": (2, 1)}),
        (Conv2D, X2, {"groups": 2, "padding": "same"}),
        (Conv3D, X3, {"padding": "same"}),
        (Conv3D, X3, {"strides": 2}),
    ],
)
def test_convolution(cls, x, options):
    def expected(x, kernel, bias):
        o = {"dilation" if k == "dilation_rate" else k: v for k, v in options.items()}
        return convolve(x, kernel, **o) + bias

    check_layer(lambda **k: cls(6, 3, **options, **k), x, expected, rtol=1e-4, atol=1e-4)


def test_weights_activation_and_no_bias():
    layer = Conv2D(4, (3, 2), activation="relu", use_bias=False, name="c")
    y = as_array(layer(X2))
    assert [(v.path, v.shape) for v in layer.weights] == [("c/kernel", (3, 2, 4, 4))]
    expected = np.maximum(convolve(X2, layer.kernel.numpy()), 0)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_channels_first_is_the_transpose_of_channels_last(padding):
    last = Conv2D(3, 3, padding=padding, data_format="channels_last")
    y = as_array(last(X2))
    first = Conv2D(3, 3, padding=padding, data_format="channels_first")
    x = np.ascontiguousarray(X2.transpose(0, 3, 1, 2))
    first.build(x.shape)
    first.set_weights([w + 0.1 for w in last.get_weights()])
    last.set_weights(first.get_weights())
    y = as_array(last(X2))
    np.testing.assert_allclose(as_array(first(x)), y.transpose(0, 3, 1, 2), rtol=1e-4, atol=1e-4)
    assert first(kops.KerasTensor((None, 4, None, 6))).shape[:2] == (None, 3)
    one = Conv1D(3, 3, padding="causal", data_format="channels_first")
    assert tuple(one(np.ascontiguousarray(X1.transpose(0, 2, 1))).shape) == (2, 3, 9)


@pytest.mark.parametrize(
    ("cls", "x", "options"),
    [
        (DepthwiseConv1D, X1, {"strides": 2}),
        (DepthwiseConv2D, X2, {"depth_multiplier": 2}),
        (DepthwiseConv2D, X2, {"padding": "same", "strides": 2}),
        (DepthwiseConv2D, X2, {"padding": "same", "dilation_rate": 2, "depth_multiplier": 3}),
    ],
)
def test_depthwise(cls, x, options):
    def expected(x, kernel, bias):
        multiplier = kernel.shape[-1]
        o = {"dilation" if k == "dilation_rate" else k: v for k, v in options.items() if k != "depth_multiplier"}
        flat = kernel.reshape(*kernel.shape[:-2], 1, -1)
        return convolve(x, flat, groups=x.shape[-1], **o) + bias if multiplier else None

    layer = check_layer(lambda **k: cls(3, **options, **k), x, expected, rtol=1e-4, atol=1e-4)
    assert [v.name for v in layer.weights] == ["kernel", "bias"]


def test_unknown_sizes_stay_unknown():
    y = Conv2D(3, 3, padding="same", strides=2)(kops.KerasTensor((None, None, 9, 4)))
    assert y.shape == (None, None, 5, 3)
    assert Conv2D(3, 3).compute_output_shape((None, 5, None, 3)) == (None, 3, None, 3)
    assert Conv1D(3, 3, padding="causal").compute_output_shape((None, 5, 2)) == (None, 5, 3)


def test_integers_are_convolved_as_floats():
    assert kops.standardize_dtype(Conv2D(4, 3)(np.ones((1, 5, 5, 3), "int32")).dtype) == "float32"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Conv2D(0, 3), "filters must be a positive integer, not 0"),
        (lambda: Conv2D(4, 0), "kernel_size must be"),
        (lambda: Conv2D(4, (3, 3, 3)), "kernel_size must be"),
        (lambda: Conv2D(4, 3, strides=2, dilation_rate=2), "cannot both be larger than 1"),
        (lambda: Conv2D(4, 3, groups=3), r"filters \(4\) must be a multiple of groups \(3\)"),
        (lambda: Conv2D(4, 3, padding="causal"), "padding must be one of 'valid', 'same', not 'causal'"),
        (lambda: Conv2D(4, 3, data_format="foo"), "data_format"),
        (lambda: Conv2D(4, 3)(np.ones((2, 5, 5), "float32")), "at least 4 axes"),
        (lambda: Conv2D(4, 3)(np.ones((1, 2, 2, 3), "float32")), "window"),
        (lambda: Conv2D(4, 3, groups=2)(np.ones((1, 5, 5, 3), "float32")), "3 channels .* 2 groups"),
        (lambda: Conv2D(4, 3)(kops.KerasTensor((None, 5, 5, None))), "needs to know the number of channels"),
        (lambda: DepthwiseConv2D(3, depth_multiplier=0), "depth_multiplier must be a positive integer"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_another_number_of_channels_is_refused():
    layer = Conv2D(4, 3)
    layer(X2)
    with pytest.raises(ValueError, match="axis -1 has size 4"):
        layer(X2[..., :3])
