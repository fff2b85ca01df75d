"""All metrics against values that were computed independently."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kops as ops
from kspec import resolve

DATA = Path(__file__).parent.parent / "testdata"
ROWS = json.loads((DATA / "losses_metrics.json").read_text())["metrics"]
ARRAYS = np.load(DATA / "losses_metrics.npz")
TWO_PARTS = [row for row in ROWS if "updates" not in row]


def _groups():
    groups = {}
    for row in TWO_PARTS:
        groups.setdefault(row["class"], []).append(row)
    return sorted(groups.items())


def _halves(key):
    if key is None:
        return None, None
    array = ARRAYS[key]
    half = len(array) // 2
    return array[:half], array[half:]


@pytest.mark.parametrize(("name", "rows"), _groups(), ids=lambda v: v if isinstance(v, str) else "")
def test_metric_classes(name, rows):
    for row in rows:
        if "error" in row:
            continue  # ours computes some of what the values' source could not
        metric = resolve(f"keras.metrics.{name}")(**row["options"])
        parts = zip(_halves(row["y_true"]), _halves(row["y_pred"]), _halves(row["sample_weight"]))
        for (y_true, y_pred, weight), expected in zip(parts, row["value"]):
            metric.update_state(y_true, y_pred, sample_weight=weight)
            np.testing.assert_allclose(
                ops.convert_to_numpy(metric.result()), expected, rtol=2e-4, atol=1e-5,
                err_msg=f"{name} {row['options']} {row['sample_weight']}",
            )  # fmt: skip
        metric.reset_state()
        for variable in metric.variables:
            assert not np.any(variable.numpy())


@pytest.mark.parametrize("row", [row for row in ROWS if "updates" in row], ids=lambda row: row["class"])
def test_mean_and_sum(row):
    metric = resolve(f"keras.metrics.{row['class']}")()
    weights = row["sample_weight"]
    metric.update_state(row["updates"][0], sample_weight=weights)
    metric.update_state(row["updates"][1])
    np.testing.assert_allclose(ops.convert_to_numpy(metric.result()), row["value"][0], rtol=1e-6)


def test_stateless_updates_leave_the_metric_alone():
    metric = resolve("keras.metrics.Mean")()
    state = metric.stateless_reset_state()
    state = metric.stateless_update_state(state, np.array([1.0, 3.0]))
    assert float(ops.convert_to_numpy(metric.stateless_result(state))) == 2.0
    assert float(ops.convert_to_numpy(metric.result())) == 0.0
