from __future__ import annotations

import math

import numpy as np
import pytest

import kops
import ksave
from klayers import activations

X = np.array([-7.0, -2.5, -0.7, -0.2, 0.0, 0.3, 0.9, 3.0, 8.0], dtype="float32")


def sig(x):
    return 1 / (1 + np.exp(-x))


def phi(x):
    return np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])


FORMULAS = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x),
    "relu6": lambda x: np.clip(x, 0, 6),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "celu": lambda x: np.maximum(x, 0) + np.minimum(0, np.expm1(x)),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "soft_shrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "hard_shrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "sparse_plus": lambda x: np.where(x <= -1, 0, np.where(x >= 1, x, (x + 1) ** 2 / 4)),
    "sparse_sigmoid": lambda x: np.clip((x + 1) / 2, 0, 1),
    "silu": lambda x: x * sig(x),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "gelu": lambda x: x * phi(x),
    "tanh": np.tanh,
    "tanh_shrink": lambda x: x - np.tanh(x),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "sigmoid": sig,
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hard_silu": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "log_sigmoid": lambda x: -np.log1p(np.exp(-x)),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "exponential": np.exp,
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(),
    "log_softmax": lambda x: x - np.log(np.exp(x).sum()),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_value_dtype_and_symbolic_shape(name):
    function = activations.get(name)
    y = function(kops.convert_to_tensor(X))
    np.testing.assert_allclose(np.asarray(y), FORMULAS[name](X.astype("float64")), rtol=2e-5, atol=2e-6)
    spec = function(kops.KerasTensor((None, 4)))
    assert (spec.shape, spec.dtype) == ((None, 4), "float32")
    assert activations.serialize(function) == name


def test_every_public_activation_is_tested_or_has_its_own_test():
    assert {f.__name__ for f in activations._ALL} == {*FORMULAS, "glu", "sparsemax", "threshold"}


def test_glu_threshold_and_sparsemax():
    x = kops.convert_to_tensor(X[:8])
    np.testing.assert_allclose(np.asarray(activations.glu(x)), X[:4] * sig(X[4:8]), rtol=1e-5)
    np.testing.assert_allclose(
        np.asarray(activations.threshold(x, 0.5, -9.0)), np.where(X[:8] > 0.5, X[:8], -9.0), rtol=1e-6
    )
    # (1, 2, 3): only the largest entry keeps weight; two near ones share by their difference
    rows = kops.convert_to_tensor(np.array([[1.0, 2.0, 3.0], [0.0, 0.5, 0.9]], "float32"))
    np.testing.assert_allclose(
        np.asarray(activations.sparsemax(rows)), [[0, 0, 1], [0, 0.3, 0.7]], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("slope", [0.0, 0.1])
@pytest.mark.parametrize("top", [None, 6, 2.0])
@pytest.mark.parametrize("threshold", [0.0, 1.5])
def test_relu_with_slope_bound_and_threshold(slope, top, threshold):
    y = activations.relu(kops.convert_to_tensor(X), slope, top, threshold)
    expected = np.where(X >= threshold, X, slope * (X - threshold))
    np.testing.assert_allclose(np.asarray(y), expected if top is None else np.minimum(expected, top), rtol=1e-5)


def test_low_precision_stays_low():
    for name in ("relu", "gelu", "softmax", "mish"):
        y = activations.get(name)(kops.cast(X, "bfloat16"))
        assert kops.standardize_dtype(y.dtype) == "bfloat16", name


def test_names_configs_and_custom_functions():
    assert activations.get(None) is activations.linear
    assert activations.get("swish") is activations.silu and activations.get("hard_swish") is activations.hard_silu
    record = {"module": "builtins", "class_name": "function", "config": "relu", "registered_name": "function"}
    assert activations.get(record) is activations.relu
    assert activations.serialize(kops.relu) == "relu"

    @ksave.register_keras_serializable("acts")
    def doubled(x):
        return 2 * x

    config = activations.serialize(doubled)
    assert config["config"] == "acts>doubled" and config["class_name"] == "function"
    assert activations.get(config) is doubled and activations.get("acts>doubled") is doubled
    with ksave.custom_object_scope({"mine": doubled}):
        assert activations.get("mine") is doubled


def test_errors_teach():
    with pytest.raises(ValueError, match="'relux' is not an activation. Did you mean 'relu'"):
        activations.get("relux")
    with pytest.raises(ValueError, match="not 3"):
        activations.get(3)
    with pytest.raises(ValueError, match="'get' is not an activation"):
        activations.get("get")
    with pytest.raises(TypeError, match="not None"):
        activations.serialize(None)
