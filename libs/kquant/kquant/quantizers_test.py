from __future__ import annotations

import numpy as np
import pytest

import ksave
from kquant import quantizers
from kquant.configs import Int8QuantizationConfig, QuantizationConfig
from kquant.quantizers import AbsMaxQuantizer, Quantizer

DEFAULT = {
    "module": "keras.quantizers",
    "class_name": "AbsMaxQuantizer",
    "config": {"value_range": [-127, 127], "epsilon": 1e-07, "output_dtype": "int8"},
    "registered_name": None,
}


def plain(obj):
    import json

    return json.loads(json.dumps(ksave.serialize_keras_object(obj)))


def test_configs_are_those_of_files():
    assert plain(AbsMaxQuantizer()) == DEFAULT
    assert plain(AbsMaxQuantizer(axis=-1))["config"]["axis"] == [-1]
    assert plain(Int8QuantizationConfig())["config"] == {"weight_quantizer": None, "activation_quantizer": DEFAULT}


def test_a_quantizer_comes_back_from_its_config():
    again = quantizers.deserialize(quantizers.serialize(AbsMaxQuantizer(axis=0, value_range=(-8, 7))))
    assert again.axis == (0,) and again.value_range == (-8, 7)


def test_a_config_comes_back_with_its_quantizers():
    again = ksave.deserialize_keras_object(plain(Int8QuantizationConfig(activation_quantizer=None)))
    assert isinstance(again, Int8QuantizationConfig) and again.activation_quantizer is None
    again = ksave.deserialize_keras_object(plain(Int8QuantizationConfig(weight_quantizer=AbsMaxQuantizer(axis=0))))
    assert again.weight_quantizer.axis == (0,) and again.activation_quantizer.axis is None


@pytest.mark.parametrize("name", ["AbsMaxQuantizer", "abs_max_quantizer", AbsMaxQuantizer])
def test_get_by_name_and_class(name):
    assert quantizers.get(name, axis=0).axis == (0,)
    assert isinstance(quantizers.get(name), AbsMaxQuantizer)


def test_get_says_what_it_does_not_know():
    assert quantizers.get(None) is None
    with pytest.raises(ValueError, match="AbsMaxQuantizer"):
        quantizers.get("abs_max_quantizr")
    with pytest.raises(ValueError, match="not a quantizer"):
        quantizers.get(3)


def test_axis_of_the_call_wins():
    x = np.ones((2, 3), "float32")
    assert tuple(AbsMaxQuantizer(axis=0)(x)[1].shape) == (1, 3)
    assert tuple(AbsMaxQuantizer(axis=0)(x, axis=1)[1].shape) == (2, 1)


def test_wrong_configs_are_refused():
    with pytest.raises(ValueError, match="output_dtype='int8'"):
        Int8QuantizationConfig(weight_quantizer=AbsMaxQuantizer(axis=0, output_dtype="uint8"))
    with pytest.raises(NotImplementedError, match="mode"):
        QuantizationConfig().mode
    with pytest.raises(NotImplementedError, match="get_config"):
        Quantizer().get_config()


def test_defaults():
    pick = QuantizationConfig.activation_quantizer_or_default
    assert pick(None, 5) == 5 and pick(Int8QuantizationConfig(activation_quantizer=None), 5) is None
    assert QuantizationConfig.weight_quantizer_or_default(Int8QuantizationConfig(), 5) == 5
