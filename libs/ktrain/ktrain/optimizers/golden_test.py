"""All optimizers and schedules against values that were computed independently."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kops as ops
from kops.variable import Variable
from kspec import resolve

GOLDEN = json.loads((Path(__file__).parent.parent / "testdata" / "optimizers.json").read_text())
NAMES = ("kernel", "bias", "kernel")


def _options(row):
    options = dict(row["options"])
    rate = options.pop("learning_rate", row["learning_rate"])
    if isinstance(rate, dict):
        rate = resolve(f"keras.optimizers.schedules.{rate['schedule']}")(**rate["config"])
    return {"learning_rate": rate, **options}


def _start():
    return [
        Variable(np.array(v["start"], "float32").reshape(v["shape"]), name=name)
        for v, name in zip(GOLDEN["variables"], NAMES)
    ]


def _gradients(step):
    return [np.array(g, "float32").reshape(v["shape"]) for g, v in zip(GOLDEN["gradients"][step], GOLDEN["variables"])]


def _groups():
    groups = {}
    for row in GOLDEN["runs"]:
        groups.setdefault(row["class"], []).append(row)
    return sorted(groups.items())


def _check(variables, expected, row, step):
    tolerance = 1e-3 if row["class"] == "Muon" else 1e-4
    for variable, value in zip(variables, expected):
        np.testing.assert_allclose(
            variable.numpy().ravel(), value, rtol=tolerance, atol=tolerance / 10,
            err_msg=f"{row['class']} {row['options']} step {step}",
        )  # fmt: skip


@pytest.mark.parametrize(("name", "rows"), _groups(), ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.parametrize("way", ["apply", "stateless"])
def test_optimizers(name, rows, way):
    for row in rows:
        optimizer = resolve(f"keras.optimizers.{name}")(**_options(row))
        variables = _start()
        optimizer.build(variables)
        names = [v.path.partition("/")[2] for v in optimizer.variables]
        if name != "Nadam":
            assert names == row["variables"], row["options"]
        for step in range(5):
            gradients = [ops.convert_to_tensor(g) for g in _gradients(step)]
            if way == "apply":
                optimizer.apply(gradients, variables)
            else:
                new, state = optimizer.stateless_apply(
                    [v.value for v in optimizer.variables], gradients, [v.value for v in variables]
                )
                for variable, value in zip([*variables, *optimizer.variables], [*new, *state]):
                    variable.assign(value)
            if step in GOLDEN["shown_steps"]:
                _check(variables, row["steps"][GOLDEN["shown_steps"].index(step)], row, step)
        if row.get("finalized"):
            optimizer.finalize_variable_values(variables)
            _check(variables, row["finalized"], row, "finalized")


@pytest.mark.parametrize("row", GOLDEN["schedules"], ids=lambda row: row["class"])
def test_schedules(row):
    schedule = resolve(f"keras.optimizers.schedules.{row['class']}")(**row["config"])
    again = type(schedule).from_config(schedule.get_config())
    for step, expected in enumerate(row["values"]):
        value = float(ops.convert_to_numpy(again(ops.convert_to_tensor(step, dtype="int32"))))
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-7, err_msg=f"step {step}")
