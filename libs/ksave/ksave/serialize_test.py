from __future__ import annotations

import json
import math

import ml_dtypes
import numpy as np
import pytest

import ksave
from ksave import codecs
from ksave.tests.fake_layers import Dense, abs_plus_one

serialize = ksave.serialize_keras_object
deserialize = ksave.deserialize_keras_object


# The forms are those of Keras 3.15.1.
VALUES = [
    (1, 1),
    (True, True),
    (None, None),
    ("relu", "relu"),
    ((1, (2, 3)), [1, [2, 3]]),
    ({"a": (1,)}, {"a": [1]}),
    (slice(1, None, 2), {"class_name": "__slice__", "config": {"start": 1, "stop": None, "step": 2}}),
    (..., {"class_name": "__ellipsis__", "config": {}}),
    (b"ab", {"class_name": "__bytes__", "config": {"value": "ab"}}),
    (np.float32(1.5), 1.5),
    (np.bool_(True), True),
    (np.array(3), 3),
    (
        np.array([[1.0, 2.0]], "float32"),
        {"class_name": "__numpy__", "config": {"value": [[1.0, 2.0]], "dtype": "float32"}},
    ),
    (np.array([1.5], ml_dtypes.bfloat16), {"class_name": "__numpy__", "config": {"value": [1.5], "dtype": "bfloat16"}}),
    (
        abs_plus_one,
        {"module": "builtins", "class_name": "function", "config": "fake>abs_plus_one", "registered_name": "function"},
    ),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=lambda value: str(value)[:20])
def test_values_as_keras_writes_them(value, expected):
    written = serialize(value)
    assert written == expected
    assert json.loads(json.dumps(written)) == expected


@pytest.mark.parametrize("value", [slice(1, None, 2), ..., b"ab", [1, {"x": None}], math.inf, abs_plus_one, "relu", {}])
def test_values_come_back(value):
    assert deserialize(json.loads(json.dumps(serialize(value)))) == value


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "bfloat16", "uint8"])
@pytest.mark.parametrize("shape", [(0,), (2, 0), (2, 3)])
def test_arrays_come_back(dtype, shape):
    array = np.ones(shape, codecs.numpy_dtype(dtype))
    again = deserialize(json.loads(json.dumps(serialize(array))))
    assert again.dtype == array.dtype and again.shape == shape or array.size == 0
    np.testing.assert_array_equal(again.reshape(shape).astype("float32"), array.astype("float32"))


def test_nan_comes_back():
    assert math.isnan(deserialize(json.loads(json.dumps(serialize(float("nan"))))))


@pytest.mark.parametrize("value", [{1}, 1j, object(), Dense, np.array(["a"]), np.array([1j]), b"\xff", range(3)])
def test_what_cannot_be_written_is_said(value):
    with pytest.raises(TypeError, match="Cannot write|Only bytes"):
        serialize(value)


def test_objects():
    layer = Dense(3, act=abs_plus_one, like=np.array([1.0]))
    layer.build(2)
    record = serialize(layer)
    assert record["registered_name"] == "fake>Dense" and record["class_name"] == "Dense"
    assert record["build_config"] == {"input_shape": [None, 2]}
    assert "compile_config" not in record and "shared_object_id" not in record
    again = deserialize(json.loads(json.dumps(record)))
    assert again.units == 3 and again.act is abs_plus_one and again.like.tolist() == [1.0]
    assert again._own[0].shape == (2, 3)


def test_lambdas_need_unsafe_mode():
    offset = 5
    record = json.loads(json.dumps(serialize(lambda x, y=2: x + y + offset)))
    assert record["class_name"] == "__lambda__"
    with pytest.raises(ksave.UnsafeFileError, match="safe_mode=False"):
        deserialize(record)
    assert deserialize(record, safe_mode=False)(1) == 8


def test_nothing_inside_a_load_loosens_it():
    record = serialize(lambda x: x)

    class Sneaky:
        @classmethod
        def from_config(cls, config):
            return deserialize(config["f"], safe_mode=False)

    with pytest.raises(ksave.UnsafeFileError):
        deserialize(
            {"module": None, "class_name": "Sneaky", "config": {"f": record}, "registered_name": "Sneaky"},
            custom_objects={"Sneaky": Sneaky},
        )


