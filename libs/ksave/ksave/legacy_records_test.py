from __future__ import annotations

import pytest

from ksave.legacy_records import deserialize_keras_object, serialize_keras_object
from ksave.tests.fake_layers import Dense, abs_plus_one


def test_both_ways():
    record = serialize_keras_object(Dense(3))
    assert record["class_name"] == "fake>Dense" and set(record) == {"class_name", "config"}
    assert deserialize_keras_object(record).units == 3
    plain = {"class_name": "Dense", "config": record["config"]}
    assert deserialize_keras_object(plain, {"Dense": Dense}).units == 3
    assert deserialize_keras_object(plain, custom_objects={"Dense": Dense}).units == 3


def test_names_and_objects():
    assert serialize_keras_object(abs_plus_one) == "fake>abs_plus_one"
    assert deserialize_keras_object("fake>abs_plus_one") is abs_plus_one
    assert deserialize_keras_object("f", {"f": len}) is len
    assert deserialize_keras_object(len) is len
    assert serialize_keras_object(None) is None and deserialize_keras_object(None) is None


@pytest.mark.parametrize("wrong", [3, "nobody", {"config": {}}, {"class_name": "Nobody", "config": {}}], ids=str)
def test_wrong_use(wrong):
    with pytest.raises(ValueError, match="Unknown thing|record"):
        deserialize_keras_object(wrong, printable_module_name="thing")
    with pytest.raises(ValueError, match="no name"):
        serialize_keras_object(3)
