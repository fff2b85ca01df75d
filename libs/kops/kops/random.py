"""Random tensors. All distributions come from `random_bits`: the same seed gives the same numbers on every engine.

generator = SeedGenerator(42)
normal((2, 3), seed=generator)      # other numbers at each call
normal((2, 3), seed=7)              # always these
"""

from __future__ import annotations

import math
import operator
from typing import Any

import kops
from kops.dtypes import is_float_dtype, is_int_dtype, limits, standardize_dtype
from kops.engine import engine
from kops.ops.random import categorical, dropout, random_below, random_bits, shuffle  # noqa: F401
from kops.seeding import SeedGenerator, draw_seed, global_seed_generator, set_random_seed  # noqa: F401
from kspec import public

_PRECISION = {"float32": 24, "float16": 11, "bfloat16": 8}  # bits of a significand


def _shape(shape: Any) -> tuple[Any, ...]:
    """The sizes; one that TensorFlow knows only at run time stays a tensor."""
    if isinstance(shape, (list, tuple)):
        return tuple(shape)
    if hasattr(shape, "as_list"):
        return tuple(shape.as_list())
    if getattr(shape, "shape", None):
        return tuple(_size(shape[i]) for i in range(shape.shape[0]))
    return (shape,)


def _size(d: Any) -> Any:
    try:
        return operator.index(d)
    except TypeError:
        return d


def _float(dtype: Any, what: str) -> tuple[str, str]:
    """The dtype of a distribution, and that in which it is computed."""
    name = standardize_dtype(dtype)
    if not is_float_dtype(name):
        raise ValueError(f"{what} makes floats; dtype cannot be {name}.")
    name = engine().canonical(name)
    return name, "float64" if name == "float64" else "float32"


def _whole(key: Any, shape: Any, dtype: str, used: int) -> tuple[Any, int]:
    """Whole numbers, uniform over [-2**(p-1), 2**(p-1)), as exact floats; and p, at most `used`."""
    if dtype == "float64":
        bits = kops.right_shift(random_bits(key, (2, *shape)), 6)
        return kops.cast(bits[0], dtype) * 2.0**26 + kops.cast(kops.bitwise_and(bits[1], 2**26 - 1), dtype), 52
    return kops.cast(kops.right_shift(random_bits(key, shape), 32 - used), dtype), used


def _unit(key: Any, shape: Any, dtype: str) -> Any:
    """Uniform over [0, 1): every multiple of the spacing that the dtype has below 1."""
    whole, p = _whole(key, shape, dtype, _PRECISION.get(dtype, 0))
    return kops.add(kops.multiply(whole, 2.0**-p), 0.5)


def _centered(key: Any, shape: Any, dtype: str) -> Any:
    """Uniform over (-1, 1), symmetric, without the ends and 0; `dtype` is float32 or float64."""
    whole, p = _whole(key, shape, dtype, 23)
    return kops.multiply(kops.add(whole, 0.5), 2.0 ** (1 - p))


def open_unit(shape: Any, dtype: str, seed: Any) -> Any:
    """Uniform over (0, 1) without the ends; `dtype` is float32 or float64."""
    return _half_open(_centered(draw_seed(seed), shape, dtype))


def _moved(x: Any, scale: Any, offset: Any, dtype: str) -> Any:
    """`x * scale + offset` in the dtype."""
    if not (isinstance(scale, (int, float)) and scale == 1):
        x = kops.multiply(x, scale if isinstance(scale, (int, float)) else kops.cast(scale, dtype))
    if not (isinstance(offset, (int, float)) and offset == 0):
        x = kops.add(x, offset if isinstance(offset, (int, float)) else kops.cast(offset, dtype))
    return x


@public("keras.random.uniform")
def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers uniform over [minval, maxval).

    Args:
        shape: of the result.
        minval: the lower end, a number or a tensor that broadcasts to `shape`.
        maxval: the upper end.
        dtype: float dtype; default `floatx`.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype.
    """
    dtype, _ = _float(dtype, "uniform")
    x = _unit(draw_seed(seed), _shape(shape), dtype)
    numbers = isinstance(minval, (int, float)) and isinstance(maxval, (int, float))
    return _moved(x, maxval - minval if numbers else kops.subtract(maxval, minval), minval, dtype)


@public("keras.random.normal")
def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers with a normal distribution.

    Args:
        shape: of the result.
        mean: of the distribution, a number or a tensor that broadcasts to `shape`.
        stddev: its standard deviation.
        dtype: float dtype; default `floatx`.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype.
    """
    dtype, wide = _float(dtype, "normal")
    x = kops.erfinv(_centered(draw_seed(seed), _shape(shape), wide)) * math.sqrt(2)
    return kops.cast(_moved(x, stddev, mean, wide), dtype)


