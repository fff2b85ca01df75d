from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.batch_normalization import BatchNormalization
from klayers.layers.conv import Conv2D
from klayers.layers.dense import Dense
from klayers.layers.group_normalization import GroupNormalization
from klayers.layers.layer_normalization import LayerNormalization
from klayers.layers.reshaping import Flatten
from klayers.layers.rms_normalization import RMSNormalization, UnitNormalization
from klayers.layers.spectral_normalization import SpectralNormalization
from kops.engine import engine

RNG = np.random.default_rng(1)
X = RNG.normal(2.0, 3.0, size=(3, 4, 6)).astype("float32")
X4 = RNG.normal(2.0, 3.0, size=(2, 4, 5, 6)).astype("float32")


def spread(w, axis, ndim):
    shape = [1] * ndim
    shape[axis] = -1
    return w.reshape(shape)


@pytest.mark.parametrize("axis", [-1, 1])
def test_batch_inference_uses_the_averages(axis):
    def expected(x, gamma, beta, mean, variance):
        gamma, beta, mean, variance = (spread(w, axis, 3) for w in (gamma, beta, mean, variance))
        return (x - mean) / np.sqrt(variance + 1e-3) * gamma + beta

    layer = check_layer(lambda **k: BatchNormalization(axis=axis, **k), X, expected, rtol=1e-4, atol=1e-4)
    assert [v.name for v in layer.weights] == ["gamma", "beta", "moving_mean", "moving_variance"]
    assert [v.trainable for v in layer.weights] == [True, True, False, False]


def test_batch_training_uses_the_batch_and_moves_the_averages():
    layer = BatchNormalization(momentum=0.9)
    y = as_array(layer(X4, training=True))
    mean, variance = X4.mean((0, 1, 2)), X4.var((0, 1, 2))
    np.testing.assert_allclose(y, (X4 - mean) / np.sqrt(variance + 1e-3), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(layer.moving_mean.numpy(), 0.1 * mean, rtol=1e-4)
    np.testing.assert_allclose(layer.moving_variance.numpy(), 0.9 + 0.1 * variance, rtol=1e-4)


def test_batch_training_as_a_pure_function():
    layer = BatchNormalization(momentum=0.9)
    layer.build(X4.shape)
    trained = [v.value for v in layer.trainable_variables]
    kept = [v.value for v in layer.non_trainable_variables]

    def step(x):
        return layer.stateless_call(trained, kept, x, training=True)

    x = kops.convert_to_tensor(X4)
    for run in (step, engine().jit(step)) if engine().NAME in ("jax", "tensorflow") else (step,):
        y, after = run(x)
        mean = X4.mean((0, 1, 2))
        np.testing.assert_allclose(as_array(y).mean((0, 1, 2)), 0, atol=1e-4)
        np.testing.assert_allclose(as_array(after[0]), 0.1 * mean, rtol=1e-4)
        np.testing.assert_array_equal(layer.moving_mean.numpy(), 0)


def test_a_frozen_batch_normalization_stays():
    layer = BatchNormalization()
    layer.trainable = False
    y = as_array(layer(X, training=True))
    np.testing.assert_allclose(y, X / np.sqrt(1.001), rtol=1e-4)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), 0)


