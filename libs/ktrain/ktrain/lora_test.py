from __future__ import annotations

import numpy as np
import pytest

from klayers.input_layer import Input
from klayers.layers.dense import Dense
from klayers.layers.einsum_dense import EinsumDense
from klayers.layers.embedding import Embedding
from kops.config import settings
from ktrain.models import Sequential
from ktrain.optimizers.sgd import SGD

pytestmark = pytest.mark.skipif(
    settings.backend not in ("jax", "torch", "tensorflow"), reason="this engine computes no gradients"
)
RNG = np.random.default_rng(0)
IDS = RNG.integers(0, 7, size=(8, 3))
TARGETS = RNG.normal(size=(8, 3, 2)).astype("float32")


def test_fit_changes_only_the_updates():
    layers = [Embedding(7, 4), Dense(5, use_bias=False), EinsumDense("abc,cd->abd", (None, 2))]
    model = Sequential([Input((3,), dtype="int32"), *layers])
    for layer in layers:
        layer.enable_lora(2)
    model.compile(SGD(0.5), "mse")
    before = {v.path: v.numpy().copy() for v in model.weights}
    losses = model.fit(IDS, TARGETS, epochs=3, batch_size=8, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    changed = {v.path for v in model.weights if not np.array_equal(v.numpy(), before[v.path])}
    assert changed == {v.path for v in model.weights if "lora_" in v.name} and len(changed) == 6


def test_one_step_by_hand():
    x, y = RNG.normal(size=(4, 3)).astype("float32"), RNG.normal(size=(4, 2)).astype("float32")
    dense = Dense(2, use_bias=False, lora_rank=1, lora_alpha=2)
    model = Sequential([Input((3,)), dense])
    kernel, a = dense._lora.base.numpy().copy(), dense.lora_kernel_a.numpy().copy()
    model.compile(SGD(0.1), "mse")
    model.fit(x, y, epochs=1, batch_size=4, verbose=0)
    # d loss / d b = scale * a.T @ x.T @ (2 error / size); b is zero, so a does not move.
    gradient = 2 * a.T @ x.T @ (2 * (x @ kernel - y) / y.size)
    np.testing.assert_allclose(dense.lora_kernel_b.numpy(), -0.1 * gradient, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(dense.lora_kernel_a.numpy(), a)
    np.testing.assert_array_equal(dense._lora.base.numpy(), kernel)
