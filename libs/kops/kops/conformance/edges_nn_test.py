"""Layers' arithmetic at its edges: every mix of padding, strides, dilation and layout against the naive formula; CTC
without an alignment; attention of fully masked rows; losses of logits far out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import kops
from kops.conformance import collect
from kops.conformance.nn_attention import _attention
from kops.conformance.nn_conv import _conv, _depthwise, _separable, _transpose
from kops.conformance.nn_ctc import _loss
from kops.conformance.nn_pooling import _adaptive, _pool
from kops.declare import OPS
from kops.engine import engine

collect.rows()  # declares the ops
RNG = np.random.default_rng(3)
LAYOUTS = ("channels_last", "channels_first")


def numbers(*shape):
    return RNG.normal(size=shape)


def laid_out(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format == "channels_first" else x


def check(name, args, static, want, tol=2e-5):
    got = OPS[name].function(*(np.asarray(a, "float32") for a in args), **static)
    got = engine().to_numpy(got)
    assert got.shape == want.shape, (name, static, got.shape, want.shape)
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol, err_msg=f"{name} {static}")


# (input sizes, kernel sizes, strides, dilation); strides and dilation do not go together
WINDOWS = [
    ((8,), (3,), 1, 1), ((8,), (2,), 2, 1), ((7,), (4,), 3, 1), ((5,), (1,), 2, 1), ((9,), (3,), 1, 3),
    ((7, 8), (3, 2), (2, 3), 1), ((8, 7), (4, 3), 2, 1), ((7, 7), (2, 3), 1, (3, 2)), ((6, 5), (5, 5), 1, 1),
    ((5, 4, 6), (2, 3, 1), (1, 2, 2), 1),
]  # fmt: skip


if engine().NAME == "jax":  # which compiles each of them; XLA has one implementation for all
    WINDOWS = WINDOWS[1::3]


@pytest.mark.parametrize("data_format", LAYOUTS)
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("name", ["conv", "grouped", "depthwise_conv", "separable_conv", "conv_transpose"])
def test_convolution(name, padding, data_format):
    for sizes, window, strides, dilation in WINDOWS:
        if name in ("depthwise_conv", "separable_conv") and len(set(np.atleast_1d(strides))) > 1:
            continue  # TensorFlow's depthwise kernel has one stride; the rows check others
        static = {
            "strides": strides, "padding": padding, "data_format": data_format, "dilation_rate": dilation,
        }  # fmt: skip
        x = laid_out(numbers(2, *sizes, 4), data_format)
        kernels = {
            "conv": [(4, 3)], "grouped": [(2, 6)], "depthwise_conv": [(4, 2)], "separable_conv": [(4, 2)],
            "conv_transpose": [(3, 4)],
        }[name]  # fmt: skip
        args = [x, *(numbers(*window, *k) for k in kernels)]
        ref = {"depthwise_conv": _depthwise, "separable_conv": _separable, "conv_transpose": _transpose}.get(
            name, _conv
        )
        if name == "separable_conv":
            if len(sizes) > 2:
                continue
            args.append(numbers(*(1,) * len(sizes), 8, 3))
        check("conv" if name == "grouped" else name, args, static, ref(*args, **static), 1e-4)


@pytest.mark.parametrize("data_format", LAYOUTS)
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("name", ["max_pool", "average_pool"])
def test_pooling(name, padding, data_format):
    reduce = np.max if name == "max_pool" else np.mean
    for sizes, window, strides, dilation in WINDOWS:
        if dilation == 1:
            static = {"strides": strides, "padding": padding, "data_format": data_format}
            x = laid_out(numbers(2, *sizes, 3) - 5, data_format)
            check(name, [x], {"pool_size": window, **static}, _pool(reduce)(x, window, **static))


def test_pooling_of_infinities():
    x = np.array([-np.inf, -np.inf, 1.0, np.inf, np.nan]).reshape(1, 5, 1)
    if engine().NAME != "tensorflow":  # whose kernel has the lowest finite number for -inf and passes over NaN
        got = engine().to_numpy(kops.max_pool(x.astype("float32"), 2, 1, "same"))
        np.testing.assert_array_equal(got[0, :, 0], [-np.inf, 1.0, np.inf, np.nan, np.nan])
    got = engine().to_numpy(kops.average_pool(x[:, :4].astype("float32"), 2, 2))
    np.testing.assert_array_equal(got[0, :, 0], [-np.inf, np.inf])


@pytest.mark.parametrize("data_format", LAYOUTS)
@pytest.mark.parametrize("name", ["adaptive_max_pool", "adaptive_average_pool"])
def test_adaptive_pooling(name, data_format):
    reduce = np.max if "max" in name else np.mean
    for sizes, out in (((7,), 3), ((5,), 8), ((6, 9), (4, 9)), ((3, 4), (1, 7)), ((4, 3, 5), (2, 2, 4))):
        x = laid_out(numbers(2, *sizes, 2), data_format)
        check(name, [x], {"output_size": out, "data_format": data_format}, _adaptive(reduce)(x, out, data_format))


def test_ctc_of_all_kinds_of_labels():
    """Blank only, repeated, as long as the steps allow; without an alignment the loss is infinite."""
    logits = numbers(5, 4, 4).astype("float32")
    target = np.array([[0, 0, 0], [2, 2, 0], [1, 2, 3], [1, 1, 1], [1, 2, 0]], "int32")
    lengths, steps = np.array([0, 2, 3, 3, 2], "int32"), np.array([4, 3, 3, 4, 1], "int32")
    got = engine().to_numpy(kops.ctc_loss(target, logits, lengths, steps))
    want = _loss(target[:3], logits[:3].astype(float), lengths[:3], steps[:3])
    np.testing.assert_allclose(got[:3], want, rtol=1e-5)
    assert np.all(got[3:] > 1e4), got  # three repeated labels need five steps


ATTENTION = {
    "plain": {}, "causal": {"is_causal": True}, "bias": {"bias": (2, 4, 3, 5)}, "mask": {"mask": (2, 1, 3, 5)},
    "all at once": {"is_causal": True, "bias": (1, 4, 1, 5), "mask": (2, 4, 1, 5), "scale": 0.2},
    "masked away": {"mask": None},
}  # fmt: skip


@pytest.mark.parametrize("heads", [4, 2, 1])
@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name, heads):
    q, k, v = numbers(2, 3, 4, 8), numbers(2, 5, heads, 8), numbers(2, 5, heads, 6)
    static = dict(ATTENTION[name])
    if "mask" in static:
        static["mask"] = np.zeros((2, 1, 3, 5), bool) if static["mask"] is None else RNG.random(static["mask"]) < 0.5
    if "bias" in static:
        static["bias"] = numbers(*static["bias"]).astype("float32")
    for flash in (None,) if engine().NAME == "jax" else (None, False):
        check("dot_product_attention", [q, k, v], {**static, "flash_attention": flash}, _attention(q, k, v, **static))


def test_losses_of_logits_far_out():
    far = np.array([[1e4, -1e4, 0.0], [-1e4, -1e4, 1e4], [80.0, -80.0, 30.0]])
    one_hot = np.eye(3)
    logs = special.log_softmax(far, -1)
    options = {"from_logits": True}
    check("categorical_crossentropy", [one_hot, far], options, -np.sum(one_hot * logs, -1))
    got = kops.sparse_categorical_crossentropy(np.arange(3, dtype="int32"), far.astype("float32"), **options)
    np.testing.assert_allclose(engine().to_numpy(got), -np.diag(logs), rtol=1e-5)
    want = np.logaddexp(0, far) - far * one_hot
    check("binary_crossentropy", [one_hot, far], options, want)
    sure = np.array([[0.0, 1.0], [1.0, 0.0]])
    edge = -np.log(1e-7)
    check("categorical_crossentropy", [np.eye(2), sure], {}, np.array([edge, edge]), 1e-4)
    p = np.array([[0.0, 1.0], [1.0, 0.0]])
    got = engine().to_numpy(kops.binary_crossentropy(p.astype("float32"), (1 - p).astype("float32")))
    assert np.all((got > 15) & (got < 17)), got


def test_normalizations_of_what_does_not_vary():
    x = np.full((2, 3, 4), 7.0)
    check("layer_normalization", [x], {}, np.zeros_like(x))
    check("rms_normalization", [np.zeros((2, 3))], {}, np.zeros((2, 3)))
    check("batch_normalization", [x, np.full(4, 7.0), np.zeros(4)], {"axis": -1}, np.zeros_like(x))
    check("normalize", [np.zeros((2, 3))], {}, np.zeros((2, 3)))