@public("keras.random.truncated_normal")
def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers with a normal distribution, cut off two standard deviations from the mean.

    Args:
        shape: of the result.
        mean: of the distribution before it is cut, a number or a tensor that broadcasts to `shape`.
        stddev: its standard deviation.
        dtype: float dtype; default `floatx`.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype.
    """
    dtype, wide = _float(dtype, "truncated_normal")
    u = _centered(draw_seed(seed), _shape(shape), wide) * math.erf(math.sqrt(2))
    x = kops.clip(kops.erfinv(u) * math.sqrt(2), -2.0, 2.0)
    return kops.cast(_moved(x, stddev, mean, wide), dtype)


@public("keras.random.randint")
def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    """Integers uniform over [minval, maxval).

    Args:
        shape: of the result.
        minval: the smallest integer, a number or an integer tensor that broadcasts to `shape`.
        maxval: one more than the largest; at most 2**32 - 1 more than `minval`.
        dtype: integer dtype.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype.
    """
    name = standardize_dtype(dtype)
    if not is_int_dtype(name):
        raise ValueError(f"randint makes integers; dtype cannot be {name}.")
    name = engine().canonical(name)
    minval, maxval = _end(minval), _end(maxval)
    if isinstance(minval, int) and isinstance(maxval, int):
        least, most = limits(name)
        if not 0 < maxval - minval < 2**32 or minval < least or maxval - 1 > most:
            raise ValueError(
                "randint needs minval < maxval, at most 2**32 - 1 apart and in the range of the dtype; got minval "
                f"{minval}, maxval {maxval}, dtype {name}."
            )
    offset = random_below(draw_seed(seed), subtract_integers(maxval, minval), _shape(shape), name)
    return kops.add(offset, minval if isinstance(minval, int) else kops.cast(minval, name))


def _end(value: Any) -> Any:
    """An end of a range of integers; fractions are cut off."""
    if isinstance(value, (int, float)):
        return int(value)
    value = kops.convert_to_tensor(value)
    return value if is_int_dtype(kops.dtype(value)) else kops.cast(value, "int32")


def subtract_integers(a: Any, b: Any) -> Any:
    """`a - b` as what `random_below` takes: Python's exact difference where both are numbers."""
    return engine().convert(a - b, "uint32") if isinstance(a, int) and isinstance(b, int) else kops.subtract(a, b)


# Rejection methods need a number of attempts that depends on the numbers drawn. A fixed number of attempts keeps the
# computation free of loops and host synchronisation; the chance that all of them fail is below.
_GAMMA_ATTEMPTS = 7  # each fails with at most 5%: all, with 1e-9
_GAMMA_ROWS = 2 * _GAMMA_ATTEMPTS + 1
_BINOMIAL_ATTEMPTS = 12  # each fails with at most 25%: all, with 6e-8


def _first_accepted(accepted: Any, values: Any) -> Any:
    """Of each column the first value that was accepted; the first of all where none was."""
    place = kops.argmax(kops.cast(accepted, "int32"), axis=0)
    return kops.take_along_axis(values, kops.expand_dims(place, 0), axis=0)[0]


def _half_open(u: Any) -> Any:
    """From (-1, 1) to (0, 1)."""
    return u * 0.5 + 0.5


def _gamma_of(u: Any, alpha: Any) -> Any:
    """Gamma variates by the squeeze of Marsaglia and Tsang, "A simple method for generating gamma variables" (2000)."""
    n = _GAMMA_ATTEMPTS
    small = alpha < 1.0
    d = kops.where(small, alpha + 1.0, alpha) - 1 / 3
    x = kops.erfinv(u[:n]) * math.sqrt(2)
    v = (1 / 3 / kops.sqrt(d) * x + 1.0) ** 3
    inside = v > 0.0
    v = kops.where(inside, v, 1.0)
    bound = x * x * 0.5 + d * (1.0 - v + kops.log(v))
    chosen = _first_accepted(kops.logical_and(inside, kops.log(_half_open(u[n : 2 * n])) < bound), d * v)
    # A variate of alpha + 1 times U ** (1 / alpha) is one of alpha.
    boost = kops.exp(kops.divide(kops.log(_half_open(u[2 * n])), kops.where(small, alpha, 1.0)))
    boost = kops.where(alpha < 0.0, math.nan, boost)
    return chosen * kops.where(small, boost, 1.0)


