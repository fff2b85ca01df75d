"""Models that Keras 3.15 trained and saved: evaluated here, and trained on, they give what Keras gives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ksave
from kops import tree
from kops.config import settings

DATA = Path(__file__).parent / "testdata"
RECORD = json.loads((DATA / "trained.json").read_text())


def build(structure, arrays):
    if isinstance(structure, dict):
        return {key: build(value, arrays) for key, value in structure.items()}
    return [build(s, arrays) for s in structure] if isinstance(structure, list) else arrays[structure]


def close(found, wanted, what):
    np.testing.assert_allclose(np.asarray(found, "float64"), wanted, rtol=2e-3, atol=1e-3, err_msg=what)


@pytest.mark.skipif(settings.backend not in ("jax", "torch", "tensorflow"), reason="no gradients on this engine")
@pytest.mark.parametrize("name", RECORD)
def test_training_goes_on(name):
    record, arrays = RECORD[name], np.load(DATA / f"{name}.npz")
    model = ksave.load_model(DATA / f"{name}.keras")
    x, y = build(record["inputs"], arrays), build(record["targets"], arrays)
    for metric, value in model.evaluate(x, y, verbose=0, return_dict=True).items():
        close(value, record["evaluate"][metric], metric)
    names = [v.path for v in model.optimizer.variables]
    assert names == [path for path, _, _ in record["optimizer_variables"]]
    for i, variable in enumerate(model.optimizer.variables):
        np.testing.assert_allclose(variable.numpy(), arrays[f"opt{i}"], rtol=1e-5, atol=1e-6)
    first = lambda data: tree.map_structure(lambda a: a[: record["resume"]["rows"]], data)
    history = model.fit(first(x), first(y), batch_size=record["batch_size"], shuffle=False, verbose=0).history
    assert sorted(history) == sorted(record["resume"]["history"])
    for metric, value in record["resume"]["history"].items():
        close(history[metric], value, metric)
    for i, weight in enumerate(model.get_weights()):
        np.testing.assert_allclose(weight, arrays[f"resumed{i}"], rtol=2e-3, atol=1e-4)
