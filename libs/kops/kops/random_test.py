"""Bits against an implementation in plain integers, distributions against SciPy's, seeds against call order."""

from __future__ import annotations

import random as python_random
import shutil

import numpy as np
import pytest

from kops import random
from kops.dtypes import standardize_dtype
from kops.engine import engine
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.ops.random import random_below, random_bits
from kops.random_hash import host_bits
from kops.scopes import StatelessScope
from kops.seeding import SeedGenerator, draw_seed, set_random_seed

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

N = 40_000


def host(x):
    return np.asarray(engine().to_numpy(x))


def wide(x):
    return host(x).astype("float64")


def seed_of(low, high=0):
    return engine().convert(np.array([low, high], "uint32"), engine().SEED_DTYPE)


def bits_in_integers(seed, index):
    """One element, word by word, from the text of `kops.random_hash`."""
    m = 2**32

    def mix(w):
        w ^= w >> 16
        w = w * 0x7FEB352D % m
        w ^= w >> 15
        w = w * 0x846CA68B % m
        return w ^ w >> 16

    v, w = mix((seed[0] + 0x9E3779B9) % m), mix((seed[1] + 0x85EBCA6B) % m)
    k0, k1 = mix((v + w * 0x9E3779B1) % m), mix((w + v * 0x9E3779B1) % m)
    x = (index + k0) % m
    x ^= x >> 17
    x = x * 0xED5AD4BB % m ^ k1
    x ^= x >> 11
    x = x * 0xAC4C1B51 % m
    x ^= x >> 15
    x = x * 0x31848BAB % m
    x ^= x >> 14
    return x - m if x >= 2**31 else x


@pytest.mark.parametrize("seed", [(0, 0), (1, 2), (2**32 - 1, 2**31), (123456789, 987654321)])
def test_bits_on_every_engine(seed):
    want = [bits_in_integers(seed, i) for i in range(12)]
    got = random_bits(seed_of(*seed), (3, 4))
    assert engine().dtype_name(got) == "int32"
    assert host(got).ravel().tolist() == want
    assert host_bits(seed, (12,)).tolist() == want


def test_bits_across_chunks():
    count = 70_000  # more than two chunks of the NumPy implementation
    got = host(random_bits(seed_of(5, 6), (count,)))
    assert np.array_equal(got, host_bits((5, 6), (count,)))
    for i in (32767, 32768, 65535, 65536, 69999):
        assert got[i] == bits_in_integers((5, 6), i)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)])
def test_small_and_empty_shapes(shape):
    assert tuple(host(random_bits(seed_of(1), shape)).shape) == shape
    assert host(random.normal(shape, seed=1)).shape == shape
    assert host(random.randint(shape, 0, 3, seed=1)).shape == shape


def test_too_many_elements():
    with pytest.raises(ValueError, match=r"2\*\*31 elements"):
        random_bits(KerasTensor((2,), "int32"), (2**16, 2**16))


def test_bits_pass_tests_of_randomness():
    """Frequencies of bits, correlations along the stream and between neighbouring seeds."""
    u = (host_bits((1, 0), (400_000,)).view(np.uint32) / 2**32) - 0.5
    for lag in (1, 2, 3, 16, 1024):
        z = np.mean(u[:-lag] * u[lag:]) * 12 * np.sqrt(len(u) - lag)
        assert abs(z) < 4.5, (lag, z)
    bits = (host_bits((2, 0), (200_000,))[:, None] >> np.arange(32)) & 1
    assert np.abs((bits.mean(0) - 0.5) * 2 * np.sqrt(len(bits))).max() < 4.5
    heads = np.stack([host_bits((s, 0), (64,)).view(np.uint32) for s in range(3000)]) / 2**32 - 0.5
    z = np.mean(heads[1:] * heads[:-1]) * 12 * np.sqrt(heads[1:].size)
    assert abs(z) < 4.5
    assert stats.kstest(heads[:, 0] + 0.5, "uniform").pvalue > 1e-4


def check_distribution(values, cdf):
    p = stats.kstest(wide(values).ravel(), cdf).pvalue
    assert p > 1e-3, p


def test_uniform():
    x = random.uniform((200, 200), -2.0, 3.0, seed=4)
    check_distribution(x, stats.uniform(-2, 5).cdf)
    assert wide(x).min() >= -2 and wide(x).max() < 3


def test_normal():
    x = random.normal((200, 200), mean=1.0, stddev=2.0, seed=4)
    check_distribution(x, stats.norm(1, 2).cdf)
    assert abs(wide(x).mean() - 1) < 0.05 and abs(stats.kurtosis(wide(x).ravel())) < 0.1


