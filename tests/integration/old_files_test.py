"""Files that Keras 1.2.2, 2.2.4 (on Theano), tf.keras 2.21 and Keras 3.0.5 wrote, with their predictions.

In the `.npz` beside a file `x0`, ... are inputs, `y0`, ... or `out0`, ... what that version predicted, and `o0`, ...
the variables of its optimizer.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import kops
import ksave
from ksave.migrations import MigrationWarning

FOLDER = Path(__file__).resolve().parent / "old_files"
FILES = sorted(p for p in FOLDER.rglob("*") if p.suffix in (".h5", ".keras"))


def numbered(data, letter):
    return [data[f"{letter}{i}"] for i in range(len(data.files)) if f"{letter}{i}" in data.files]


def loaded(path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ksave.load_model(str(path))
    return model, [str(w.message) for w in caught if w.category is MigrationWarning]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_predictions_are_those_of_the_version_that_wrote_it(path, tmp_path):
    data = np.load(path.with_suffix(".npz"))
    inputs = numbered(data, "x")
    inputs = inputs if len(inputs) > 1 else inputs[0]
    model, messages = loaded(path)
    assert len(messages) <= 1
    found = kops.tree.flatten(model(inputs, training=False))
    wanted = numbered(data, "y") or numbered(data, "out")
    assert len(found) == len(wanted)
    for y, expected in zip(found, wanted):
        np.testing.assert_allclose(kops.convert_to_numpy(y), expected, rtol=1e-3, atol=1e-4)
    copy = str(tmp_path / "copy.keras")
    ksave.save_model(model, copy)
    again, messages = loaded(copy)
    assert not messages, "a file of today has nothing to migrate"
    for y, expected in zip(kops.tree.flatten(again(inputs, training=False)), found):
        np.testing.assert_allclose(kops.convert_to_numpy(y), kops.convert_to_numpy(expected), rtol=1e-6, atol=1e-6)


WITH_OPTIMIZER = [p for p in FILES if p.stem.startswith("opt_") and (p.suffix == ".h5" or "legacy" not in p.stem)]


@pytest.mark.parametrize("path", WITH_OPTIMIZER, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_optimizer_goes_on(path):
    model, _ = loaded(path)
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        pytest.skip("there is no training without ktrain")
    own = [np.asarray(v.numpy()) for v in optimizer.variables]
    for value in numbered(np.load(path.with_suffix(".npz")), "o"):
        if value.shape != (1,):  # slots that were not in use
            assert any(v.shape == value.shape and np.allclose(v, value, rtol=1e-5) for v in own)


def test_one_message_says_what_was_migrated():
    _, messages = loaded(FOLDER / "keras_1_2" / "merges.h5")
    assert len(messages) == 1
    assert "Keras 1.2.2" in messages[0] and "Merge is Concatenate" in messages[0]
    _, messages = loaded(FOLDER / "tf_keras_2" / "seq_dense.keras")
    assert "LeakyReLU: alpha is negative_slope" in messages[0] and "ThresholdedReLU is ReLU" in messages[0]
