from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from ksave.comparison import compare
from ksave.contents import Array, Contents


def _contents(config=None, **arrays):
    made = {}
    for name, value in arrays.items():
        value = np.asarray(value)
        dtype = "string" if value.dtype.hasobject else value.dtype.name
        made[name] = Array(value.shape, dtype, value.nbytes, lambda value=value: value)
    return Contents("x", "model" if config else "weights", config=config, arrays=made)


def _rows(one, two, **options):
    found = compare(_contents(w=one), _contents(w=two), **options)
    assert found["equal"] == 1 - len(found["weights"])
    return [{key: value for key, value in row.items() if key != "path"} for row in found["weights"]]


def test_how_large_a_difference_is():
    (row,) = _rows(np.array([3.0, 4.0]), np.array([3.0, 4.5]))
    assert row == {"change": "1 of 2 numbers", "max": 0.5, "relative": pytest.approx(0.1)}
    assert _rows([3.0, 4.0], [3.0, 4.5], atol=0.5) == _rows([3.0, 4.0], [3.0, 4.5], rtol=0.125) == []
    assert len(_rows([3.0, 4.0], [3.0, 4.5], rtol=0.12)) == 1
    (row,) = _rows([0.0], [1.0])
    assert row["relative"] == math.inf


def test_numbers_of_all_kinds():
    assert _rows([np.nan, np.inf], [np.nan, np.inf]) == []
    assert _rows([1.0, np.nan], [1.0, 2.0])[0]["max"] == math.inf
    assert _rows([np.inf], [-np.inf])[0]["change"] == "1 of 1 numbers"
    large = 2**62
    assert _rows([large], [large + 1]) == [{"change": "1 of 1 numbers", "max": 0.0, "relative": 0.0}]
    assert _rows([large], [large]) == []
    assert _rows([True, False], [True, True])[0]["max"] == 1
    assert _rows([1 + 2j], [1 - 1j])[0]["max"] == pytest.approx(3)
    half = np.array([1, 2], ml_dtypes.bfloat16)
    assert _rows(half, half) == [] and _rows(half, half + 1)[0]["max"] == 1
    assert _rows(np.float32(1), np.float32(1)) == []
    assert _rows(np.zeros((0, 3)), np.zeros((0, 3))) == []
    assert _rows(np.zeros(1, "V1"), np.zeros(1, "V1")) == []
    assert _rows(np.zeros(1, "V1"), np.ones(1, "u1").view("V1")) == [{"change": "other values"}]
    assert _rows(np.array(["a"], object), np.array(["b"], object)) == [{"change": "other values"}]


def test_shapes_and_dtypes():
    assert _rows(np.zeros((2, 1)), np.zeros(2)) == [{"change": "shape (2, 1) became (2,)"}]
    assert _rows(np.float32([1]), np.float64([1])) == [{"change": "dtype float32 became float64"}]
    assert _rows(np.float32([1]), np.int32([2]))[0]["change"] == "1 of 1 numbers, dtype float32 became int32"


def test_pieces_of_large_arrays():
    one = np.zeros(3_000_000, "float32")
    two = one.copy()
    two[[0, 1_500_000, 2_999_999]] = [1, 2, 2]
    assert _rows(one, two) == [{"change": "3 of 3000000 numbers", "max": 2.0, "relative": math.inf}]


def test_what_only_one_has():
    found = compare(_contents(a=[1.0], b=[1.0]), _contents(b=[1.0], c=[1]))
    assert [(row["path"], row["change"]) for row in found["weights"]] == [
        ("a", "removed: float64 (1,)"),
        ("c", "added: int64 (1,)"),
    ]


def _model(*layers, **compiled):
    config = {"name": "m", "layers": list(layers)}
    return {"module": "keras", "class_name": "Sequential", "config": config, **compiled}


def _layer(name, class_name="Dense", **config):
    return {"module": "keras.layers", "class_name": class_name, "config": {"name": name, **config}}


def test_layers_and_arguments():
    one = _model(_layer("a", units=2, activation="relu"), _layer("b"), _layer("c", "Dropout"), _layer("d"))
    two = _model(_layer("a", units=3, bias=None), _layer("x"), _layer("c", "Flatten"), compile_config={"loss": "mse"})
    found = compare(_contents(one), _contents(two))
    assert [(row["change"], row["name"], row["class"]) for row in found["layers"]] == [
        ("renamed", "b became x", "Dense"),
        ("other class", "c", "Dropout became Flatten"),
        ("removed", "d", "Dense"),
    ]
    places = {row["where"]: (row["first"], row["second"]) for row in found["config"]}
    assert places["a.units"] == (2, 3)
    assert repr(places["a.activation"]) == "('relu', -)" and repr(places["a.bias"]) == "(-, None)"
    assert compare(_contents(one), _contents(one))["config"] == []
    assert compare(_contents(one), _contents(two), configs=False)["layers"] == []
