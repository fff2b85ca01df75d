from __future__ import annotations

import numpy as np
import pytest

import klayers
from kops.engine import engine

X = np.random.default_rng(0).normal(size=(4, 8)).astype("float32")


def model():
    return klayers.Sequential(
        [klayers.Input((8,)), klayers.Dense(6, name="a"), klayers.ReLU(), klayers.Dense(3, name="head")]
    )


def modes(model):
    return [layer.quantization_mode for layer in model.layers]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (None, ["int8", None, "int8"]),
        ("hea", [None, None, "int8"]),
        (["^a$", "nothing"], ["int8", None, None]),
        (lambda layer: layer.name == "a", ["int8", None, None]),
    ],
)
def test_filters_choose_the_layers(filters, expected):
    m = model()
    m.quantize("int8", filters=filters)
    assert modes(m) == expected


def test_save_load_and_the_jitted_predict(tmp_path):
    m = model()
    full = m.predict(X)  # compiled before: must not stay in use
    m.quantize("int8")
    out = m.predict(X)
    assert 0 < np.abs(out - full).max() < 0.05
    m.save(tmp_path / "m.keras")
    again = klayers.load_model(tmp_path / "m.keras")
    assert modes(again) == modes(m)
    np.testing.assert_allclose(again.predict(X), out, rtol=1e-5, atol=1e-6)
    again.save_weights(tmp_path / "w.weights.h5")
    m.load_weights(tmp_path / "w.weights.h5")


def test_nested_models_are_reached():
    inner = model()
    outer = klayers.Sequential([klayers.Input((8,)), inner, klayers.Dense(2)])
    outer.quantize("int8")
    assert modes(inner) == ["int8", None, "int8"] and outer.layers[-1].quantization_mode == "int8"
    assert engine().to_numpy(outer(X)).shape == (4, 2)


def test_mistakes_are_explained():
    with pytest.raises(ValueError, match="Unknown quantization mode 'int7'. Installed: .*int8"):
        model().quantize("int7")
    with pytest.raises(ValueError, match="Give a mode"):
        model().quantize()
    with pytest.raises(ValueError, match="before it is built"):
        klayers.Sequential([klayers.Dense(3)]).quantize("int8")
    with pytest.raises(ValueError, match="no layer that can be quantized.*Dense"):
        klayers.Sequential([klayers.Input((3,)), klayers.ReLU()]).quantize("int8")
    with pytest.raises(ValueError, match="regular expression"):
        model().quantize("int8", filters=3)
    m = model()
    m.quantize("int8")
    with pytest.raises(ValueError, match="Already quantized: a, head"):
        m.quantize("int8")
    with pytest.warns(UserWarning, match="zzz"):
        model().quantize("int8", filters="zzz")
