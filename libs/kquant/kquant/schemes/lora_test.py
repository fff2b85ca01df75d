from __future__ import annotations

import numpy as np
import pytest

import klayers
import kops
from kops.engine import engine
from kquant.configs import Int4QuantizationConfig

RNG = np.random.default_rng(3)
VECTORS = RNG.normal(size=(4, 8)).astype("float32")
STEPS = RNG.normal(size=(2, 5, 8)).astype("float32")
NUMBERS = np.array([[0, 3, 6], [1, 1, 2]], "int32")

LAYERS = {
    "dense": (lambda **k: klayers.Dense(6, "relu", bias_initializer="normal", **k), VECTORS),
    "dense without bias": (lambda **k: klayers.Dense(5, use_bias=False, **k), STEPS),
    "einsum": (lambda **k: klayers.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de", **k), STEPS),
    "einsum, ellipsis": (lambda **k: klayers.EinsumDense("...c,cd->...d", (None, 3), **k), STEPS),
    "einsum, output first": (lambda **k: klayers.EinsumDense("abc,dc->abd", (None, 3), **k), STEPS),
    "einsum, turned": (lambda **k: klayers.EinsumDense("abc,edc->abde", (None, 2, 3), **k), STEPS),
    "embedding": (lambda **k: klayers.Embedding(7, 16, **k), NUMBERS),
}
MODES = {
    "int8": {"mode": "int8"},
    "int4": {"mode": "int4"},
    "int4 without blocks": {"config": Int4QuantizationConfig(block_size=None)},
    "int4, two blocks": {"config": Int4QuantizationConfig(block_size=4)},
}


def host(x):
    return np.asarray(engine().to_numpy(kops.stop_gradient(x)), "float32")


def weight_of(layer):
    return "embeddings" if isinstance(layer, klayers.Embedding) else "kernel"


def lora_variables(layer):
    return [v for v in layer.weights if v.name.startswith("lora_")]


def fill(layer, size=0.3):
    for v in lora_variables(layer):
        v.assign(size * RNG.normal(size=v.shape).astype("float32"))
    a, b = lora_variables(layer)
    return layer.lora_alpha / layer.lora_rank * (a.numpy() @ b.numpy())


def stored(layer):
    store: dict = {}
    layer.save_own_variables(store)
    return {k: v if isinstance(v, np.ndarray) else v.numpy() for k, v in store.items()}


@pytest.fixture(params=LAYERS, ids=str)
def case(request):
    make, data = LAYERS[request.param]
    layer = make()
    layer(data)
    return make, layer, data


@pytest.fixture(params=MODES, ids=str)
def how(request):
    return MODES[request.param]


def test_the_kernel_comes_back_as_floats(case, how):
    _, layer, _ = case
    kernel = getattr(layer, weight_of(layer)).numpy()
    layer.quantize(**how)
    decoded = layer._scheme.decode(layer)
    assert decoded.shape == kernel.shape
    step = np.abs(kernel).max() / (127 if how.get("mode") == "int8" else 7)
    assert 0 < np.abs(decoded - kernel).max() <= 1.01 * step


def test_an_update_in_floats_on_a_quantized_kernel(case, how):
    _, layer, data = case
    twin = type(layer).from_config(
        {**layer.get_config(), "activation": None} if hasattr(layer, "activation") else layer.get_config()
    )
    twin(data)
    twin.set_weights(layer.get_weights())
    twin.quantize(**how)
    before = host(twin(data))
    twin.enable_lora(2, lora_alpha=3)
    np.testing.assert_array_equal(host(twin(data)), before)  # b is zero
    update = fill(twin)
    if weight_of(twin) == "embeddings":
        expected = update[data]
    else:
        expected = np.einsum(getattr(twin, "equation", "...c,cd->...d"), data, update)
    np.testing.assert_allclose(host(twin(data)) - before, expected, rtol=1e-3, atol=1e-4)
    trained = {v.name for v in twin.trainable_weights}
    assert {v.name for v in lora_variables(twin)} == trained - {"bias"}


def test_quantizing_keeps_an_update(case, how):
    _, layer, data = case
    layer.enable_lora(2)
    update = fill(layer)
    full = host(layer(data))
    layer.quantize(**how)
    assert layer.lora_enabled
    a, b = lora_variables(layer)
    np.testing.assert_array_equal(a.numpy() @ b.numpy(), update)
    error = np.abs(host(layer(data)) - full).max() / np.abs(full).max()
    assert error < (0.03 if how.get("mode") == "int8" else 0.3)


def test_files_hold_the_sum_quantized_again(case, how):
    make, layer, data = case
    layer.quantize(**how)
    plain = {k: (v.shape, v.dtype) for k, v in stored(layer).items()}
    layer.enable_lora(2)
    update = fill(layer)
    exact = layer._scheme.decode(layer) + update
    values = stored(layer)
    assert {k: (v.shape, v.dtype) for k, v in values.items()} == plain
    again = type(layer).from_config(layer.get_config())
    again.build_from_config({"input_shape": data.shape})
    assert again.lora_enabled
    again.load_own_variables(values)
    step = np.abs(exact).max() / (127 if how.get("mode") == "int8" else 7)
    assert np.abs(again._scheme.decode(again) - exact).max() <= 1.01 * step
    assert not lora_variables(again)[1].numpy().any()


def test_what_does_not_go_with_lora_says_so():
    layer = klayers.Dense(3, lora_rank=2)
    layer(VECTORS)
    before = host(layer(VECTORS))
    with pytest.raises(NotImplementedError, match="LoRA does not go with float8"):
        layer.quantize("float8")
    np.testing.assert_array_equal(host(layer(VECTORS)), before)
    assert layer.lora_enabled and layer.quantization_mode is None
    assert [v.name for v in layer.weights] == ["kernel", "bias", "lora_kernel_a", "lora_kernel_b"]
    eight = klayers.Dense(3)
    eight(VECTORS)
    eight.quantize("float8")
    with pytest.raises(NotImplementedError, match="LoRA does not go with float8"):
        eight.enable_lora(2)
    table = klayers.ReversibleEmbedding(7, 16)
    table(NUMBERS)
    table.quantize("int8")
    with pytest.raises(NotImplementedError, match="LoRA does not go with int8 quantization of this layer"):
        table.enable_lora(2)


def test_an_untrained_update_leaves_what_is_stored_as_it_is(case, how):
    _, layer, _ = case
    layer.quantize(**how)
    before = stored(layer)
    layer.enable_lora(2)
    after = stored(layer)
    assert before.keys() == after.keys()
    for key in before:
        np.testing.assert_array_equal(before[key], after[key])
