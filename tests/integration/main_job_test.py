"""The main job: train on real digits, save; every engine predicts the same from the file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import keras

ROOT = Path(__file__).resolve().parents[2]
TRAINED = Path(__file__).resolve().parent / "trained"


@pytest.fixture(scope="module")
def digits():
    spec = importlib.util.spec_from_file_location("digits", ROOT / "examples" / "digits.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_this_engine_predicts_what_another_trained(digits):
    """The file was trained and saved on JAX; the probabilities are JAX's."""
    model = keras.saving.load_model(TRAINED / "digits.keras")
    images, labels = digits.load_digits()[2]
    found = model.predict(images, verbose=0)
    np.testing.assert_allclose(found, np.load(TRAINED / "probabilities.npy"), atol=1e-4)
    assert np.mean(found.argmax(axis=-1) == labels) >= 0.97


@pytest.mark.skipif(
    keras.config.backend() in ("numpy", "openvino"), reason="these engines do not train; see the next test"
)
def test_training_reaches_the_accuracy_and_the_file_holds_the_model(digits, tmp_path):
    assert digits.train(tmp_path, epochs=60) >= 0.97
    model = keras.saving.load_model(tmp_path / "digits.keras")
    found = model.predict(digits.load_digits()[2][0], verbose=0)
    np.testing.assert_allclose(found, np.load(tmp_path / "probabilities.npy"), atol=1e-5)
    assert (tmp_path / "curves.png").stat().st_size > 1000
    assert (tmp_path / "digits.png").stat().st_size > 1000
    assert keras.saving.load_model(tmp_path / "best.keras").optimizer.iterations > 0


@pytest.mark.skipif(keras.config.backend() not in ("numpy", "openvino"), reason="this engine trains")
def test_engines_that_do_not_train_say_which_do(digits):
    model = keras.saving.load_model(TRAINED / "digits.keras")
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    images, labels = digits.load_digits()[2]
    assert model.evaluate(images, labels, verbose=0)[1] >= 0.97
    with pytest.raises(NotImplementedError, match="jax.*torch.*tensorflow|tensorflow.*jax.*torch"):
        model.fit(images, labels, epochs=1, verbose=0)
