"""Values where numbers end: infinities, NaN, zeros of either sign, overflow, nothing to reduce, halves of floats.

Rows as in the suite, against NumPy, SciPy and closed forms in float64.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from scipy import special

from kops.conformance import collect
from kops.conformance.rows import B, F, I, L, row
from kops.conformance.trial import Trial, check_close, outputs
from kops.engine import engine

INF, NAN = float("inf"), float("nan")
ALL = L([0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 2.5, -3.5, 90.0, -90.0, 1e4, -1e4, INF, -INF, NAN])
HALVES = ("float32", "float16", "bfloat16")
MATRIX = L([[1.0, NAN, 3.0], [INF, 2.0, -INF], [-INF, -INF, -INF], [INF, 1.0, INF], [NAN, NAN, NAN]])
X = np.array([0.0, 0.3, -0.7, 1.0, 7.0, INF, -INF, NAN])
PAIRS = [L(np.repeat(X, len(X))), L(np.tile(X, len(X)))]


def edge(op, *args, ref, **facts):
    facts.setdefault("dtypes", ("float32", "float64"))
    return row(op, *args, ref=ref, sweep=(), note="for its values", **facts)


def _names(text):
    return text.split()


def _pair(name, ref=None, **facts):
    return edge(name, *PAIRS, ref=ref or getattr(np, name), **facts)


def _divmod_rows():
    ints = L(np.repeat([7, -7, 0, -128, 127, 1], 5)), L(np.tile([3, -3, 1, -1, 127], 6))
    out = []
    for name in ("floor_divide", "mod", "fmod"):
        f = getattr(np, name)

        def wrapped(x, y, f=f):
            return f(x.astype(np.int8), y.astype(np.int8))

        out.append(edge(name, *ints, ref=wrapped, dtypes=("int8",)))
        out.append(edge(name, *ints, ref=f, dtypes=("int32", "int64")))
        out.append(edge(name, *PAIRS, ref=f))
        out.append(
            edge(
                name,
                L([5.5, -5.5, 5.5, -5.5, 6.0, -6.0]),
                L([2.0, 2.0, -2.0, -2.0, -2.0, 2.0]),
                ref=f,
                dtypes=("float16", "float64"),
            )
        )
        out.append(edge(name, L([200, 255, 7, 0]), L([7, 255, 200, 3]), ref=f, dtypes=("uint8", "uint32")))
    return out


def _stable_softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _softplus(x):
    return np.logaddexp(x, 0)


def _elu(x, a=1.0):
    return np.where(x > 0, x, a * np.expm1(np.minimum(x, 0)))


def _gelu(x, approximate):
    with np.errstate(all="ignore"):
        if approximate:
            y = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        else:
            y = 0.5 * x * special.erfc(-x / np.sqrt(2))
    return y


FUNCTIONS = [
    edge(name, ALL, ref=getattr(np, name), dtypes=("float32", "float64", "float16"), tol=1e-4)
    for name in _names(
        "absolute negative sqrt exp expm1 exp2 log log2 log10 log1p tanh sinh cosh arcsinh arctan sign "
        "square floor ceil trunc round isnan isfinite isinf cbrt signbit reciprocal"
    )
]
FUNCTIONS += [
    edge(name, L([0.0, 1.0, -1.0, 1.5, -1.5, INF, -INF, NAN]), ref=getattr(np, name), tol=1e-4)
    for name in _names("sin cos tan arcsin arccos arctanh arccosh sinc i0")
]
FUNCTIONS += [
    edge(name, ALL, ref=ref, tol=1e-5, dtypes=("float32", "float64", "float16"))
    for name, ref in {
        "erf": special.erf, "erfc": special.erfc,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6),
        "leaky_relu": lambda x: np.where(x < 0, 0.2 * x, x),
        "elu": _elu, "selu": lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772),
        # Products with what vanishes at -inf are NaN there, as of the formulas.
        "celu": _elu, "silu": lambda x: x * special.expit(x), "sigmoid": special.expit,
        "log_sigmoid": lambda x: -_softplus(-x), "softplus": _softplus,
        "softsign": lambda x: x / (1 + np.abs(x)),
        "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
        "hard_silu": lambda x: x * np.clip(x + 3, 0, 6) / 6,
        "hard_tanh": lambda x: np.clip(x, -1, 1),
        "hard_shrink": lambda x: np.where(np.abs(x) <= 0.5, 0, x),
        "soft_shrink": lambda x: np.where(np.isnan(x), x, np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
        "tanh_shrink": lambda x: x - np.tanh(x),
        "squareplus": lambda x: np.where(x == -INF, 0, (x + np.sqrt(x * x + 4)) / 2),
        "sparse_plus": lambda x: np.where(x <= -1, 0, np.where(x < 1, (x + 1) ** 2 / 4, x)),
        "sparse_sigmoid": lambda x: np.clip((x + 1) / 2, 0, 1),
    }.items()
]  # fmt: skip
FUNCTIONS += [
    edge("gelu", ALL, approximate=True, ref=_gelu, tol=1e-4),
    # PyTorch's vectorized kernel is NaN at infinity.
    edge("gelu", L([0.0, 1.0, -1.0, 5.0, -5.0, 90.0, -90.0, 1e4, -1e4]), approximate=False, ref=_gelu),
    edge("log_sigmoid", L([-1000.0, -50.0, 0.0, 50.0, 1000.0]), ref=lambda x: -_softplus(-x)),
    edge("softplus", L([-1000.0, -40.0, -20.0, 20.0, 40.0, 1000.0]), ref=_softplus, tol=1e-9,
         dtypes=("float64",)),
    edge("log_sigmoid", L([40.0, 60.0]), ref=lambda x: -np.exp(-x), tol=1e-18),
    edge("sigmoid", L([-80.0, -50.0]), ref=lambda x: np.exp(x), tol=1e-25),
    edge("threshold", L([NAN, INF, -INF, 1.0]), 0.5, 9.0, ref=lambda x, t, v: np.where(x <= t, v, x)),
    edge("clip", ALL, -1.0, 1.0, ref=np.clip, dtypes=HALVES),
    edge("clip", ALL, None, 1.0, ref=np.clip),
    edge("clip", ALL, -1.0, None, ref=np.clip),
    edge("clip", L([0.5, 5.0]), 2.0, 1.0, ref=np.clip),
    edge("nan_to_num", ALL, ref=lambda x: np.nan_to_num(x.astype(np.float32)), dtypes=("float32",)),
]  # fmt: skip

COMPLEX = [
    edge(name, L([-1 + 0j, -4 + 0j, 1j, -2 + 1j, 2 - 1j, -2 - 1j, 0.5j, 3 + 0j]), ref=getattr(np, name),
         dtypes=("complex64",))
    for name in _names("sqrt log log10 log2 arccos arcsin arctan arcsinh arccosh arctanh exp expm1 sin cos tan sinh "
    "cosh tanh angle absolute sign square reciprocal isfinite isnan isinf conjugate real imag")
]  # fmt: skip
COMPLEX += [
    edge("power", L([-1 + 0j, -8 + 0j, 1j]), L([0.5 + 0j, 1 / 3 + 0j, 2 + 0j]), ref=np.power),
    edge("power", L([-1 + 0j, 2j]), 0.5, ref=np.power),
    edge("log1p", L([-2 + 0j, 1j, -2 - 1j, 1e-6 + 1e-6j]), ref=np.log1p),
    edge("angle", L([INF, -INF, NAN, -1.0, 2.0]), ref=np.angle),
    edge("isnan", L([NAN + 1j, 1 + 1j * NAN, 2j]), ref=np.isnan),
    edge("sum", L([[1 + 1j, 2 - 1j]]), axis=1, ref=np.sum),
    edge("prod", L([[1 + 1j, 2 - 1j]]), axis=1, ref=np.prod),
    edge("mean", L([[1 + 1j, 2 - 1j]]), axis=1, ref=np.mean),
    edge("var", L([[1 + 1j, 2 - 1j]]), axis=1, ref=np.var),
    edge("std", L([[1 + 1j, 2 - 1j]]), axis=1, ref=np.std),
    edge("norm", L([3 + 4j, 12j]), ref=np.linalg.norm),
    edge("vdot", L([1 + 1j, 2j]), L([1j, 3.0 + 0j]), ref=np.vdot),
    edge("cumsum", L([1 + 1j, 2j]), ref=np.cumsum),
    edge("equal", L([1 + 1j, 2j]), L([1 + 1j, 2.0 + 0j]), ref=np.equal),
]  # fmt: skip

BINARY = [
    *[_pair(n) for n in _names("add subtract multiply divide maximum minimum fmax fmin hypot logaddexp logaddexp2 "
      "power arctan2 less equal greater_equal not_equal heaviside")],
    _pair("divide_no_nan", lambda x, y: np.where(y == 0, 0, x / np.where(y == 0, 1, y))),
    *_divmod_rows(),
    edge("power", L([0.0, 0.0, -0.0, 0.0, -8.0, -8.0, 1.0, NAN, INF, -1.0]),
         L([0.0, -1.0, -3.0, 2.0, 2.0, 0.5, NAN, 0.0, -1.0, INF]), ref=np.power),
    edge("ldexp", L([1.0, -1.0, 0.0, INF, NAN]), L([10, -3, 7, 2, 1]), ref=np.ldexp),
    edge("arctan2", L([0.0, -0.0, 0.0, -0.0]), L([-0.0, -0.0, 0.0, 0.0]), ref=np.arctan2),
    *[edge(n, L([7, -7, 0]), L([0, 0, 0]), ref=np.zeros(3, int), dtypes=("int32", "int8", "int64"))
      for n in ("floor_divide", "mod", "fmod")],
    edge("floor_divide", L([7, -7]), 0, ref=np.zeros(2, int), dtypes=("int32",)),
    edge("mod", 7, L([0, 4]), ref=np.array([0, 3]), dtypes=("int32",)),
    edge("isclose", *PAIRS, ref=np.isclose),
    edge("add", L([127, -128, 100]), L([1, -1, 100]), ref=np.array([-128, 127, -56]), dtypes=("int8",)),
    edge("add", L([2**31 - 1, -(2**31)]), L([1, -1]), ref=np.array([-(2**31), 2**31 - 1]), dtypes=("int32",)),
    edge("subtract", L([0, 3]), L([1, 5]), ref=np.array([255, 254]), dtypes=("uint8",)),
    edge("multiply", L([2**30, 65536]), L([4, 65536]), ref=np.array([0, 0]), dtypes=("int32",)),
    edge("negative", L([-128, 127]), ref=np.array([-128, -127]), dtypes=("int8",)),
    edge("absolute", L([-128, 127]), ref=np.array([-128, 127]), dtypes=("int8",)),
    edge("square", L([16, 100]), ref=np.array([0, 16]), dtypes=("int8",)),
    edge("power", L([2, 2, 3]), L([31, 32, 21]), ref=np.array([-(2**31), 0, 1870418611]), dtypes=("int32",)),
    edge("sum", L([2**31 - 1, 1]), ref=np.array(-(2**31)), dtypes=("int32",)),
    edge("sum", L([100] * 5), ref=np.array(500), dtypes=("int8", "uint8")),
    edge("cumsum", L([100, 100]), ref=np.array([100, -56]), dtypes=("int8",)),
    edge("prod", L([65536, 65536]), ref=np.array(0), dtypes=("int32",)),
    edge("dot", L([100, 100]), L([100, 100]), ref=np.array(20000), dtypes=("int32", "int64")),
]  # fmt: skip


def _argref(f):
    return lambda x, axis: f(x, axis=axis)


def _logsumexp(x, axis=None, keepdims=False):
    return special.logsumexp(x, axis=axis, keepdims=keepdims)


def _nan_index(f):
    def ref(x, axis):
        filled = np.where(np.isnan(x), -INF if f is np.argmax else INF, x)
        return np.where(np.isnan(x).all(axis), -1, f(filled, axis=axis))

    return ref


REDUCTIONS = [
    *[edge(n, MATRIX, axis=axis, ref=getattr(np, n), dtypes=HALVES[: 3 - 2 * axis])
      for n in _names("sum prod mean max min argmax argmin var std all any count_nonzero ptp median "
      "nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian cumsum cumprod nancumsum nancumprod")
      for axis in (0, 1)],
    edge("nanargmax", MATRIX, axis=1, ref=_nan_index(np.argmax)),
    edge("nanargmin", MATRIX, axis=1, ref=_nan_index(np.argmin)),
    edge("nanargmax", L([-INF, NAN]), axis=0, ref=np.array(0)),
    edge("nanargmax", L([NAN, -INF]), axis=0, ref=np.array(1)),
    edge("nanargmin", L([NAN, INF]), axis=0, ref=np.array(1)),
    edge("logsumexp", L([[1.0, NAN], [INF, -INF], [-INF, -INF], [INF, INF], [1e4, 1e4], [-1e4, -1e4]]), axis=1,
         ref=_logsumexp, dtypes=HALVES),
    edge("sort", MATRIX, axis=1, ref=np.sort, dtypes=HALVES),
    edge("argsort", MATRIX, axis=1, ref=lambda x, axis: np.argsort(x, axis, kind="stable"), dtypes=HALVES),
    edge("argsort", I(4, 50, high=3), ref=lambda x: np.argsort(x, -1, kind="stable"), dtypes=("int32", "int8")),
    edge("argsort", B(3, 20), ref=lambda x: np.argsort(x, -1, kind="stable")),
    edge("argmax", L([3, 1, 3, 1]), ref=np.array(0), dtypes=("int32", "uint8", "int64")),
    edge("argmin", L([3, 1, 3, 1]), ref=np.array(1), dtypes=("int32", "uint8")),
    edge("argmax", L([1.0, 3.0, 3.0]), ref=np.array(1), dtypes=HALVES),
    edge("top_k", L([1.0, NAN, 3.0, INF]), k=3, ref=lambda x, k: (np.array([NAN, INF, 3.0]), np.array([1, 3, 2]))),
    edge("top_k", L([2.0, 3.0, 3.0, 2.0]), k=4, ref=lambda x, k: (np.array([3.0, 3, 2, 2]), np.array([1, 2, 0, 3]))),
    edge("searchsorted", L([1.0, 2.0, 2.0, INF]), L([NAN, INF, -INF, 2.0, 5.0]), ref=np.searchsorted),
    edge("searchsorted", L([1.0, 2.0, 2.0, INF]), L([NAN, INF, -INF, 2.0, 5.0]), side="right", ref=np.searchsorted),
    edge("searchsorted", L([1.0, 2.0, NAN, NAN]), L([NAN, INF, 2.0]), ref=np.searchsorted),
    edge("digitize", L([-INF, INF, NAN, 1.0, 2.0]), L([1.0, 2.0, 3.0]), ref=np.digitize),
    edge("unique", L([3.0, NAN, 1.0, NAN, INF, -INF]), ref=np.unique),
    edge("softmax", L([[1e4, 1e4], [-1e4, 1e4], [-INF, 0.0], [0.0, 1.0]]), ref=_stable_softmax, dtypes=HALVES),
    edge("log_softmax", L([[1e4, 0.0], [-1e4, 1e4], [-INF, 0.0]]),
         ref=lambda x: x - special.logsumexp(x, 1, keepdims=True)),
    edge("softmax", L([[INF], [NAN], [-INF]]), ref=np.full((3, 1), NAN)),
    edge("softmax", L([-INF, -INF]), ref=np.full(2, NAN)),
    edge("sparsemax", L([[1e4, 0.0], [-1e4, 1e4], [0.1, 0.2]]), ref=np.array([[1.0, 0.0], [0.0, 1.0], [0.45, 0.55]])),
    *[edge(n, F(0, 3), axis=0, ref=np.full(3, v))
      for n, v in {"sum": 0.0, "prod": 1.0, "mean": NAN, "var": NAN, "std": NAN, "all": True, "any": False,
                   "count_nonzero": 0, "logsumexp": -INF, "nansum": 0.0, "nanprod": 1.0, "nanmean": NAN,
                   "nanvar": NAN, "nanstd": NAN, "average": NAN}.items()],
    *[edge(n, F(2, 0), axis=1, ref=np.zeros((2, 0))) for n in ("cumsum", "cumprod", "sort", "softmax", "log_softmax")],
    edge("argsort", F(2, 0), axis=1, ref=np.zeros((2, 0), int)),
    *[edge(n, F(0, 3), axis=1, ref=np.zeros(0)) for n in ("max", "min", "argmax", "argmin", "ptp", "sum", "mean")],
]  # fmt: skip

MANY = L(np.linspace(0.5, 1.5, 100_000))
WIDE = L(np.linspace(-300.0, 300.0, 4096).reshape(4, 1024))
PRECISION = [
    *[edge(n, MANY, ref=f, dtypes=("float16", "bfloat16"))
      for n, f in {"mean": np.mean, "var": np.var, "std": np.std, "nanmean": np.mean, "nanstd": np.std,
                   "average": np.mean, "median": np.median,
                   "logsumexp": special.logsumexp}.items()],
    edge("sum", L(np.full(100_000, 0.25)), ref=np.array(25000.0), dtypes=("float16", "bfloat16")),
    edge("nansum", L(np.full(100_000, 0.25)), ref=np.array(25000.0), dtypes=("float16", "bfloat16")),
    edge("norm", L(np.full(100_000, 0.5)), ref=np.linalg.norm, dtypes=("float16", "bfloat16")),
    edge("norm", L(np.full(1000, 300.0)), ref=np.linalg.norm, dtypes=("float16",)),
    edge("moments", MANY, axes=0, ref=lambda x, axes: (x.mean(), x.var()), dtypes=("float16", "bfloat16")),
    edge("softmax", L(np.zeros((1, 50_000))), ref=np.full((1, 50_000), 2e-5), dtypes=("float16", "bfloat16"), tol=1e-7),
    edge("log_softmax", L(np.zeros((1, 50_000))), ref=np.full((1, 50_000), -np.log(5e4)),
         dtypes=("float16", "bfloat16")),
    edge("layer_normalization", WIDE,
         ref=lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-7),
         dtypes=("float16", "bfloat16")),
    edge("rms_normalization", WIDE, ref=lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-7),
         dtypes=("float16", "bfloat16")),
    edge("mean", L(np.full(1000, 300.0)), ref=np.array(300.0), dtypes=("float16", "bfloat16")),
    edge("var", L(np.tile([-300.0, 300.0], 500)), ref=np.array(90000.0), dtypes=("bfloat16",)),
    edge("std", L(np.tile([-300.0, 300.0], 500)), ref=np.array(300.0), dtypes=("float16", "bfloat16")),
    edge("cumsum", L(np.full(10_000, 0.25)), ref=np.cumsum, dtypes=("float16",)),
    edge("segment_sum", L(np.full(10_000, 0.25)), L(np.zeros(10_000, int)), num_segments=1,
         ref=np.array([2500.0]), dtypes=("float16",)),
    edge("dot", L(np.full(10_000, 0.25)), L(np.full(10_000, 0.25)), ref=np.dot, dtypes=("float16", "bfloat16")),
    edge("matmul", L(np.full((1, 10_000), 0.25)), L(np.full((10_000, 1), 0.25)), ref=np.matmul,
         dtypes=("float16", "bfloat16")),
    edge("mean", L(np.linspace(1.0, 2.0, 2_000_000)), ref=np.array(1.5)),
    edge("sum", L(np.full(5_000_000, 0.1)), ref=np.array(5e5)),
    edge("var", L(1e4 + np.tile([-1.0, 1.0], 5000)), ref=np.array(1.0), tol=1e-3),
    edge("nanvar", L(1e4 + np.tile([-1.0, 1.0], 5000)), ref=np.array(1.0), tol=1e-3),
    edge("moments", L(1e4 + np.tile([-1.0, 1.0], 5000)), axes=0, ref=lambda x, axes: (x.mean(), x.var()), tol=1e-3),
    edge("layer_normalization", L(1e4 + np.tile([-1.0, 1.0], (1, 512))), ref=lambda x: x - 1e4, tol=1e-3),
]  # fmt: skip

ROWS = [*FUNCTIONS, *COMPLEX, *BINARY, *REDUCTIONS, *PRECISION]
collect.rows()  # declares the ops
harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("place", range(len(ROWS)), ids=[f"{i}-{r.op}" for i, r in enumerate(ROWS)])
def test_edge(place):
    case = ROWS[place]
    # JAX compiles each, by the same rules for all dtypes: there the first one does.
    for dtype in case.dtypes[:1] if engine().NAME == "jax" else case.dtypes:
        trial = Trial(case.op, case.args, case.static, dtype)
        arrays = trial.arrays()
        got = _run(case, trial, arrays)
        check_close(got, _held(trial.expected(case.ref), got), case.tol, trial)


def _run(case, trial, arrays):
    # On JAX one compilation of the whole is cheaper than one for each of its steps, and XLA simplifies more.
    compiled = engine().NAME == "jax" and case.op != "unique"
    return harness.compiled(trial.function, arrays, False) if compiled else trial.call(arrays)


def _held(want, got):
    """The reference as far as the result's dtype reaches: what is larger is infinite."""
    name = engine().dtype_name(outputs(got)[0])
    largest = {"float16": 65520.0, "float32": 3.4028236e38, "bfloat16": 3.39e38}.get(name)
    if largest is None or isinstance(want, tuple):
        return want
    return np.where(np.abs(want) >= largest, np.sign(want) * INF, want)
