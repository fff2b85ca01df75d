from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

import kops
import ksave
from klayers import initializers
from klayers.initializers import draw
from klayers.initializers.constant import STFT, Constant, Identity
from klayers.initializers.random_values import Orthogonal, RandomNormal, RandomUniform, TruncatedNormal
from klayers.initializers.variance_scaling import GlorotUniform, HeNormal, VarianceScaling


def values(initializer, shape, dtype=None):
    return np.asarray(kops.convert_to_numpy(initializer(shape, dtype=dtype)))


def test_constants():
    np.testing.assert_array_equal(values(initializers.get("zeros"), (2, 3)), np.zeros((2, 3)))
    np.testing.assert_array_equal(values(initializers.get("ones"), (2,), "int32"), [1, 1])
    np.testing.assert_array_equal(values(Constant([1.0, 2.0]), (3, 2)), [[1, 2]] * 3)
    np.testing.assert_array_equal(values(Identity(3.0), (2, 3)), [[3, 0, 0], [0, 3, 0]])
    assert values(initializers.get("zeros"), (0, 3)).shape == (0, 3)
    assert kops.standardize_dtype(initializers.get("ones")((2,), dtype="bfloat16").dtype) == "bfloat16"


@pytest.mark.parametrize(
    ("mode", "distribution", "fan", "shape"),
    [
        ("fan_in", "truncated_normal", 200, (200, 100)),
        ("fan_out", "untruncated_normal", 100, (200, 100)),
        ("fan_avg", "uniform", 9 * 50, (3, 3, 40, 60)),
        ("fan_in", "uniform", 9 * 40, (3, 3, 40, 60)),
        ("fan_in", "truncated_normal", 5000, (5000,)),
    ],
)
def test_variance_scaling_has_the_variance_asked_for(mode, distribution, fan, shape):
    x = values(VarianceScaling(2.0, mode, distribution, seed=3), shape)
    n = x.size
    wanted = 2.0 / fan
    assert abs(x.mean()) < 5 * math.sqrt(wanted / n)
    assert x.var() == pytest.approx(wanted, rel=5 * math.sqrt(2 / n))
    bound = {"uniform": math.sqrt(3 * wanted), "truncated_normal": 2 * math.sqrt(wanted) / 0.87962566}
    assert np.abs(x).max() <= bound.get(distribution, np.inf) * 1.000001


def test_fans_by_axes_need_both():
    both = VarianceScaling(1.0, "fan_out", "untruncated_normal", 3, input_axes=(0,), output_axes=(1, -1))
    assert 1 / values(both, (20, 30, 40)).var() == pytest.approx(1200, rel=0.05)
    one = VarianceScaling(1.0, "fan_out", "untruncated_normal", 3, input_axes=(0,))
    assert 1 / values(one, (20, 30, 40)).var() == pytest.approx(800, rel=0.05)
    with pytest.raises(ValueError, match=r"do not fit a kernel of shape \(2, 3\)"):
        VarianceScaling(input_axes=(5,), output_axes=(1,))((2, 3))


def test_distributions():
    n = 20000
    assert values(RandomNormal(1.0, 0.5, seed=1), (n,)).std() == pytest.approx(0.5, rel=0.03)
    cut = values(TruncatedNormal(0.0, 1.0, seed=1), (n,))
    assert np.abs(cut).max() <= 2 and cut.std() == pytest.approx(0.87962566, rel=0.03)
    flat = values(RandomUniform(2.0, 4.0, seed=1), (n,))
    assert flat.min() >= 2 and flat.max() < 4 and flat.mean() == pytest.approx(3, rel=0.01)


@pytest.mark.parametrize("shape", [(3, 7), (7, 3), (2, 3, 5), (4, 4)])
def test_orthogonal(shape):
    q = values(Orthogonal(2.0, seed=1), shape).reshape(-1, shape[-1])
    small = q @ q.T if q.shape[0] < q.shape[1] else q.T @ q
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)
    assert values(Orthogonal(seed=1), (0, 3)).shape == (0, 3)


def test_stft_kernels():
    n, k = np.arange(16)[:, None], np.arange(9)
    hann = np.hanning(16)[:, None] / np.sqrt((np.hanning(16) ** 2).sum())
    real = values(STFT("real"), (16, 1, 9))[:, 0]
    np.testing.assert_allclose(real, hann * np.cos(2 * np.pi * n * k / 16), atol=1e-6)
    imag = values(STFT("imag", window=None), (16, 1, 9))[:, 0]
    np.testing.assert_allclose(imag, -np.sin(2 * np.pi * n * k / 16), atol=1e-6)
    # Keras 3.15.1 at frequency zero, where the window stands alone
    for name, column in {
        "flattop": [-4.875685e-04, -7.841173e-02, 7.027456e-01],
        "nuttall": [3.183363e-04, 9.697083e-02, 7.004259e-01],
        "cosine": [0.14942925, 0.4082483, 0.55767757],
        "bartlett": [0.0, 0.31622776, 0.6324555],
    }.items():
        np.testing.assert_allclose(values(STFT(window=name), (6, 1, 5))[:3, 0, 0], column, rtol=1e-5, atol=1e-7)
    periodic = values(STFT(window="hamming", scaling=None, periodic=True), (6, 1, 5))[:, 0, 0]
    np.testing.assert_allclose(periodic, [0.08, 0.31, 0.77, 1.0, 0.77, 0.31], rtol=1e-6)


