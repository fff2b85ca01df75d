"""OpenVINO graphs against eager: every op in every dtype, on ordinary numbers and on those where dtypes end.

A graph gives what eager gives, or refuses while it is built, naming op, dtype and reason. `faults(row, dtype)` says
what does not hold.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterator

import numpy as np

from kops.backends.openvino.core import compiled
from kops.backends.openvino.gaps import GRAPH_GAPS, GRAPH_LIMITS
from kops.conformance import collect
from kops.conformance.engines.openvino import _Input
from kops.conformance.rows import Row
from kops.conformance.trial import Trial, attempt, makers, outputs, specs_of, sweeps
from kops.declare import OPS
from kops.dtypes import FLOATS, INTS, limits
from kops.engine import engine

DTYPES = ("bool", *INTS, *FLOATS)
_ALGORITHM = "where NaN and infinity go, and what is left of large numbers, is the algorithm's choice"
# Compared on ordinary numbers only:
ORDINARY = {
    **dict.fromkeys(
        ("cholesky", "cholesky_inverse", "det", "fft", "fft2", "ifft2", "inv", "irfft", "istft", "logdet", "lu_factor",
         "qr", "rfft", "slogdet", "solve", "solve_triangular", "stft"),
        _ALGORITHM,
    ),
    **dict.fromkeys(
        ("conv", "conv_transpose", "correlate", "depthwise_conv", "separable_conv"),
        "whether the zeros around are multiplied with an infinite kernel is the algorithm's choice",
    ),
    **dict.fromkeys(
        ("gelu", "hard_sigmoid", "log_softmax", "max_pool", "relu", "relu6", "simple_rnn", "softmax", "sparsemax"),
        "the plug-in fuses relu, gelu, softmax and pooling with their neighbours and loses NaN and infinities: "
        "to keep them costs up to half the speed of a model",
    ),
    "bincount": "it makes room for the largest number",
    "ctc_decode": "the order of paths of equal probability is free",
    "ctc_loss": "infinite logits have no probabilities",
    "searchsorted": "the numbers are no longer sorted",
    "digitize": "the bins are no longer sorted",
    "dot_product_attention": "a hidden NaN is added to the mask, not replaced by it",
    "perspective_transform": "numbers beyond the dtype, which casts leave open",
    "unravel_index": "numbers beyond the shape",
}  # fmt: skip
NOT_UNIQUE = ("qr",)  # of matrices without full rank, which whole numbers may give
OPEN_QUOTIENT = ("fmod", "mod")  # the largest number by a small one leaves no digits for the remainder


def cases(ops: Any = None, every_row: bool = False) -> Iterator[tuple[Row, int, str]]:
    """`(row, its number, dtype)` of all that can be compiled."""
    for _, rows in sorted(collect.rows().items()):
        op = rows[0].op
        if (ops and op not in ops) or OPS[op].kind == "functional" or op in {**engine().GAPS, **GRAPH_GAPS}:
            continue
        for number, row in enumerate(rows if every_row else rows[:1]):
            if row.jit and makers((row.args, row.static)):
                swept = sweeps((row.args, row.static))
                yield from ((row, number, dtype) for dtype in (DTYPES if swept else ("bool",)))


def edges(dtype: str) -> list[Any]:
    """Numbers of a dtype where arithmetic goes wrong."""
    if dtype == "bool":
        return [True, False]
    if dtype in FLOATS:
        tiny = float(np.finfo(np.float16 if dtype == "float16" else np.float32).tiny)
        tiny, big = (1e-30, 8.0) if dtype == "bfloat16" else (tiny, 8.0 if dtype == "float16" else 30.0)
        return [np.inf, -np.inf, np.nan, big, -big, tiny, -0.0, 0.0, 1.5, -2.5, 0.5, 1.0, -1.0, 3.75, -0.3, 20.25]
    low, high = limits(dtype)
    signed = [-1, -7, low // 2] if low else [high - 7]
    large = [x for x in (2**24 + 1, 2**31 - 1, 2**31, 2**31 + 5) if x < high]
    if dtype in ("int64", "uint64"):  # what graphs hold of them
        low, high, large = max(low, -(2**31)), 2**31 - 1, [2**24 + 1]
        signed = [-1, -7, low // 2] if low else [high - 7]
    return [high, high - 1, low, low + 1, 0, 1, 3, high // 3, high // 2 + 1, 7, *signed, *large]


def fills(dtype: str) -> dict[str, Callable[[int, np.ndarray], np.ndarray] | None]:
    """Name -> `(place of the argument, its numbers) -> other numbers`; None for the row's own."""
    numbers = edges(dtype)
    kind = float if dtype in FLOATS else object

    def cycle(start: int) -> Callable[[int, np.ndarray], np.ndarray]:
        def fill(place: int, x: np.ndarray) -> np.ndarray:
            chosen = [numbers[(i * (1 + 2 * place) + start + 3 * place) % len(numbers)] for i in range(x.size)]
            return np.array(chosen, kind).reshape(x.shape)

        return fill

    def one(value: Any) -> Callable[[int, np.ndarray], np.ndarray]:
        def fill(place: int, x: np.ndarray) -> np.ndarray:
            changed = x.astype(kind)
            if x.size and not place:
                changed.ravel()[x.size // 2] = value
            return changed

        return fill

    singles = [np.nan, np.inf, -np.inf] if dtype in FLOATS else []
    singles += [max(numbers), min(numbers)] if dtype in INTS else []
    singles += list(limits(dtype)) if dtype == "float32" else []  # of halves, which graphs compute wide, less overflows
    found: dict[str, Any] = {"own numbers": None, "edges": cycle(0), "edges from the fifth": cycle(5)}
    found.update({f"one {value}": one(value) for value in singles})
    if dtype in FLOATS:
        found["NaN only"] = lambda place, x: np.full(x.shape, np.nan)
    return found


def faults(row: Row, dtype: str) -> Iterator[tuple[str, str]]:
    """`(fill, words)` for each difference between graph and eager."""
    trial = Trial(row.op, row.args, row.static, dtype)
    given = trial.arrays()
    if any(x.dtype.kind == "c" or not x.size for x in given):
        return  # graphs have no complex numbers, and of nothing `jit` makes no graph
    expected, refused = attempt(lambda: trial.call(given))
    program, error = attempt(lambda: compiled(trial.function, [_Input(x, False) for x in given]))
    if error is not None:
        if refused is None and not _explained(error):
            yield "", f"{type(error).__name__}: {str(error)[:300]}"
        return
    if refused is not None:
        if not isinstance(refused, np.linalg.LinAlgError):  # which is in the numbers
            yield "", f"a graph where eager says {refused}"
        return
    for name, fill in fills(dtype).items():
        if fill is not None and (dtype == "bool" or row.op in ORDINARY):
            continue
        if row.op in OPEN_QUOTIENT and name.startswith("one "):
            continue
        arrays = given if fill is None else _filled(trial, given, fill, dtype)
        want, error = attempt(functools.partial(trial.call, arrays))
        if error is not None:
            continue
        got, error = attempt(functools.partial(program, arrays))
        if error is not None and _explained(error):
            continue
        words = f"{type(error).__name__}: {error}" if error is not None else _difference(row, dtype, got, want)
        if words:
            yield name, f"{words[:400]} of {[x.ravel()[:6].tolist() for x in arrays]}"


def _explained(error: Exception) -> bool:
    """Whether it is one of the listed limits, in their words."""
    reasons = [*GRAPH_LIMITS.values(), *GRAPH_GAPS.values()]
    return isinstance(error, NotImplementedError) and any(reason in str(error) for reason in reasons)


def _filled(trial: Trial, given: list[Any], fill: Any, dtype: str) -> list[Any]:
    kind = sweeps((trial.args, trial.static))
    arrays, place = [], 0
    for maker, x in zip(trial.makers, given):
        if maker.kind == kind and engine().dtype_name(x) == dtype:
            numbers = fill(place, np.asarray(x))
            wide = np.uint64 if dtype == "uint64" else np.int64
            numbers = np.array(numbers.tolist(), float if dtype in FLOATS else wide).reshape(numbers.shape)
            x, place = numbers.astype(x.dtype), place + 1
        arrays.append(x)
    return arrays


def _difference(row: Row, dtype: str, got: Any, want: Any) -> str:
    if specs_of(got) != specs_of(want):
        return f"gives {specs_of(got)}, not {specs_of(want)}"
    if row.op in NOT_UNIQUE and dtype not in ("float32", "float64"):
        return ""
    half = "float16" in dtype
    for g, w in zip(outputs(got), outputs(want)):
        if w is None or not hasattr(w, "dtype"):
            continue
        name = engine().dtype_name(w)
        g, w = (np.asarray(x) if x.dtype.kind in "biuf" else np.asarray(x).astype(np.float32) for x in (g, w))
        if name in FLOATS:
            tol = {"float16": 1e-2, "bfloat16": 6e-2}.get(name, 1e-2 if half else max(1e-4, row.tol))
            finite = np.abs(w[np.isfinite(w)].astype(np.float64))
            size = min(finite.max(initial=0), 1e37) if _sums(row.op) else 1.0
            same = np.isclose(g, w, rtol=tol, atol=tol * max(1.0, size), equal_nan=True)
        elif _by_floats(row.op):
            size = np.abs(w.astype(float)).max(initial=0)
            same = np.isclose(g.astype(float), w.astype(float), rtol=1e-6, atol=1 + 1e-6 * size)
        else:
            same = g == w
        if not np.all(same):
            wrong = np.logical_not(same)
            return f"gives {name} {g[wrong][:4].tolist()}, not {w[wrong][:4].tolist()}"
    return ""


def _sums(op: str) -> bool:
    """Whether an element of the result has the errors of larger numbers."""
    return not OPS[op].body.__module__.rpartition(".")[2].startswith("elementwise")


def _by_floats(op: str) -> bool:
    """Whether integers are computed in floats, on every engine."""
    return OPS[op].body.__module__.rpartition(".")[2].startswith("image")
