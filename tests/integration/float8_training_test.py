"""Three steps of training in float8, against those of Keras 3.15.1 on JAX (`data/float8_training.npz`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import keras
from kops.config import settings

DATA = np.load(Path(__file__).resolve().parent / "data/float8_training.npz")
layers = keras.layers


def make():
    model = keras.Sequential(
        [
            keras.Input((6,)),
            layers.Dense(4, name="dense"),
            layers.EinsumDense("ab,bc->ac", (3,), bias_axes="c", name="einsum_dense"),
        ]
    )
    model.set_weights([DATA[f"w{i}"] for i in range(4)])
    model.quantize("float8")
    return model


@pytest.mark.skipif(settings.backend not in ("jax", "torch", "tensorflow"), reason="engines that train")
def test_weights_scales_and_histories_after_three_steps(tmp_path):
    model = make()
    model.compile(keras.optimizers.SGD(0.1), "mse")
    for step in range(3):
        model.train_on_batch(DATA["x"], DATA["y"])
        if step in (0, 2):
            found = model.predict(DATA["x"], verbose=0)
            np.testing.assert_allclose(found, DATA[f"predictions_{step}"], rtol=1e-4, atol=1e-5)
    for layer in model.layers:
        store = {}
        layer.save_own_variables(store)
        assert len(store) == 8
        for name, variable in store.items():
            found = variable.numpy()
            found = found[[0, 1, -2, -1]] if found.shape == (1024,) else found
            expected = DATA[f"{layer.name}_{name}"]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6, err_msg=f"{layer.name} {name}")
    model.save(tmp_path / "m.keras")
    again = keras.saving.load_model(tmp_path / "m.keras")
    predictions = [m.predict(DATA["x"], verbose=0) for m in (model, again)]
    np.testing.assert_allclose(*predictions, rtol=1e-5, atol=1e-6)


def test_inference_rounds_inputs_and_kernel():
    import ml_dtypes

    def rounded(a):
        return a.astype(ml_dtypes.float8_e4m3fn).astype("float32")  # scales are 1 before training

    hidden = rounded(DATA["x"]) @ rounded(DATA["w0"])
    expected = rounded(hidden) @ rounded(DATA["w2"])
    found = make().predict(DATA["x"], verbose=0)
    # A value half way between two of float8 may fall to either side on another engine.
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)