@public("keras.random.gamma")
def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers with a gamma distribution of scale 1: density `x ** (alpha - 1) * exp(-x) / gamma(alpha)`.

    Args:
        shape: of the result.
        alpha: shape parameter, positive (below 0 all is NaN), a number or a tensor that broadcasts to `shape`.
        dtype: float dtype; default `floatx`.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype.
    """
    dtype, wide = _float(dtype, "gamma")
    u = _centered(draw_seed(seed), (_GAMMA_ROWS, *_shape(shape)), wide)
    return kops.cast(_gamma_of(u, kops.cast(alpha, wide)), dtype)


@public("keras.random.beta")
def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers with a beta distribution: density proportional to `x ** (alpha - 1) * (1 - x) ** (beta - 1)`.

    Args:
        shape: of the result.
        alpha, beta: positive parameters, numbers or tensors that broadcast to `shape`.
        dtype: float dtype; default `floatx`.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype, in [0, 1].
    """
    dtype, wide = _float(dtype, "beta")
    u = _centered(draw_seed(seed), (2 * _GAMMA_ROWS, *_shape(shape)), wide)
    x, y = _gamma_of(u[:_GAMMA_ROWS], kops.cast(alpha, wide)), _gamma_of(u[_GAMMA_ROWS:], kops.cast(beta, wide))
    return kops.cast(x / kops.maximum(x + y, 1e-30), dtype)


def _stirling(k: Any) -> Any:
    """What Stirling's approximation of log(k!) leaves out; within 3e-4 at 0 and 2e-6 from 3 on."""
    k = k + 1.0
    s = 1.0 / (k * k)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680.0))) / k


def _binomial_inverse(u: Any, n: Any, p: Any) -> Any:
    """The smallest k with P(X <= k) > u, for n * p <= 10."""
    odds = p / (1.0 - p)
    none = (u + n) * 0.0
    term = none + kops.exp(n * kops.log(1.0 - p))

    def step(i: Any, state: Any) -> Any:
        k, term, reached = state
        i = kops.cast(i, "float32")
        k = k + kops.cast(u >= reached, "float32")
        term = term * (odds * kops.maximum(n + 1.0 - i, 0.0) / i)
        return k, term, reached + term

    k, _, _ = kops.fori_loop(1, 46, step, (none, term, term))  # P(X > 45) < 1e-15
    return kops.minimum(k, n)


def _binomial_squeeze(u: Any, n: Any, p: Any) -> Any:
    """Hörmann's algorithm BTRS, "The generation of binomial random variates" (1993), for n * p >= 10."""
    q = 1.0 - p
    spread = kops.sqrt(n * p * q)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    quick = 0.92 - 4.2 / b
    scale = (2.83 + 5.1 / b) * spread
    odds = p / q
    m = kops.floor((n + 1.0) * p)

    x = u[:_BINOMIAL_ATTEMPTS] * 0.5
    v = _half_open(u[_BINOMIAL_ATTEMPTS : 2 * _BINOMIAL_ATTEMPTS])
    edge = 0.5 - kops.absolute(x)
    drawn = kops.floor((a * 2.0 / edge + b) * x + (n * p + 0.5))
    inside = kops.logical_and(drawn >= 0.0, drawn <= n)
    k = kops.minimum(kops.maximum(drawn, 0.0), n)

    height = kops.log(v * scale / (a / (edge * edge) + b))
    rest, peak = n - k + 1.0, n - m + 1.0
    bound = (m + 0.5) * kops.log((m + 1.0) / (odds * peak))
    bound = bound + (n + 1.0) * kops.log(peak / rest)
    bound = bound + (k + 0.5) * kops.log(odds * rest / (k + 1.0))
    bound = bound + _stirling(m) + _stirling(n - m) - (_stirling(k) + _stirling(n - k))
    fast = kops.logical_and(edge >= 0.07, v <= quick)
    return _first_accepted(kops.logical_and(inside, kops.logical_or(fast, height <= bound)), k)


@public("keras.random.binomial")
def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of successes among `counts` independent trials.

    Args:
        shape: of the result.
        counts: number of trials, a number or a tensor that broadcasts to `shape`.
        probabilities: of a success, in [0, 1] (NaN outside of it), likewise.
        dtype: float dtype; default `floatx`.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor of that shape and dtype, holding whole numbers.
    """
    dtype, _ = _float(dtype, "binomial")
    n, p = kops.cast(counts, "float32"), kops.cast(probabilities, "float32")
    u = _centered(draw_seed(seed), (2 * _BINOMIAL_ATTEMPTS + 1, *_shape(shape)), "float32")
    # Both methods want the rarer outcome, and each sees only parameters of its own domain.
    mirrored = p > 0.5
    rare = kops.where(mirrored, 1.0 - p, p)
    many = n * rare >= 10.0
    few = _binomial_inverse(_half_open(u[2 * _BINOMIAL_ATTEMPTS]), n, kops.where(many, 0.0, rare))
    lots = _binomial_squeeze(u, kops.where(many, n, 40.0), kops.where(many, rare, 0.5))
    hits = kops.where(many, lots, few)
    hits = kops.where(mirrored, n - hits, hits)
    return kops.cast(kops.where(kops.logical_and(p >= 0.0, p <= 1.0), hits, math.nan), dtype)