def test_batch_statistics_leave_masked_steps_out():
    mask = np.array([[1, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]], bool)
    layer = BatchNormalization(momentum=0.5)
    y = as_array(layer(X, training=True, mask=mask))
    kept = X[mask]
    np.testing.assert_allclose(y, (X - kept.mean(0)) / np.sqrt(kept.var(0) + 1e-3), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(layer.moving_mean.numpy(), 0.5 * kept.mean(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(layer.moving_variance.numpy(), 0.5 + 0.5 * kept.var(0), rtol=1e-4)


@pytest.mark.parametrize("clipping", [None, {"rmax": 1.5, "rmin": 0.7, "dmax": 0.2}])
def test_batch_renormalization(clipping):
    layer = BatchNormalization(renorm=True, momentum=0.9, renorm_momentum=0.8, renorm_clipping=clipping, name="bn")
    r_mean, r_dev, m_mean, m_dev = 0.0, 1.0, 0.0, 1.0
    for step in range(2):
        x = (RNG.normal(size=(6, 2)) * 2 + step).astype("float32")
        mean, dev = x.mean(0), np.sqrt(x.var(0) + 1e-3)
        factor, shift = dev / r_dev, (mean - r_mean) / r_dev
        if clipping:
            factor, shift = np.clip(factor, 0.7, 1.5), np.clip(shift, -0.2, 0.2)
        y = as_array(layer(x, training=True))
        np.testing.assert_allclose(y, (x - mean) / dev * factor + shift, rtol=1e-4, atol=1e-4)
        r_mean, r_dev = 0.8 * r_mean + 0.2 * mean, 0.8 * r_dev + 0.2 * dev
        m_mean, m_dev = 0.9 * m_mean + 0.1 * mean, 0.9 * m_dev + 0.1 * dev
    names = ["moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"]
    assert [v.name for v in layer.weights] == ["gamma", "beta", *names]
    for name, wanted in zip(names, (m_mean, m_dev**2 - 1e-3, m_dev, r_mean, r_dev)):
        np.testing.assert_allclose(getattr(layer, name).numpy(), wanted, rtol=1e-4, atol=1e-5, err_msg=name)


def test_half_precision_computes_in_float32():
    big = np.full((4, 3), 300.0, "float16") + np.arange(3, dtype="float16") * 60
    for layer in (
        BatchNormalization(dtype="mixed_float16"),
        LayerNormalization(dtype="mixed_float16"),
        RMSNormalization(dtype="mixed_float16"),
        GroupNormalization(1, dtype="mixed_float16"),
    ):
        y = layer(big, training=True) if isinstance(layer, BatchNormalization) else layer(big)
        assert kops.standardize_dtype(y.dtype) == "float16"
        assert np.isfinite(as_array(y)).all()
        assert all(kops.standardize_dtype(v.dtype) == "float32" for v in layer.weights)


@pytest.mark.parametrize(("axis", "axes"), [(-1, (2,)), (1, (1,)), ([1, 2], (1, 2))])
def test_layer_normalization(axis, axes):
    def expected(x, gamma, beta):
        shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
        mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        return (x - mean) / np.sqrt(variance + 1e-3) * gamma.reshape(shape) + beta.reshape(shape)

    layer = check_layer(lambda **k: LayerNormalization(axis=axis, **k), X, expected, rtol=1e-4, atol=1e-4)
    assert layer.gamma.shape == tuple(X.shape[a] for a in axes)


def test_layer_normalization_without_weights_and_by_deviation():
    bare = LayerNormalization(center=False, scale=False)
    mean, variance = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    np.testing.assert_allclose(as_array(bare(X)), (X - mean) / np.sqrt(variance + 1e-3), rtol=1e-4, atol=1e-5)
    assert bare.weights == []
    old = LayerNormalization(rms_scaling=True)
    np.testing.assert_allclose(as_array(old(X)), X / np.sqrt(variance + 1e-3), rtol=1e-4)
    assert [v.name for v in old.weights] == ["gamma"] and old.get_config()["rms_scaling"] is True


@pytest.mark.parametrize(("groups", "axis"), [(3, -1), (1, -1), (2, 1), (-1, -1), (6, 3)])
def test_group_normalization(groups, axis):
    def expected(x, gamma, beta):
        x = np.moveaxis(x, axis, -1)
        count = x.shape[-1] if groups == -1 else groups
        y = x.reshape(*x.shape[:-1], count, -1)
        over = (*range(1, x.ndim - 1), y.ndim - 1)
        y = (y - y.mean(over, keepdims=True)) / np.sqrt(y.var(over, keepdims=True) + 1e-3)
        return np.moveaxis(y.reshape(x.shape) * gamma + beta, -1, axis)

    check_layer(lambda **k: GroupNormalization(groups, axis, **k), X4, expected, rtol=1e-4, atol=1e-4)


def test_rms_and_unit():
    def rms(x, scale):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * scale

    check_layer(RMSNormalization, X, rms, rtol=1e-4)
    layer = RMSNormalization(axis=[1, 2])
    y = as_array(layer(X))
    np.testing.assert_allclose(y, X / np.sqrt((X**2).mean((1, 2), keepdims=True) + 1e-6), rtol=1e-4)
    assert layer.scale.shape == (4, 6)
    check_layer(UnitNormalization, X, X / np.linalg.norm(X, axis=-1, keepdims=True))
    both = X / np.sqrt((X**2).sum((1, 2), keepdims=True))
    check_layer(lambda **k: UnitNormalization([1, 2], **k), X, both)
    np.testing.assert_array_equal(as_array(UnitNormalization()(np.zeros((1, 3), "float32"))), 0)


def test_spectral_normalization():
    layer = SpectralNormalization(Dense(3), power_iterations=50)
    x = X[:, 0]
    plain = as_array(layer(x))
    kernel = layer.layer.kernel.numpy()
    np.testing.assert_allclose(plain, x @ kernel, rtol=1e-4, atol=1e-4)
    assert [v.name for v in layer.weights] == ["kernel", "vector_u", "bias"]
    assert [v.trainable for v in layer.weights] == [True, False, True]
    y = as_array(layer(x, training=True))
    wanted = kernel / np.linalg.svd(kernel)[1][0]
    np.testing.assert_allclose(layer.layer.kernel.numpy(), wanted, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(y, x @ wanted, rtol=1e-3, atol=1e-3)
    image = SpectralNormalization(Conv2D(2, 3))
    assert image(kops.KerasTensor((None, 5, 5, 6))).shape == (None, 3, 3, 2)
    assert image.vector_u.shape == (1, 2)
    check_layer(lambda **k: SpectralNormalization(Dense(3), **k), x, low_precision=False)


@pytest.mark.parametrize(
    ("error", "make", "words"),
    [
        (ValueError, lambda: BatchNormalization(axis=5)(X), "axis 5 does not fit"),
        (TypeError, lambda: BatchNormalization(axis=(1, 2)), "one integer"),
        (ValueError, lambda: BatchNormalization()(kops.KerasTensor((2, None))), "size of axis -1"),
        (ValueError, lambda: BatchNormalization(renorm=True, renorm_clipping={"foo": 3}), "not foo"),
        (
            ValueError,
            lambda: BatchNormalization(renorm=True, renorm_clipping={"rmax": 1, "rmin": 2}),
            "rmin must not be larger",
        ),
        (TypeError, lambda: LayerNormalization(axis="a"), "an integer or several"),
        (ValueError, lambda: LayerNormalization(axis=5)(X), "over axis 5 does not fit"),
        (ValueError, lambda: LayerNormalization(axis=(1, 1))(X), "does not fit"),
        (ValueError, lambda: GroupNormalization(4)(X), "6 channels cannot be divided into 4 groups"),
        (ValueError, lambda: GroupNormalization(0), "positive integer, or -1"),
        (ValueError, lambda: GroupNormalization(1, axis=0)(X), "behind the batch"),
        (ValueError, lambda: SpectralNormalization(Dense(3), power_iterations=0), "power_iterations"),
        (ValueError, lambda: SpectralNormalization(Flatten())(X), "Flatten has neither"),
        (TypeError, lambda: SpectralNormalization(3), "wraps a layer"),
    ],
)
def test_errors_teach(error, make, words):
    with pytest.raises(error, match=words):
        make()
