"""MobileNetV2 against the facts of the official architecture."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from kapps import imagenet
from kapps.mobilenet_v2 import MobileNetV2, preprocess_input
from klayers.input_layer import Input
from kops.engine import engine

FACTS = Path(__file__).parent / "testdata" / "mobilenet_v2.json.gz"


def test_layers_weights_and_wiring_are_the_official_ones():
    facts = json.loads(gzip.decompress(FACTS.read_bytes()))
    model = MobileNetV2(weights=None)
    assert model.name == facts["model_name"]
    assert model.count_params() == facts["params"]
    ours = [
        [layer.name, type(layer).__name__, [[v.name, list(v.shape)] for v in layer.weights]] for layer in model.layers
    ]
    # Automatic names are counted over the whole process.
    for layer, (name, kind, _) in zip(ours, facts["layers"]):
        if kind in ("InputLayer", "GlobalAveragePooling2D"):
            layer[0] = name
    assert ours == facts["layers"]
    index = {id(layer): i for i, layer in enumerate(model.layers)}
    edges = [
        [index[id(x._keras_history.operation)] for node in layer._inbound_nodes for x in node.inputs]
        for layer in model.layers
    ]
    assert edges == facts["edges"]


@pytest.mark.parametrize(
    ("arguments", "name", "params", "output"),
    [
        ({"include_top": False}, "mobilenetv2_1.00_None", 2257984, (None, None, None, 1280)),
        ({"input_shape": (64, 64, 3), "include_top": False, "pooling": "avg", "alpha": 1.4},
         "mobilenetv2_1.40_64", 4363712, (None, 1792)),
        ({"input_shape": (100, 100, 3), "classes": 7}, "mobilenetv2_1.00_100", 2266951, (None, 7)),
    ],
)  # fmt: skip
def test_variants(arguments, name, params, output):
    model = MobileNetV2(weights=None, **arguments)
    assert (model.name, model.count_params(), model.output_shape) == (name, params, output)


def test_it_runs_and_its_weights_load(tmp_path):
    options = {"input_shape": (32, 32, 3), "alpha": 0.35, "classes": 5}
    model = MobileNetV2(weights=None, **options)
    x = np.random.default_rng(0).normal(size=(2, 32, 32, 3)).astype("float32")
    y = engine().to_numpy(model(x))
    np.testing.assert_allclose(y.sum(axis=-1), [1.0, 1.0], rtol=1e-5)
    model.save_weights(tmp_path / "m.weights.h5")
    again = MobileNetV2(weights=str(tmp_path / "m.weights.h5"), **options)
    np.testing.assert_allclose(engine().to_numpy(again(x)), y, rtol=1e-4, atol=1e-6)


def test_builds_on_a_tensor():
    x = Input((48, 48, 3))
    assert MobileNetV2(weights=None, input_tensor=x, include_top=False).inputs[0] is x


def test_mistakes_are_explained():
    with pytest.raises(ValueError, match="1000 classes, not 7"):
        MobileNetV2(classes=7)
    with pytest.raises(ValueError, match="'nowhere.h5'"):
        MobileNetV2(weights="nowhere.h5")
    with pytest.raises(ValueError, match="at least 32x32"):
        MobileNetV2(weights=None, input_shape=(16, 16, 3))
    with pytest.raises(ValueError, match="alpha"):
        MobileNetV2(alpha=0.6)


def test_preprocessing_of_one_pixel():
    pixel = np.array([[[10.0, 100.0, 250.0]]])
    np.testing.assert_allclose(preprocess_input(pixel)[0, 0], [-0.92156863, -0.21568626, 0.96078431], rtol=1e-6)
    caffe = imagenet.preprocess_input(pixel, mode="caffe")[0, 0]
    np.testing.assert_allclose(caffe, [250 - 103.939, 100 - 116.779, 10 - 123.68], rtol=1e-5)
    torch = imagenet.preprocess_input(pixel, mode="torch")[0, 0]
    want = [(10 / 255 - 0.485) / 0.229, (100 / 255 - 0.456) / 0.224, (250 / 255 - 0.406) / 0.225]
    np.testing.assert_allclose(torch, want, rtol=1e-5)
    tensor = imagenet.preprocess_input(engine().convert(pixel, "float32"), mode="caffe")
    np.testing.assert_allclose(engine().to_numpy(tensor)[0, 0], caffe, rtol=1e-5)
    with pytest.raises(ValueError, match="'tensorflow'"):
        imagenet.preprocess_input(pixel, mode="tensorflow")