def test_unsafe_default_can_be_taken_back():
    record = serialize(lambda x: x)
    ksave.enable_unsafe_deserialization()
    try:
        assert not ksave.in_safe_mode()
        assert deserialize(record)(3) == 3
    finally:
        ksave.disable_unsafe_deserialization()
    assert ksave.in_safe_mode()
    with pytest.raises(ksave.UnsafeFileError):
        deserialize(record)


class Unregistered(Dense):
    pass


def test_custom_objects_by_argument_scope_and_registry():
    record = serialize(Unregistered(2))
    assert record["module"] == __name__ and record["registered_name"] == "Unregistered"
    assert type(deserialize(record, custom_objects={"Unregistered": Unregistered})) is Unregistered
    with ksave.custom_object_scope({"Unregistered": Unregistered}):
        assert type(deserialize(record)) is Unregistered
    with pytest.raises(ksave.UnknownObjectError) as error:
        deserialize(record)
    assert "@keras.saving.register_keras_serializable()\n    class Unregistered" in str(error.value)


def test_unknown_names_say_the_line_to_write():
    record = {"module": "shop.layers", "class_name": "Twice", "config": {}, "registered_name": "shop>Double"}
    with pytest.raises(ksave.UnknownObjectError) as error:
        deserialize(record)
    assert "register_keras_serializable(package='shop', name='Double')" in str(error.value)
    with pytest.raises(ksave.UnknownObjectError, match="(?s)def nothing.*"):
        deserialize({"module": "builtins", "class_name": "function", "config": "nothing"})


def test_failing_constructors_are_explained():
    record = serialize(Dense(2))
    record["config"]["unit"] = 3
    with pytest.raises(TypeError, match="(?s)Dense could not be made.*unit.*do not agree"):
        deserialize(record)


def test_codecs_and_resolvers():
    class Money:
        def __init__(self, cents):
            self.cents = cents

    ksave.register_codec("__money__", Money, lambda m: {"cents": m.cents}, lambda c: Money(c["cents"]))
    assert deserialize(serialize([Money(5)]))[0].cents == 5
    ksave.register_class_resolver("keras.src.fake_ops", lambda module, name: Dense if name == "Node" else None)
    record = {"module": "keras.src.fake_ops.numpy", "class_name": "Node", "config": serialize(Dense(4)).get("config")}
    assert deserialize({**record, "registered_name": "Node"}).units == 4
    with pytest.raises(ksave.UnknownObjectError):
        deserialize({**record, "class_name": "Other"})
    ksave.register_internal_class("keras.src.fake", "Inner", Unregistered)
    try:
        written = serialize(Unregistered(1))
        assert (written["module"], written["class_name"]) == ("keras.src.fake", "Inner")
        assert written["registered_name"] == "Inner"
        assert type(deserialize(written)) is Unregistered
    finally:
        codecs._classes.pop(("keras.src.fake", "Inner"))
        codecs._class_names.pop(Unregistered)


def test_tensors_read_as_arrays_without_an_engine():
    array = deserialize({"class_name": "__tensor__", "config": {"value": [1, 2], "dtype": "bfloat16"}})
    assert array.dtype == ml_dtypes.bfloat16


def test_module_objects_for_records_without_a_module():
    record = {"class_name": "Dense", "config": {"units": 2, "act": None, "like": None}}
    with pytest.raises(ksave.UnknownObjectError):
        deserialize(record)
    assert deserialize(record, module_objects={"Dense": Dense}).units == 2


def test_plain_dictionaries_stay_dictionaries():
    assert deserialize({"class_name": "x"}) == {"class_name": "x"}
    assert deserialize({"config": {"a": [1]}}) == {"config": {"a": [1]}}


def test_dtypes_and_keys():
    assert ksave.serialize_keras_object([np.float32, np.dtype("int8")]) == ["float32", "int8"]
    assert ksave.serialize_keras_object({1: (2, 3), (4, 5): None}) == {1: [2, 3], "(4, 5)": None}
