"""Where a kernel has several ways, each of them: that it is taken when its condition holds, and gives what the plain
formula gives. And that no way of the nn family waits for the host.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest

from kops.conformance import collect, image, nn_attention, nn_conv, nn_ctc, nn_normalization, nn_rnn
from kops.conformance.rows import B, F, L, P, row
from kops.conformance.trial import Trial, check_close
from kops.engine import engine

harness: Any = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")

_Q, _K, _V = F(2, 3, 4, 8), F(2, 5, 4, 8), F(2, 5, 4, 8)
_LSTM = (F(2, 4, 3), F(2, 5), F(2, 5), F(3, 20), F(5, 20), F(20))
_GRU = (F(2, 4, 3), F(2, 5), F(3, 15), F(5, 15))


def attention(*args: Any, **static: Any) -> Any:
    return row("dot_product_attention", *args, ref=nn_attention._attention, **static)


def convolution(*args: Any, **static: Any) -> Any:
    return row("conv", *args, ref=nn_conv._conv, tol=2e-5, **static)


def depthwise(*args: Any, **static: Any) -> Any:
    return row("depthwise_conv", *args, ref=nn_conv._depthwise, tol=2e-5, **static)


def _gelu(x: Any, approximate: bool) -> Any:
    return 0.5 * x * (1 + np.vectorize(math.erf)(x * math.sqrt(0.5)))


_FUSED = {
    "torch": "scaled_dot_product_attention",
    "jax": "dot_product_attention",
    "openvino": "ScaledDotProductAttention",
}
_DEPTHWISE = {
    "torch": "conv2d",
    "jax": "conv_general_dilated",
    "tensorflow": "DepthwiseConv2dNative",
    "openvino": "GroupConvolution",
}
# What is computed, and by engine the native name that must appear; with a "!" in front: must not.
PATHS = {
    "attention, fused": (
        attention(_Q, _K, _V),
        _FUSED,
    ),
    "attention, fused, causal and masked": (
        attention(_Q, _K, _V, F(2, 4, 3, 5), B(2, 1, 3, 5), is_causal=True),
        _FUSED,
    ),
    "attention, shared heads": (
        attention(_Q, F(2, 5, 2, 8), F(2, 5, 2, 8)),
        {**_FUSED, "openvino": "!ScaledDotProductAttention"},
    ),
    "attention, soft cap": (
        attention(_Q, _K, _V, attn_logits_soft_cap=0.5),
        {engine: "!" + name for engine, name in _FUSED.items()},
    ),
    "attention, mask of two dimensions": (
        attention(_Q, _K, _V, None, B(3, 5)),
        {**_FUSED, "jax": "!dot_product_attention"},
    ),
    "attention, without the fused kernel": (
        attention(_Q, _K, _V, flash_attention=False),
        {"torch": "!scaled_dot_product_attention", "openvino": "!ScaledDotProductAttention"},
    ),
    "convolution, channels last": (
        convolution(F(2, 6, 5, 3), F(3, 2, 3, 4), padding="same"),
        {"torch": "conv2d", "jax": "conv_general_dilated", "tensorflow": "Conv2D", "openvino": "Convolution"},
    ),
    "convolution, channels first": (
        convolution(F(2, 3, 6, 5), F(3, 2, 3, 4), data_format="channels_first"),
        {"torch": "conv2d", "jax": "conv_general_dilated", "tensorflow": "Conv2D", "openvino": "Convolution"},
    ),
    "convolution, padded unevenly": (
        convolution(F(2, 6, 6, 3), F(2, 2, 3, 4), padding="same"),
        {"torch": "pad", "jax": "conv_general_dilated", "tensorflow": "!Pad"},
    ),
    "convolution, strided and dilated": (
        convolution(F(2, 9, 9, 3), F(2, 2, 3, 4), strides=2, dilation_rate=2, padding="same"),
        {"torch": "conv2d", "jax": "conv_general_dilated", "tensorflow": "StridedSlice", "openvino": "Convolution"},
    ),
    "convolution, in groups": (
        convolution(F(2, 6, 5, 4), F(3, 2, 2, 6)),
        {"torch": "conv2d", "jax": "conv_general_dilated", "openvino": "GroupConvolution"},
    ),
    "depthwise, as shifts": (
        depthwise(F(2, 6, 5, 3), F(3, 3, 3, 1), padding="same"),
        {**_DEPTHWISE, "jax": "!conv_general_dilated"},
    ),
    "depthwise, two filters": (
        depthwise(F(2, 6, 5, 3), F(3, 3, 3, 2), padding="same"),
        _DEPTHWISE,
    ),
    "depthwise, a large window": (
        depthwise(F(1, 8, 8, 2), F(6, 6, 2, 1)), {"jax": "conv_general_dilated"}
    ),
    "depthwise, unequal strides": (
        depthwise(F(2, 6, 5, 3), F(3, 3, 3, 1), strides=(2, 1)),
        {"torch": "conv2d", "jax": "!conv_general_dilated", "tensorflow": "StridedSlice"},
    ),
    "convolution, more than the cache holds": (
        convolution(F(2, 48, 40, 12), F(3, 3, 12, 4), padding="same"), {},
    ),
    "depthwise, more than the cache holds": (
        depthwise(F(2, 48, 40, 64), F(3, 3, 64, 1)), {},
    ),
    "gelu of many numbers": (
        row("gelu", F(190, 210), approximate=False, ref=_gelu), {},
    ),
    "resizing by a few elements": (
        row("resize", F(2, 5, 6, 3), (7, 9), "bicubic", ref=image._resize, tol=5e-5),
        {"jax": "!dot_general"},
    ),
    "resizing by a matrix": (
        row("resize", F(2, 15, 6, 3), (4, 9), "bicubic", antialias=True, ref=image._resize, tol=5e-5),
        {"jax": "dot_general"},
    ),
    "LSTM": (
        row("lstm", *_LSTM, ref=nn_rnn._lstm),
        {"torch": "lstm", "jax": "scan", "tensorflow": "While", "openvino": "LSTMSequence"},
    ),
    "LSTM backwards": (
        row("lstm", *_LSTM, reverse=True, ref=nn_rnn._lstm),
        {"torch": "lstm", "jax": "scan", "tensorflow": "While", "openvino": "LSTMSequence"},
    ),
    "LSTM, masked": (
        row("lstm", *_LSTM, nn_rnn._MASK, ref=nn_rnn._lstm), {"torch": "!lstm", "jax": "scan", "tensorflow": "While"}
    ),
    "GRU": (
        row("gru", *_GRU, F(2, 15), ref=nn_rnn._gru),
        {"torch": "gru", "jax": "scan", "tensorflow": "While", "openvino": "GRUSequence"},
    ),
    "GRU, reset before": (
        row("gru", *_GRU, F(15), reset_after=False, ref=nn_rnn._gru),
        {"torch": "!gru", "jax": "scan", "tensorflow": "While", "openvino": "GRUSequence"},
    ),
    "simple RNN": (
        row("simple_rnn", F(2, 4, 3), F(2, 5), F(3, 5), F(5, 5), F(5), activation="relu", ref=nn_rnn._simple),
        {"torch": "rnn_relu", "jax": "scan", "tensorflow": "While", "openvino": "RNNSequence"},
    ),
    "layer normalization of the last axis": (
        row("layer_normalization", F(4, 5), F(5), F(5), ref=nn_normalization._layer, tol=1e-4),
        {"torch": "layer_norm"},
    ),
    "layer normalization of the first axis": (
        row("layer_normalization", F(4, 5), F(4), F(4), axis=0, ref=nn_normalization._layer, tol=1e-4),
        {"torch": "!layer_norm"},
    ),
    "CTC": (
        row("ctc_loss", L([[1, 2], [2, 2]]), F(2, 4, 4), L([2, 1]), L([4, 3]), ref=nn_ctc._loss, tol=2e-5),
        {"torch": "ctc_loss", "tensorflow": "While"},
    ),
    "CTC without labels": (
        row("ctc_loss", L(np.zeros((2, 0), int)), F(2, 3, 4), L([0, 0]), L([3, 2]), ref=nn_ctc._loss, tol=2e-5),
        {"torch": "!ctc_loss"},
    ),
    "histogram": (row("histogram", F(20), bins=4, ref=np.histogram), {"torch": "histogram"}),
    "least squares": (
        row("lstsq", F(5, 3), F(5), ref=lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], tol=1e-4),
        {"tensorflow": "!MatrixSolveLs"},
    ),
    "batch normalization": (
        row("batch_normalization", F(2, 3, 4), F(4), P(4), axis=-1, ref=nn_normalization._batch, tol=1e-4),
        {"torch": "batch_norm"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_path(path):
    chosen, wanted = PATHS[path]
    trial = Trial(chosen.op, chosen.args, chosen.static)
    arrays = trial.arrays()
    check_close(trial.call(arrays), trial.expected(chosen.ref), chosen.tol, trial)
    name = wanted.get(engine().NAME)
    if name is None:
        pytest.skip("one way only on this engine")
    taken = harness.native_names(trial.function, arrays)
    assert (name.lstrip("!") in taken) == (name[0] != "!"), f"{trial}: {name}, but {sorted(taken)}"
    compiled = harness.compiled(trial.function, arrays, chosen.dynamic and "first")
    check_close(compiled, trial.expected(chosen.ref), chosen.tol, f"compiled {trial}")


# What stops a device until the host has seen a value, by the names of each engine.
WAITING = {"aten::_local_scalar_dense", "aten::item", "aten::nonzero", "pure_callback", "io_callback"}
WAITING |= {"debug_callback", "PyFunc", "EagerPyFunc"}
NN = sorted(name for name, rows in collect.rows().items() if name.startswith("nn_") and rows[0].jit)


@pytest.mark.parametrize("name", NN)
def test_nn_does_not_wait_for_the_host(name):
    for chosen in collect.rows()[name]:
        if not chosen.jit:
            continue
        trial = Trial(chosen.op, chosen.args, chosen.static)
        if not trial.makers or chosen.op in getattr(engine(), "GRAPH_GAPS", engine().GAPS):
            pytest.skip("not computed here")
        waiting = WAITING & harness.native_names(trial.function, trial.arrays())
        assert not waiting, f"{trial} waits in {waiting}"
