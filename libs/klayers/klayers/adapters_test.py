from __future__ import annotations

import copy

import numpy as np
import pytest

import klayers
import kops
from klayers.conformance.check_layer import as_array

RNG = np.random.default_rng(7)
VECTORS = RNG.normal(size=(3, 4)).astype("float32")
STEPS = RNG.normal(size=(2, 3, 4)).astype("float32")
NUMBERS = np.array([[0, 3], [6, 3]], "int32")

# How to make a layer, its data, the name of the kernel, and the layer's formula in NumPy.
CASES = {
    "dense": (lambda **k: klayers.Dense(5, use_bias=False, **k), VECTORS, "kernel", lambda x, w: x @ w),
    "einsum": (
        lambda **k: klayers.EinsumDense("abc,cde->abde", (None, 2, 5), **k),
        STEPS,
        "kernel",
        lambda x, w: np.einsum("abc,cde->abde", x, w),
    ),
    "embedding": (lambda **k: klayers.Embedding(7, 5, **k), NUMBERS, "embeddings", lambda ids, w: w[ids]),
    "reversible": (lambda **k: klayers.ReversibleEmbedding(7, 5, **k), NUMBERS, "embeddings", lambda ids, w: w[ids]),
}


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return CASES[request.param]


def fill(layer, weight):
    """Values for a and b, and the kernel that they and the frozen one make."""
    a, b = getattr(layer, f"lora_{weight}_a"), getattr(layer, f"lora_{weight}_b")
    a.assign(RNG.normal(size=a.shape).astype("float32"))
    b.assign(RNG.normal(size=b.shape).astype("float32"))
    base = next(v for v in layer.weights if v.name == weight)
    return base.numpy() + layer.lora_alpha / layer.lora_rank * (a.numpy() @ b.numpy())


