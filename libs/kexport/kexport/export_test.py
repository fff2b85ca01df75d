"""Exports of small models from the active engine, run by the runtime they are for."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from kexport.check import ExportMismatch, compare
from klayers.input_layer import Input
from klayers.layers.batch_normalization import BatchNormalization
from klayers.layers.concatenate import Concatenate
from klayers.layers.conv import Conv2D
from klayers.layers.dense import Dense
from klayers.layers.depthwise_conv import DepthwiseConv2D
from klayers.layers.pooling import AveragePooling2D, MaxPooling2D
from klayers.layers.reshaping import Flatten
from klayers.model import Model
from kops.engine import engine
from kspec import PluginMissing

RNG = np.random.default_rng(0)


def randomize(model):
    model.set_weights([np.abs(RNG.normal(size=v.shape)).astype("float32") for v in model.weights])
    return model


def convolutional():
    x = Input((9, 8, 3), name="image")
    h = Conv2D(4, 3, padding="same", strides=2, activation="relu")(x)
    h = BatchNormalization()(h)
    a = MaxPooling2D(2)(h)
    b = AveragePooling2D(2, padding="same")(DepthwiseConv2D(3, padding="same", dilation_rate=2)(h))
    out = Dense(5, activation="softmax")(Concatenate()([Flatten()(a), Flatten()(b)]))
    return randomize(Model(x, out, name="convolutional"))


def two_in_two_out():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    h = Dense(3, activation="gelu")(a - b)
    return randomize(Model({"a": a, "b": b}, [h[:, 1:], h * 2.0]))


class Subclassed(Model):
    def __init__(self):
        super().__init__()
        self.dense = Dense(6, activation="silu")

    def call(self, x, training=None):
        y = self.dense(x)
        return y[..., None, :2] + 1.0


@pytest.mark.parametrize("make", [convolutional, two_in_two_out])
def test_onnx(make, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = make()
    model.export(tmp_path / "m.onnx", format="onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    # Another batch size than the one of the exporter's own check.
    feed = {i.name: RNG.normal(size=(5, *i.shape[1:])).astype("float32") for i in session.get_inputs()}
    got = session.run(None, feed)
    want = model(feed if len(feed) > 1 else next(iter(feed.values())))
    for g, w in zip(got, want if isinstance(want, list) else [want]):
        np.testing.assert_allclose(g, engine().to_numpy(w), rtol=1e-3, atol=1e-4)


def test_subclassed_models_export_too(tmp_path):
    pytest.importorskip("onnxruntime")
    model = Subclassed()
    with pytest.raises(ValueError, match="not been built"):
        model.export(tmp_path / "m.onnx", format="onnx")
    model(np.ones((2, 3), "float32"))
    model.export(tmp_path / "m.onnx", format="onnx")


def test_saved_model(tmp_path):
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed")
    model = convolutional()
    for _ in range(2):  # the second time over the first
        model.export(tmp_path / "saved", format="tf_saved_model")
    assert [p.name for p in tmp_path.iterdir()] == ["saved"]
    import tensorflow as tf

    x = RNG.normal(size=(3, 9, 8, 3)).astype("float32")
    loaded = tf.saved_model.load(str(tmp_path / "saved"))
    got = loaded.serve(x)
    np.testing.assert_allclose(got, engine().to_numpy(model(x)), rtol=1e-3, atol=1e-5)


def test_unknown_formats_are_named():
    with pytest.raises(PluginMissing, match="onnx"):
        convolutional().export("m", format="word")


def test_a_wrong_export_is_noticed():
    compare("test", [np.ones(3)], [np.ones(3)])
    with pytest.raises(ExportMismatch, match="up to 1"):
        compare("test", [np.ones(3)], [np.zeros(3)])
    with pytest.raises(ExportMismatch, match="shape"):
        compare("test", [np.ones(3)], [np.ones((3, 1))])
