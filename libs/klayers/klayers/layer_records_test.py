from __future__ import annotations

import pytest

from klayers import constraints
from klayers.layer_records import deserialize, serialize
from klayers.layers.dense import Dense


def test_a_layer_comes_back():
    layer = Dense(3, activation="relu", name="d")
    again = deserialize(serialize(layer))
    assert type(again) is Dense and again.get_config() == layer.get_config()
    assert deserialize({"class_name": "Dense", "config": {"units": 2}}).units == 2


def test_other_objects_are_refused():
    with pytest.raises(ValueError, match="no layer.*NonNeg"):
        deserialize(serialize(constraints.NonNeg()))