def test_the_kernel_gets_a_scaled_low_rank_update(case):
    make, data, weight, formula = case
    layer = make()
    before = as_array(layer(data))
    shape = getattr(layer, weight).shape
    layer.enable_lora(2, lora_alpha=3)
    np.testing.assert_array_equal(as_array(layer(data)), before)  # b is zero
    assert getattr(layer, f"lora_{weight}_a").shape == (*shape[:-1], 2)
    assert getattr(layer, f"lora_{weight}_b").shape == (2, 5)
    assert (layer.lora_rank, layer.lora_alpha, layer.lora_enabled) == (2, 3, True)
    merged = fill(layer, weight)
    np.testing.assert_allclose(as_array(getattr(layer, weight)), merged, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(as_array(layer(data)), formula(data, merged), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(as_array(layer(data)), formula(data, merged), rtol=1e-4, atol=1e-4)  # the fast way


def test_a_number_by_hand():
    layer = klayers.Dense(1, use_bias=False, kernel_initializer="ones", lora_rank=2, lora_alpha=1)
    layer.build((None, 2))
    layer.lora_kernel_a.assign([[1.0, 2.0], [3.0, 4.0]])
    layer.lora_kernel_b.assign([[10.0], [100.0]])
    # kernel = 1 + 1/2 * (210, 430)
    np.testing.assert_allclose(as_array(layer.kernel), [[106.0], [216.0]])
    np.testing.assert_allclose(as_array(layer(np.array([[1.0, -1.0]], "float32"))), [[-110.0]])


def test_only_the_update_is_trained(case):
    make, data, weight, _ = case
    layer = make(lora_rank=2)
    assert not layer.lora_enabled
    layer(data)
    assert layer.lora_enabled and layer.lora_alpha == 2
    names = [f"lora_{weight}_a", f"lora_{weight}_b"]
    assert [v.name for v in layer.weights] == [weight, *names]
    assert [v.name for v in layer.trainable_weights] == names
    assert [v.path for v in layer.weights] == [f"{layer.name}/{n}" for n in (weight, *names)]


def test_order_of_variables_with_a_bias():
    layer = klayers.Dense(5, lora_rank=2, kernel_regularizer="l2")
    layer.build((None, 4))
    assert [v.name for v in layer.weights] == ["kernel", "bias", "lora_kernel_a", "lora_kernel_b"]
    assert len(layer.losses) == 2  # of a and b; the kernel is frozen


def test_files_hold_the_sum(case):
    make, data, weight, formula = case
    layer = make(lora_rank=2, lora_alpha=3)
    layer(data)
    merged = fill(layer, weight)
    expected = as_array(layer(data))
    store: dict = {}
    layer.save_own_variables(store)
    store = {k: np.asarray(v if isinstance(v, np.ndarray) else v.numpy()) for k, v in store.items()}
    assert list(store) == ["0"] and store["0"].dtype == "float32"
    np.testing.assert_allclose(store["0"], merged, rtol=1e-5, atol=1e-5)
    plain = make()
    plain(data)
    plain.load_own_variables(store)
    np.testing.assert_allclose(as_array(plain(data)), expected, rtol=1e-4, atol=1e-4)
    # Into a layer with LoRA: the same function, the update anew at zero, and able to learn.
    layer.load_own_variables(store)
    np.testing.assert_allclose(as_array(layer(data)), expected, rtol=1e-4, atol=1e-4)
    assert not getattr(layer, f"lora_{weight}_b").numpy().any()
    assert getattr(layer, f"lora_{weight}_a").numpy().any()


def test_a_model_in_a_file(tmp_path):
    x = klayers.Input((4,))
    model = klayers.Model(x, klayers.Dense(2, name="out")(klayers.Dense(5, lora_rank=2, name="d")(x)))
    fill(model.get_layer("d"), "kernel")
    model.get_layer("out").enable_lora(1)
    fill(model.get_layer("out"), "kernel")
    expected = as_array(model(VECTORS))
    model.save(tmp_path / "m.keras")
    again = klayers.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(as_array(again(VECTORS)), expected, rtol=1e-4, atol=1e-4)
    assert again.get_layer("d").lora_enabled and again.get_layer("out").lora_rank == 1


def test_config_tells_the_rank_only_where_there_is_one(case):
    make, *_ = case
    assert not {"lora_rank", "lora_alpha"} & set(make().get_config())
    config = make(lora_rank=2, lora_alpha=8).get_config()
    assert (config["lora_rank"], config["lora_alpha"]) == (2, 8)
    again = type(make()).from_config(config)
    assert again.get_config() == config


def test_low_precision_computes_low_and_keeps_variables_high(case):
    make, data, weight, formula = case
    layer = make(lora_rank=2, dtype="mixed_bfloat16")
    out = layer(data)
    assert kops.standardize_dtype(out.dtype) == "bfloat16"
    assert {v.dtype for v in layer.weights} == {"float32"}
    merged = fill(layer, weight)
    np.testing.assert_allclose(as_array(layer(data)).astype("float32"), formula(data, merged), rtol=0.1, atol=0.15)


def test_a_table_to_start_from_goes_with_lora():
    table = np.arange(14, dtype="float32").reshape(7, 2)
    layer = klayers.Embedding(7, 2, weights=table, lora_rank=1)
    assert layer.lora_enabled
    np.testing.assert_array_equal(as_array(layer(NUMBERS)), table[NUMBERS])


def test_the_reverse_of_a_tied_table_has_the_update_too():
    layer = klayers.ReversibleEmbedding(7, 5, lora_rank=2)
    layer(NUMBERS)
    merged = fill(layer, "embeddings")
    vectors = RNG.normal(size=(3, 5)).astype("float32")
    np.testing.assert_allclose(as_array(layer(vectors, reverse=True)), vectors @ merged.T, rtol=1e-4, atol=1e-4)


def test_initializers_and_empty_and_symbolic_inputs(case):
    make, data, weight, _ = case
    layer = make()
    layer(data)
    layer.enable_lora(1, a_initializer="ones", b_initializer="ones")
    update = as_array(getattr(layer, weight)) - next(v for v in layer.weights if v.name == weight).numpy()
    np.testing.assert_allclose(update, 1.0, rtol=1e-5)
    expected = as_array(layer(data)).shape[1:]
    assert as_array(layer(data[:0])).shape == (0, *expected)
    symbol = klayers.Input(data.shape[1:], dtype=data.dtype)
    assert tuple(layer(symbol).shape) == (None, *expected)


def test_copies_are_separate(case):
    make, data, weight, _ = case
    layer = make(lora_rank=2)
    layer(data)
    merged = fill(layer, weight)
    other = copy.deepcopy(layer)
    getattr(other, f"lora_{weight}_b").assign(np.zeros((2, 5), "float32"))
    np.testing.assert_allclose(as_array(getattr(layer, weight)), merged, rtol=1e-5, atol=1e-5)
    assert np.abs(as_array(getattr(other, weight)) - merged).max() > 0.01


def test_wrong_uses_are_explained(case):
    make, data, weight, _ = case
    layer = make()
    with pytest.raises(ValueError, match="no kernel to adapt before it is built"):
        layer.enable_lora(2)
    assert not hasattr(layer, weight)
    layer(data)
    for rank in (0, -1, 2.5, None):
        with pytest.raises(ValueError, match="rank must be a positive integer"):
            layer.enable_lora(rank)
    layer.enable_lora(2)
    with pytest.raises(ValueError, match="enabled already .* with rank 2"):
        layer.enable_lora(3)
    with pytest.raises(ValueError, match="lora_rank must be a positive integer"):
        make(lora_rank=0)
    constrained = make(**{f"{weight}_constraint": "non_neg"})
    constrained(data)
    with pytest.raises(ValueError, match=f"without {weight}_constraint"):
        constrained.enable_lora(2)
    assert not constrained.lora_enabled and len(constrained.weights) == 1
