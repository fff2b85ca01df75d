from __future__ import annotations

import gc

import numpy as np
import pytest

import klayers
import kops
from kops.config import settings
from kops.engine import engine
from kquant.configs import Int8QuantizationConfig
from kquant.quantizers import AbsMaxQuantizer

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(4, 8)).astype("float32")
STEPS = RNG.normal(size=(2, 5, 8)).astype("float32")
NUMBERS = np.array([[0, 3, 6], [1, 1, 2]])

LAYERS = {
    "dense": (lambda: klayers.Dense(6, "relu", bias_initializer="normal"), VECTORS),
    "dense without bias": (lambda: klayers.Dense(6, use_bias=False), STEPS),
    "einsum": (lambda: klayers.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"), STEPS),
    "einsum, ellipsis": (lambda: klayers.EinsumDense("...c,cd->...d", (None, 3), bias_axes="d"), STEPS),
    "einsum, no matrix product": (lambda: klayers.EinsumDense("abc,dc->abd", (None, 3)), STEPS),
    "embedding": (lambda: klayers.Embedding(7, 16), NUMBERS),
}


def host(x):
    return np.asarray(engine().to_numpy(kops.stop_gradient(x)), "float32")


@pytest.fixture(params=LAYERS, ids=str)
def case(request):
    make, data = LAYERS[request.param]
    layer = make()
    full = host(layer(data))
    return layer, data, full


@pytest.mark.parametrize("weight_only", [False, True])
def test_close_to_the_float_layer_but_not_equal(case, weight_only):
    layer, data, full = case
    config = Int8QuantizationConfig(activation_quantizer=None) if weight_only else None
    layer.quantize("int8", config=config)
    out = host(layer(data))
    assert out.shape == full.shape
    error = np.abs(out - full).max() / np.abs(full).max()
    assert 0 < error < 0.03
    kernel = layer.embeddings if hasattr(layer, "embeddings") else layer.kernel
    assert kernel.dtype == "int8" and not kernel.trainable
    assert layer.dtype_policy.name == "int8_from_float32" and layer.quantization_mode == "int8"
    assert len(layer.weights) == 2 + (getattr(layer, "bias", None) is not None)


def test_a_dense_layer_by_hand():
    layer = klayers.Dense(2)
    layer.build((None, 3))
    layer.kernel.assign([[1.0, 0.5], [-2.0, 0.25], [0.0, 127.0]])
    layer.bias.assign([0.5, -1.0])
    layer.quantize("int8")
    np.testing.assert_array_equal(layer.kernel.numpy(), [[64, 0], [-127, 0], [0, 127]])
    np.testing.assert_allclose(layer.kernel_scale.numpy(), [63.5, 1.0], rtol=1e-6)
    # The input (1, 2, -4) is (32, 64, -127) / 31.75 (half to even: 31.75 and 63.5 round up).
    expected = [[(32 * 64 - 64 * 127) / 31.75 / 63.5 + 0.5, -127 * 127 / 31.75 - 1.0]]
    np.testing.assert_allclose(host(layer(np.array([[1.0, 2.0, -4.0]], "float32"))), expected, rtol=1e-5)


def test_config_and_variables_make_the_same_layer(case):
    layer, data, _ = case
    layer.quantize("int8")
    again = type(layer).from_config(layer.get_config())
    again.build_from_config(layer.get_build_config() or {"input_shape": data.shape})
    store = {}
    layer.save_own_variables(store)
    assert sorted(store) == [str(i) for i in range(len(layer.weights))]
    assert store["0"].dtype == "int8"
    again.load_own_variables({k: v.numpy() for k, v in store.items()})
    np.testing.assert_array_equal(host(again(data)), host(layer(data)))
    assert isinstance(again.quantization_config, Int8QuantizationConfig)


def test_a_policy_alone_makes_a_quantized_layer():
    layer = klayers.Dense(3, dtype="int8_from_float32")
    layer.build((None, 4))
    assert [v.dtype for v in (layer.kernel, layer.bias, layer.kernel_scale)] == ["int8", "float32", "float32"]
    assert layer.get_config()["quantization_config"] is None
    np.testing.assert_array_equal(host(layer(np.ones((1, 4), "float32"))), np.zeros((1, 3)))


def test_setting_a_quantized_policy_quantizes():
    layer = klayers.Dense(3)
    full = host(layer(VECTORS))
    layer.dtype_policy = "int8_from_float32"
    assert layer.kernel.dtype == "int8"
    np.testing.assert_allclose(host(layer(VECTORS)), full, atol=0.05)


def test_mixed_precision_keeps_its_dtypes():
    layer = klayers.Dense(3, dtype="mixed_bfloat16")
    full = host(layer(VECTORS))
    layer.quantize("int8")
    assert layer.dtype_policy.name == "int8_from_mixed_bfloat16"
    assert layer.kernel_scale.dtype == "float32"
    out = layer(VECTORS)
    assert engine().dtype_name(out) == "bfloat16"
    np.testing.assert_allclose(host(out), full, atol=0.1)
    half = klayers.Dense(3, dtype="float16")
    half.build((None, 4))
    with pytest.raises(ValueError, match="float16"):
        half.quantize("int8")
    assert half.kernel.dtype == "float16"


def test_own_quantizers_are_used():
    layer = klayers.Dense(3)
    layer(VECTORS)
    coarse = AbsMaxQuantizer(axis=0, value_range=(-3, 3))
    layer.quantize(config=Int8QuantizationConfig(weight_quantizer=coarse))
    assert set(np.unique(layer.kernel.numpy())) <= set(range(-3, 4))


def test_reversible_embedding_in_both_directions():
    for tie in (True, False):
        layer = klayers.ReversibleEmbedding(7, 16, tie_weights=tie, logit_soft_cap=2.0)
        vectors = host(layer(NUMBERS))
        scores = host(layer(vectors, reverse=True))
        layer.quantize("int8")
        np.testing.assert_allclose(host(layer(NUMBERS)), vectors, atol=1e-3)
        np.testing.assert_allclose(host(layer(vectors, reverse=True)), scores, atol=1e-3)
        assert len(layer._file_variables()) == (2 if tie else 4)


def test_a_failed_quantize_leaves_the_layer_as_it_was():
    layer = klayers.ReversibleEmbedding(7, 4, tie_weights=False, dtype="float16")
    layer.build(None)
    before = [v.path for v in layer.weights]
    with pytest.raises(ValueError, match="float16"):
        layer.quantize("int8")
    assert sorted(v.path for v in layer.weights) == sorted(before)
    assert layer.quantization_mode is None and layer.quantization_config is None


def test_mistakes_are_explained():
    layer = klayers.Dense(3)
    with pytest.raises(ValueError, match="before it is built"):
        layer.quantize("int8")
    layer.build((None, 4))
    with pytest.raises(ValueError, match="Give a mode"):
        layer.quantize()
    with pytest.raises(ValueError, match="contradicts"):
        layer.quantize("int4", config=Int8QuantizationConfig())
    layer.quantize("int8")
    with pytest.raises(ValueError, match="already quantized"):
        layer.quantize("int8")
    with pytest.raises(TypeError, match="Int8QuantizationConfig"):
        klayers.Dense(3, quantization_config="int8")


def test_a_subclass_only_when_asked():
    class Mine(klayers.Dense):
        pass

    layer = Mine(3)
    full = host(layer(VECTORS))
    with pytest.raises(ImportError, match="int8.Mine"):
        layer.quantize("int8")
    layer.quantize("int8", type_check=False)
    np.testing.assert_allclose(host(layer(VECTORS)), full, atol=0.05)


@pytest.mark.skipif(settings.backend not in ("jax", "torch", "tensorflow"), reason="engines with gradients")
def test_training_passes_gradients_through():
    layer = klayers.Dense(3)
    layer(VECTORS)
    kernel = layer.kernel.numpy()
    layer.quantize("int8")
    upstream = RNG.normal(size=(4, 3)).astype("float32")

    def loss(x):
        return kops.sum(kops.multiply(layer(x, training=True), upstream))

    if settings.backend == "jax":
        import jax

        grad = np.asarray(jax.grad(loss)(VECTORS))
    elif settings.backend == "torch":
        import torch

        x = torch.tensor(VECTORS, requires_grad=True)
        loss(x).backward()
        grad = x.grad.numpy()
    else:
        import tensorflow as tf

        x = tf.constant(VECTORS)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(x)
        grad = tape.gradient(value, x).numpy()
    np.testing.assert_allclose(grad, upstream @ kernel.T, atol=0.05)


def test_quantizing_collects_no_garbage_per_layer(monkeypatch):
    model = klayers.Sequential([klayers.Input((8,)), *[klayers.Dense(8) for _ in range(5)]])
    calls = []
    monkeypatch.setattr(gc, "collect", lambda *a: calls.append(a))
    model.quantize("int8")
    assert not calls