def test_seeds():
    seeded = GlorotUniform(seed=7)
    np.testing.assert_array_equal(values(seeded, (3, 4)), values(GlorotUniform(seed=7), (3, 4)))
    np.testing.assert_array_equal(values(seeded, (3, 4)), values(seeded, (3, 4)))
    assert not np.array_equal(values(GlorotUniform(), (3, 4)), values(GlorotUniform(), (3, 4)))
    random.seed(5)
    first = values(HeNormal(), (3, 4))
    random.seed(5)
    np.testing.assert_array_equal(first, values(HeNormal(), (3, 4)))
    assert GlorotUniform().clone().seed != GlorotUniform().seed


@pytest.mark.parametrize("seed", [0, 7, 2**40 + 3])
def test_numbers_are_those_of_kops_random(seed):
    for ours, theirs in (
        (draw.uniform, kops.random.uniform),
        (draw.normal, kops.random.normal),
        (draw.truncated_normal, kops.random.truncated_normal),
    ):
        expected = kops.convert_to_numpy(theirs((40, 1000), seed=seed))
        np.testing.assert_allclose(ours((40, 1000), seed), expected, rtol=2e-5, atol=2e-6)


def test_a_seed_generator_gives_other_values_at_each_call():
    initializer = RandomUniform(seed=kops.random.SeedGenerator(3))
    assert not np.array_equal(values(initializer, (3,)), values(initializer, (3,)))


def test_configs_and_get():
    config = {"seed": None, "input_axes": None, "output_axes": None}
    record = {"module": "keras.initializers", "class_name": "GlorotUniform", "config": config}
    assert initializers.serialize(GlorotUniform()) == {**record, "registered_name": None}
    full = {"seed": 3, "scale": 2.0, "mode": "fan_out", "distribution": "uniform"}
    assert VarianceScaling(2.0, "fan_out", "uniform", 3).get_config() == {
        **full,
        "input_axes": None,
        "output_axes": None,
    }
    again = initializers.deserialize(initializers.serialize(VarianceScaling(2.0, "fan_out", "uniform", 3)))
    assert again.seed == 3 and again.mode == "fan_out"
    assert initializers.get({"class_name": "HeNormal", "config": {}}).scale == 2.0
    assert initializers.get(None) is None
    for name in ("orthogonal", "OrthogonalInitializer", Orthogonal, Orthogonal()):
        assert isinstance(initializers.get(name), Orthogonal)
    with_array = Constant(np.array([1.0, 2.0]))
    restored = Constant.from_config(json.loads(json.dumps(with_array.get_config())))
    np.testing.assert_array_equal(values(restored, (2,)), [1, 2])
    given = initializers.get(np.array([[1.0, 2.0]]))
    np.testing.assert_array_equal(values(given, (1, 2)), [[1, 2]])
    with pytest.raises(ValueError, match=r"has shape \(1, 2\), the variable \(3,\)"):
        given((3,))
    f = lambda shape, dtype=None: 0
    assert initializers.get(f) is f


def test_names_of_custom_objects_win():
    class Mine(RandomNormal):
        pass

    with ksave.custom_object_scope({"mine": Mine}):
        assert isinstance(initializers.get("mine"), Mine)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: initializers.get("glorotuniform"), "not an initializer. Did you mean 'glorot_uniform'"),
        (lambda: initializers.get(3), "3 is not an initializer"),
        (lambda: HeNormal(seed="a"), "seed must be an integer"),
        (lambda: VarianceScaling(scale=-1), "scale must be positive, not -1"),
        (lambda: VarianceScaling(mode="x"), "mode must be one of fan_in"),
        (lambda: VarianceScaling(distribution="x"), "distribution must be one of"),
        (lambda: Identity()((2,)), r"matrices \(2 dimensions\), not a tensor of shape \(2,\)"),
        (lambda: Orthogonal()((2,)), "at least 2 dimensions"),
        (lambda: GlorotUniform()((None, 2)), "needs the size of every dimension"),
        (lambda: STFT(window="foo"), "Unknown window 'foo'"),
        (lambda: STFT(side="x"), "side must be"),
        (lambda: STFT()((2, 3)), "Conv1D kernels"),
        (lambda: Constant([1, 2])((3,)), r"shape \(2,\), which does not broadcast to \(3,\)"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_numbers_are_drawn_on_the_host():
    assert type(draw.truncated_normal((3,), 1)) is np.ndarray