def test_truncated_normal():
    x = random.truncated_normal((N,), mean=1.0, stddev=0.5, seed=4)
    check_distribution(x, stats.truncnorm(-2, 2, 1, 0.5).cdf)
    assert wide(x).min() >= 0 and wide(x).max() <= 2


def test_randint():
    x = host(random.randint((N,), -3, 7, seed=4))
    assert x.min() == -3 and x.max() == 6
    assert stats.chisquare(np.bincount(x + 3, minlength=10)).pvalue > 1e-3


def test_integers_below_are_exact():
    """Against Python's unlimited integers, for spans up to the largest."""
    for span in (1, 2, 3, 1000, 2**16 + 1, 2**31 - 1, 2**31, 2**32 - 1):
        got = random_below(seed_of(9), engine().convert(np.array(span, "uint32"), "uint32"), (4,), "int32")
        words = host_bits((9, 0), (2, 4)).view(np.uint32).astype(object) >> 1
        want = [(int(b) * span + (int(a) * span >> 31)) >> 31 for a, b in zip(*words)]
        assert host(got).view("uint32").tolist() == want, span


def test_full_range_of_int32():
    x = host(random.randint((N,), -(2**31), 2**31 - 1, seed=4)).astype("float64")
    check = stats.kstest(x, stats.uniform(-(2**31), 2.0**32).cdf).pvalue
    assert check > 1e-3 and x.min() < -2.1e9 and x.max() > 2.1e9


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5, 40.0])
def test_gamma(alpha):
    check_distribution(random.gamma((N // 2,), alpha, seed=4), stats.gamma(alpha).cdf)


@pytest.mark.parametrize("a, b", [(0.5, 0.7), (2.0, 5.0)])
def test_beta(a, b):
    check_distribution(random.beta((N // 2,), a, b, seed=4), stats.beta(a, b).cdf)


@pytest.mark.parametrize("n, p", [(1, 0.3), (12, 0.9), (30, 0.5), (500, 0.02), (1000, 0.7), (10, 0.0), (10, 1.0)])
def test_binomial(n, p):
    x = host(random.binomial((N // 2,), n, p, seed=4)).astype(int)
    if p in (0.0, 1.0):
        assert (x == n * p).all()
        return
    dist = stats.binom(n, p)
    low, high = int(dist.ppf(0.001)), int(dist.ppf(0.999))
    found = np.bincount(np.clip(x, low, high) - low, minlength=high - low + 1)
    want = dist.pmf(np.arange(low, high + 1))
    want[0], want[-1] = dist.cdf(low), dist.sf(high - 1)
    keep = want * len(x) > 5
    f, w = [*found[keep], found[~keep].sum()], [*want[keep], want[~keep].sum()]
    if w[-1] == 0:
        f, w = f[:-1], w[:-1]
    assert stats.chisquare(f, np.array(w) / np.sum(w) * np.sum(f)).pvalue > 1e-4


def test_parameters_may_be_tensors():
    mean = np.array([0.0, 100.0], "float32")
    assert np.allclose(wide(random.normal((2000, 2), mean=mean, stddev=0.1, seed=1)).mean(0), mean, atol=0.05)
    low, high = np.array([0, 10], "int32"), np.array([5, 20], "int32")
    x = host(random.randint((500, 2), low, high, seed=1))
    assert x.min(0).tolist() == [0, 10] and x.max(0).tolist() == [4, 19]
    assert np.allclose(
        wide(random.gamma((N, 2), np.array([0.5, 3.0], "float32"), seed=1)).mean(0), [0.5, 3.0], atol=0.05
    )
    x = wide(random.binomial((N, 2), np.array([5.0, 200.0]), np.array([0.2, 0.5]), seed=1)).mean(0)
    assert np.allclose(x, [1, 100], atol=0.3)


def test_categorical():
    logits = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-9]], "float32"))
    x = host(random.categorical(logits, N, seed=4))
    assert x.shape == (2, N) and x.dtype == np.int32
    assert stats.chisquare(np.bincount(x[0], minlength=3), np.array([0.1, 0.2, 0.7]) * N).pvalue > 1e-3
    assert set(x[1]) == {0, 1}
    with pytest.raises(ValueError, match=r"\(batch, classes\), not \(3,\)"):
        random.categorical(logits[0], 2)


def test_shuffle():
    x = np.arange(60).reshape(20, 3)
    y = host(random.shuffle(x, seed=1))
    assert sorted(y[:, 0].tolist()) == x[:, 0].tolist() and y.tolist() != x.tolist()
    assert np.array_equal(y - y[:, :1], x - x[:, :1])  # rows stay whole
    z = host(random.shuffle(x, axis=1, seed=1))
    assert np.array_equal(np.sort(z, 1), x)
    first = [host(random.shuffle(np.arange(4), seed=s))[0] for s in range(200)]
    assert stats.chisquare(np.bincount(first, minlength=4)).pvalue > 1e-3


def test_dropout():
    x = np.ones((200, 200), "float32")
    y = wide(random.dropout(x, 0.3, seed=1))
    assert np.allclose(np.unique(y), [0, 1 / 0.7])
    assert abs((y == 0).mean() - 0.3) < 0.01
    rows = wide(random.dropout(x, 0.5, noise_shape=(None, 1), seed=1))
    assert (rows == rows[:, :1]).all() and 0 < (rows[:, 0] == 0).mean() < 1
    assert (host(random.dropout(x, 0.0)) == 1).all() and (host(random.dropout(x, 1.0)) == 0).all()


def test_dropout_drops_infinities_too():
    y = wide(random.dropout(np.full(100, np.inf, "float32"), 0.5, seed=1))
    assert set(np.unique(y)) == {0.0, np.inf}


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_dropout_rate(rate):
    for x in (np.ones(3, "float32"), KerasTensor((3,))):
        with pytest.raises(ValueError, match=rf"dropout: rate is the fraction to drop, in \[0, 1\]; got {rate}"):
            random.dropout(x, rate)


def test_dropout_wrong_arguments():
    with pytest.raises(ValueError, match="needs floats, not int32"):
        random.dropout(np.ones(3, "int32"), 0.5)
    with pytest.raises(ValueError, match="must broadcast"):
        random.dropout(np.ones((2, 3), "float32"), 0.5, noise_shape=(2, 2))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", ["uniform", "normal", "truncated_normal"])
def test_dtypes(name, dtype):
    x = getattr(random, name)((N,), dtype=dtype, seed=1)
    assert engine().dtype_name(x) == engine().canonical(dtype)
    x = wide(x)
    if name == "uniform":
        assert 0 <= x.min() and x.max() < 1
        assert len(np.unique(x)) <= {"bfloat16": 256, "float16": 2048}.get(dtype, N)
    assert np.isfinite(x).all() and abs(x.mean() - (0.5 if name == "uniform" else 0)) < 0.02


@pytest.mark.parametrize("name, args", [("gamma", (2.0,)), ("beta", (2.0, 3.0)), ("binomial", (9, 0.5))])
def test_dtypes_of_others(name, args):
    for dtype in ("float16", "bfloat16", "float32"):
        assert engine().dtype_name(getattr(random, name)((4,), *args, dtype=dtype, seed=1)) == dtype
    assert engine().dtype_name(random.randint((4,), 0, 5, dtype="uint8", seed=1)) == "uint8"
    assert engine().dtype_name(random.dropout(engine().convert(np.ones(3), "bfloat16"), 0.5)) == "bfloat16"


@pytest.mark.parametrize("name", ["uniform", "normal", "truncated_normal"])
def test_floats_need_a_float_dtype(name):
    with pytest.raises(ValueError, match="makes floats; dtype cannot be int32"):
        getattr(random, name)((2,), dtype="int32")


def test_integers_need_an_integer_dtype_and_a_range():
    with pytest.raises(ValueError, match="makes integers; dtype cannot be float32"):
        random.randint((2,), 0, 5, dtype="float32")
    with pytest.raises(ValueError, match="minval 5, maxval 5"):
        random.randint((2,), 5, 5)
    with pytest.raises(ValueError, match="maxval 257, dtype uint8"):
        random.randint((2,), 0, 257, dtype="uint8")
    assert set(host(random.randint((100,), np.float32(0.5), [2.5], seed=1)).tolist()) == {0, 1}  # fractions are cut


def test_parameters_without_a_distribution_give_nan():
    alpha = np.array([-2.0, -0.1, 1.0], "float32")
    assert np.isnan(host(random.gamma((3,), alpha, seed=1))).tolist() == [True, True, False]
    assert np.isnan(host(random.beta((3,), alpha, 2.0, seed=1))).tolist() == [True, True, False]
    p = np.array([-0.1, 1.5, 0.5, 0.0, 1.0], "float32")
    assert np.isnan(host(random.binomial((5,), 9, p, seed=1))).tolist() == [True, True, False, False, False]


# Seeds


def test_an_integer_seed_is_always_the_same():
    assert np.array_equal(host(random.normal((5,), seed=7)), host(random.normal((5,), seed=7)))
    assert not np.array_equal(host(random.normal((5,), seed=7)), host(random.normal((5,), seed=8)))
    assert not np.array_equal(host(random.normal((5,), seed=7)), host(random.normal((5,), seed=7 + 2**32)))


def test_generator_moves_on_and_starts_over():
    a, b = SeedGenerator(5), SeedGenerator.from_config({"seed": 5})
    assert host(a.next()).tolist() == [5, 0]
    assert host(a.next()).tolist() == [5, 1]
    assert host(a.state.value).tolist() == [5, 2]
    first = [host(random.uniform((3,), seed=b)) for _ in range(3)]
    assert len({x.tobytes() for x in first}) == 3
    b.state.assign(np.array([5, 1]))
    assert np.array_equal(host(random.uniform((3,), seed=b)), first[1])


def test_generator_s_variable():
    g = SeedGenerator(5, name="mine")
    assert g.state.path == "mine/seed_generator_state" and g.state.shape == (2,) and not g.state.trainable
    assert g.get_config() == {"seed": 5, "name": "mine"}
    assert standardize_dtype(g.state.dtype) == engine().SEED_DTYPE
    assert SeedGenerator(None).get_config()["seed"] is None


@pytest.mark.parametrize("wrong", [-1, "a", 1.5, True])
def test_wrong_seeds(wrong):
    with pytest.raises(ValueError, match="seed must"):
        SeedGenerator(wrong)
    with pytest.raises(ValueError, match="seed must"):
        random.uniform((2,), seed=wrong)


def test_generator_refuses_unknown_arguments():
    with pytest.raises(ValueError, match="unknown arguments: foo"):
        SeedGenerator(3, foo=1)


def test_a_seed_tensor():
    key = SeedGenerator(3).next()
    assert np.array_equal(host(random.uniform((4,), seed=key)), host(random.uniform((4,), seed=3)))
    with pytest.raises(ValueError, match="tensor of two integers"):
        draw_seed(np.ones(3, "int32"))


def test_set_random_seed():
    def sample():
        return (
            host(random.normal((3,))).tolist(),
            host(random.normal((3,))).tolist(),
            SeedGenerator().state.numpy().tolist(),
            python_random.random(),
            np.random.rand(),
        )

    set_random_seed(11)
    one = sample()
    set_random_seed(11)
    assert sample() == one
    set_random_seed(12)
    assert sample()[0] != one[0] and one[0] != one[1]
    for wrong in ("a", 3.0, -1, 2**32):
        with pytest.raises(ValueError, match="set_random_seed takes an integer"):
            set_random_seed(wrong)


def test_stateless_scope_keeps_the_generator():
    g = SeedGenerator(5)
    with StatelessScope([(g.state, seed_of(5, 10))]) as scope:
        inside = host(random.uniform((3,), seed=g))
        after = host(scope.get_current_value(g.state)).tolist()
    assert after == [5, 11] and host(g.state.value).tolist() == [5, 0]
    assert np.array_equal(inside, host(random.uniform((3,), seed=seed_of(5, 10))))


# Symbolic


def test_symbolic():
    x = KerasTensor((None, 3), "float16")
    for y in (random.dropout(x, 0.5, seed=1), random.shuffle(x)):
        assert (y.shape, y.dtype) == ((None, 3), "float16")
    y = random.categorical(KerasTensor((None, 4)), 5, dtype="int64")
    assert (y.shape, y.dtype) == ((None, 5), engine().canonical("int64"))
    with pytest.raises(ValueError, match="categorical: logits must have shape"):
        random.categorical(KerasTensor((4,)), 5)


def test_graph_draws_anew():
    x = KerasTensor((None, 50))
    f = Function(x, random.dropout(x, 0.5, seed=SeedGenerator(1)))
    a, b = (wide(f(np.ones((1, 50), "float32"))) for _ in range(2))
    assert not np.array_equal(a, b) and set(np.unique(a)) == {0.0, 2.0}


# Compiled


def _functions():
    e = engine()
    logits, numbers, ones = (
        e.convert(x, None) for x in (np.zeros((2, 4), "float32"), np.arange(6, dtype="int32"), np.ones(9, "float32"))
    )
    return [
        lambda key: random.uniform((3, 2), -1.0, 1.0, seed=key),
        lambda key: random.normal((3, 2), seed=key),
        lambda key: random.truncated_normal((3,), seed=key),
        lambda key: random.randint((4,), -5, 2**31 - 1, seed=key),
        lambda key: random.categorical(logits, 3, seed=key),
        lambda key: random.shuffle(numbers, seed=key),
        lambda key: random.dropout(ones, 0.4, seed=key),
        lambda key: random.gamma((3,), 0.7, seed=key),
        lambda key: random.binomial((3,), 40.0, 0.4, seed=key),
        lambda key: random.uniform((3,), seed=12),
    ]


FUNCTIONS = _functions()


def _all_of_them(key):
    return [f(key) for f in FUNCTIONS]


@pytest.mark.skipif(engine().NAME not in ("jax", "torch", "tensorflow"), reason="compiles nothing")
def test_compiled_gives_the_same():
    key = seed_of(3, 4)
    if engine().NAME == "jax":
        import jax

        run = jax.jit(_all_of_them)
    elif engine().NAME == "torch":
        import torch

        torch._dynamo.reset()
        run = torch.compile(_all_of_them, fullgraph=True, backend="eager")
    else:
        import tensorflow as tf

        run = tf.function(_all_of_them)
    for a, b in zip(run(key), _all_of_them(key)):
        assert np.allclose(wide(a), wide(b), rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(engine().NAME != "torch" or not shutil.which("g++"), reason="PyTorch's compiler")
def test_compiled_to_machine_code_with_a_seed_that_is_a_constant():
    import torch

    torch._dynamo.reset()
    run = torch.compile(lambda x: x + random.randint((7,), 0, 1000, seed=3, dtype="int32"))
    assert np.array_equal(host(run(torch.zeros(7))), host(random.randint((7,), 0, 1000, seed=3, dtype="int32")))


@pytest.mark.skipif(engine().NAME != "jax", reason="JAX")
def test_vmap_over_seeds_and_state_through_jit():
    import jax

    keys = np.array([[1, 0], [2, 0]], "uint32")
    many = jax.vmap(lambda k: random.normal((3,), seed=k))(keys)
    assert np.allclose(many[1], host(random.normal((3,), seed=2)), atol=1e-6)
    g = SeedGenerator(5)

    @jax.jit
    def step(state):
        with StatelessScope([(g.state, state)]) as scope:
            return random.uniform((2,), seed=g), scope.get_current_value(g.state)

    x, state = step(g.state.value)
    y, _ = step(state)
    assert np.allclose(x, host(random.uniform((2,), seed=g))) and np.allclose(y, host(random.uniform((2,), seed=g)))


@pytest.mark.skipif(engine().NAME != "jax", reason="JAX")
def test_a_generator_outside_of_a_scope_is_refused_under_jit():
    import jax

    g = SeedGenerator(5)
    with pytest.raises(ValueError, match="StatelessScope"):
        jax.jit(lambda: random.normal((2,), seed=g))()
    assert host(g.state.value).tolist() == [5, 0]


@pytest.mark.skipif(engine().NAME != "torch", reason="PyTorch")
def test_torch_tracers():
    import torch

    g = SeedGenerator(5)
    torch._dynamo.reset()
    step = torch.compile(lambda x: random.dropout(x, 0.5, seed=g), fullgraph=True, backend="eager")
    a, b = step(torch.ones(50)), step(torch.ones(50))
    assert not torch.equal(a, b) and host(g.state.value).tolist() == [5, 2]
    with torch._subclasses.fake_tensor.FakeTensorMode(allow_non_fake_inputs=True):
        assert random.normal((3, 2), seed=seed_of(1)).shape == (3, 2)
    keys = torch.tensor([[1, 0], [2, 0]])
    many = torch.func.vmap(lambda k: random.uniform((3,), seed=k))(keys)
    assert np.allclose(host(many[1]), host(random.uniform((3,), seed=2)))


@pytest.mark.skipif(engine().NAME != "tensorflow", reason="TensorFlow")
def test_tensorflow_unknown_sizes():
    import tensorflow as tf

    g = SeedGenerator(5)

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        return random.dropout(x, 0.5, seed=g), random.shuffle(x, seed=1), random.uniform(tf.shape(x), seed=2)

    for rows in (2, 7):
        dropped, shuffled, uniform = f(tf.ones((rows, 3)))
        assert dropped.shape == shuffled.shape == uniform.shape == (rows, 3)
        assert np.allclose(uniform, host(random.uniform((rows, 3), seed=2)))
    assert host(g.state.value).tolist() == [5, 2]
    assert tf.function(lambda: random.normal((3, 2), seed=1), jit_compile=True)().shape == (3, 2)
