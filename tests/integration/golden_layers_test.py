"""Files that Keras 3.15.1 wrote, with inputs and its predictions: read, compared, written and read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kops
import ksave

FOLDER = Path(__file__).resolve().parent / "golden"
INDEX = json.loads((FOLDER / "index.json").read_text())


def filled(structure, data):
    """The structure with the arrays that its leaves name."""
    if isinstance(structure, str):
        return data[structure]
    return [filled(part, data) for part in structure]


def predictions(model, inputs):
    outputs = model(inputs, training=False)
    return [np.asarray(kops.convert_to_numpy(y)) for y in kops.tree.flatten(outputs)]


@pytest.mark.parametrize("name", INDEX)
def test_predictions_are_those_of_the_file(name, tmp_path):
    entry = INDEX[name]
    data = np.load(FOLDER / f"{name}.npz")
    inputs, wanted = filled(entry["inputs"], data), kops.tree.flatten(filled(entry["outputs"], data))
    model = ksave.load_model(str(FOLDER / f"{name}.keras"))
    found = predictions(model, inputs)
    assert len(found) == len(wanted)
    for y, expected in zip(found, wanted):
        np.testing.assert_allclose(y, expected, rtol=entry["rtol"], atol=entry["atol"])
    copy = str(tmp_path / "copy.keras")
    ksave.save_model(model, copy)
    for y, expected in zip(predictions(ksave.load_model(copy), inputs), found):
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)
