from __future__ import annotations

import numpy as np
import pytest

import klayers
import kops
from kops.engine import engine
from kquant.configs import Int4QuantizationConfig
from kquant.quantizers import AbsMaxQuantizer

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(4, 9)).astype("float32")
STEPS = RNG.normal(size=(2, 5, 8)).astype("float32")
NUMBERS = np.array([[0, 3, 6], [1, 1, 2]])

LAYERS = {
    "dense": (lambda: klayers.Dense(7, "relu", bias_initializer="normal"), VECTORS),
    "einsum": (lambda: klayers.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"), STEPS),
    "einsum, contracted axis not first": (lambda: klayers.EinsumDense("abc,dce->adbe", (2, None, 3)), STEPS),
    "embedding": (lambda: klayers.Embedding(7, 15), NUMBERS),
}
CONFIGS = {
    "blocks": {"block_size": 4},
    "one block": {},
    "per channel": {"block_size": None},
    "per channel, int8 inputs": {"block_size": -1, "activation_quantizer": AbsMaxQuantizer()},
}


def host(x):
    return np.asarray(engine().to_numpy(kops.stop_gradient(x)), "float32")


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("name", LAYERS)
def test_close_to_the_float_layer_and_the_same_from_a_file(name, config):
    make, data = LAYERS[name]
    layer = make()
    full = host(layer(data))
    layer.quantize(config=Int4QuantizationConfig(**CONFIGS[config]))
    out = host(layer(data))
    error = np.abs(out - full).max() / np.abs(full).max()
    assert out.shape == full.shape and 0 < error < 0.25
    size = CONFIGS[config].get("block_size", 128) or -1
    assert layer.dtype_policy.name == f"int4/{size}_from_float32" and layer.quantization_mode == "int4"

    again = type(layer).from_config(layer.get_config())
    again.build_from_config(layer.get_build_config() or {"input_shape": data.shape})
    store = {}
    layer.save_own_variables(store)
    assert store["0"].dtype == "int8"
    again.load_own_variables({k: v.numpy() for k, v in store.items()})
    np.testing.assert_array_equal(host(again(data)), out)


def test_a_dense_layer_by_hand():
    layer = klayers.Dense(1, use_bias=False)
    layer.build((None, 4))
    layer.kernel.assign([[-3.0], [1.0], [5.0], [7.0]])
    layer.quantize(config=Int4QuantizationConfig(block_size=2))
    # The first block reaches from -3 to 1: 15 steps of 4/15, 0 is the 11th (3 / (4/15) = 11.25). The second, 0 to 7.
    np.testing.assert_allclose(layer.kernel_scale.numpy(), [[4 / 15], [7 / 15]], rtol=1e-6)
    np.testing.assert_array_equal(layer.kernel_zero.numpy(), [[3], [-8]])
    np.testing.assert_array_equal(layer.g_idx.numpy(), [0, 0, 1, 1])
    integers = np.array([-8, 7, 3, 7])
    np.testing.assert_array_equal(layer.kernel.numpy()[:, 0], integers & 15)
    expected = ((integers - [3, 3, -8, -8]) * np.array([4, 4, 7, 7]) / 15).sum()
    np.testing.assert_allclose(host(layer(np.ones((1, 4), "float32"))), [[expected]], rtol=1e-5)


def test_blocks_of_one_sign_are_not_cut_off():
    from kquant.abs_max_grouped import abs_max_quantize_grouped_with_zero_point

    x = np.array([[5.0], [6.0], [7.0], [9.0], [-5.0], [-9.0]], "float32")
    for to_numpy in (True, False):
        parts = abs_max_quantize_grouped_with_zero_point(x, 4, to_numpy=to_numpy)
        integers, scale, zero = (np.asarray(engine().to_numpy(p)) for p in parts)
        assert integers.shape == (6, 1) and scale.shape == zero.shape == (2, 1)
        block = np.arange(6) // 4
        assert np.abs((integers - zero[block]) * scale[block] - x).max() <= scale.max() / 2 + 1e-6


def test_mistakes_are_explained():
    with pytest.raises(ValueError, match="block_size"):
        Int4QuantizationConfig(block_size=0)
    with pytest.raises(ValueError, match="do not go with blocks"):
        Int4QuantizationConfig(activation_quantizer=AbsMaxQuantizer())


def test_a_model_in_a_file(tmp_path):
    model = klayers.Sequential([klayers.Input((9,)), klayers.Dense(8, "relu"), klayers.Dense(3)])
    model.quantize("int4")
    out = model.predict(VECTORS)
    model.save(tmp_path / "m.keras")
    again = klayers.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(again.predict(VECTORS), out, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="Already quantized"):
        again.quantize("int8")


@pytest.mark.parametrize("block_size", [4, None])
@pytest.mark.parametrize("tie", [True, False])
def test_reversible_embedding_in_both_directions(tie, block_size):
    layer = klayers.ReversibleEmbedding(7, 10, tie_weights=tie, logit_soft_cap=2.0)
    vectors = host(layer(NUMBERS))
    scores = host(layer(vectors, reverse=True))
    layer.quantize(config=Int4QuantizationConfig(block_size=block_size))
    out = host(layer(NUMBERS))
    assert 0 < np.abs(out - vectors).max() < 0.1 * np.abs(vectors).max()
    # What the reverse direction multiplies by is what the forward direction looks up, when they share a table.
    back = host(layer(vectors, reverse=True))
    assert 0 < np.abs(back - scores).max() < 0.2 * np.abs(scores).max()
    if tie:
        table = host(layer(np.arange(7)))
        np.testing.assert_allclose(back, 2 * np.tanh(vectors @ table.T / 2), rtol=1e-4, atol=1e-7)
    assert len(layer._file_variables()) == len(layer.weights)
