"""All losses against values that were computed independently."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kops as ops
from kspec import resolve

DATA = Path(__file__).parent.parent / "testdata"
GOLDEN = json.loads((DATA / "losses_metrics.json").read_text())
ARRAYS = np.load(DATA / "losses_metrics.npz")


def _get(key):
    return None if key is None else ARRAYS[key]


def _by_class(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return sorted(groups.items())


@pytest.mark.parametrize(
    ("name", "rows"), _by_class(GOLDEN["losses"], "class"), ids=lambda v: v if isinstance(v, str) else ""
)
def test_loss_classes(name, rows):
    for row in rows:
        loss = resolve(f"keras.losses.{name}")(**row["options"])
        call = lambda loss=loss, row=row: loss(
            _get(row["y_true"]), _get(row["y_pred"]), sample_weight=_get(row["sample_weight"])
        )
        # Weights for features where the loss has one value for each sample, or the other way round: the source of
        # the values broadcast some of these; here all are refused.
        crossed = row["options"].get("axis") == 0 and row["sample_weight"] is not None
        if "error" in row or crossed:
            with pytest.raises(ValueError, match="[Ww]eights of shape"):
                call()
            continue
        np.testing.assert_allclose(
            ops.convert_to_numpy(call()), row["value"], rtol=2e-4, atol=1e-5, err_msg=f"{name} {row['options']}"
        )


@pytest.mark.parametrize("row", GOLDEN["loss_functions"], ids=lambda row: row["function"])
def test_loss_functions(row):
    function = resolve(f"keras.losses.{row['function']}")
    if "error" in row:
        with pytest.raises(TypeError, match="'q'"):
            function(_get(row["y_true"]), _get(row["y_pred"]))
        return
    value = ops.convert_to_numpy(function(_get(row["y_true"]), _get(row["y_pred"])))
    np.testing.assert_allclose(value, row["value"], rtol=2e-4, atol=1e-5)
