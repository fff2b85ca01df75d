"""One row on the active engine: its arrays, its calls, and the words for what went wrong."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from kops import tree
from kops.conformance.rows import Maker, Row
from kops.declare import OPS
from kops.engine import engine
from kops.keras_tensor import KerasTensor


def sweeps(args: Any) -> str:
    """The kind of maker that takes the row's dtype: "float", else "int", else none."""
    kinds = {m.kind for m in makers(args)}
    return "float" if "float" in kinds else "int" if "int" in kinds else ""


def makers(args: Any) -> list[Maker]:
    """The makers in (nested) arguments, in order."""
    return [x for x in _leaves(args) if isinstance(x, Maker)]


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [x for v in value for x in _leaves(v)]
    if isinstance(value, dict):
        return [x for v in value.values() for x in _leaves(v)]
    return [value]


def fill(args: Any, values: Sequence[Any]) -> Any:
    """The arguments with each maker replaced by the next of `values`."""
    queue = list(values)

    def go(value: Any) -> Any:
        if isinstance(value, Maker):
            return queue.pop(0)
        if isinstance(value, (list, tuple)):
            return type(value)([go(v) for v in value])
        if isinstance(value, dict):
            return {k: go(v) for k, v in value.items()}
        return value

    return go(args)


class Trial:
    """A call of an op with one choice of dtypes.

    Args:
        op: its name.
        args, static: arguments as in a row.
        dtypes: one dtype for all makers that take the row's, or one for each in turn.
    """

    def __init__(self, op: str, args: Any, static: dict[str, Any], dtypes: str | Sequence[str] = "float32") -> None:
        self.op = OPS[op]
        self.args = args
        self.static = static
        self.makers = makers((args, static))
        wanted = [dtypes] if isinstance(dtypes, str) else list(dtypes)
        swept, count = sweeps((args, static)), 0
        self.dtypes = []
        self.numbers = []
        for i, maker in enumerate(self.makers):
            dtype = maker.dtype
            if maker.kind == swept and (swept == "float" or dtypes != "float32"):
                dtype, count = wanted[count % len(wanted)], count + 1
            self.dtypes.append(dtype)
            self.numbers.append(_fit(maker.make(f"{op}:{i}"), dtype))

    def arrays(self) -> list[Any]:
        """Native tensors."""
        e = engine()
        return [e.cast(e.convert(np.asarray(_carrier(x, d)), None), d) for x, d in zip(self.numbers, self.dtypes)]

    def symbols(self, unknown: Callable[[int], bool] = lambda axis: False, first: bool = False) -> list[KerasTensor]:
        """Symbolic tensors, axes (of the `first` only) for which `unknown` says so having no size."""
        return [
            KerasTensor(
                [None if unknown(i) and d > 1 and not (first and place) else d for i, d in enumerate(x.shape)], d_
            )
            for place, (x, d_) in enumerate(zip(self.numbers, map(engine().canonical, self.dtypes)))
        ]

    def call(self, values: Sequence[Any]) -> Any:
        """The op on these in place of the makers."""
        args, static = fill((self.args, self.static), values)
        return self.op.function(*args, **static)

    def function(self, *values: Any) -> Any:
        return self.call(values)

    def expected(self, ref: Any) -> Any:
        """The reference's answer."""
        if not callable(ref):
            return ref
        # As the engine holds them: rounded to the dtype, then wide.
        args, static = fill((self.args, self.static), [_round(x, d) for x, d in zip(self.numbers, self.dtypes)])
        return ref(*args, **static)

    def __str__(self) -> str:
        shown = fill((self.args, self.static), [f"{d}{x.shape}" for x, d in zip(self.numbers, self.dtypes)])
        words = [str(a) for a in shown[0]] + [f"{k}={v}" for k, v in shown[1].items()]
        return f"{self.op.name}({', '.join(words)}) on {engine().NAME}"


def _fit(x: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers as the dtype can hold them; positive floats stay positive ints."""
    if dtype.startswith("complex") and x.dtype.kind == "f" and np.isfinite(x).all():
        return np.asarray(x + 1j * _imaginary(x))
    if dtype == "bool" or "int" not in dtype or x.dtype.kind not in "fc":
        return x
    rounded = np.rint(np.clip(np.nan_to_num(x.real), -1e6, 1e6))
    rounded = np.where((x.real > 0) & (rounded == 0), 1, rounded)
    return (np.abs(rounded) if dtype.startswith("u") else rounded).astype(np.int64)


def _imaginary(x: np.ndarray) -> np.ndarray:
    """The same numbers at other places, smaller; of symmetric matrices so that they become Hermitian."""
    turned = 0.25 * np.roll(x.ravel(), 1).reshape(x.shape)
    if x.ndim > 1 and x.shape[-1] == x.shape[-2] and np.array_equal(x, np.swapaxes(x, -1, -2)):
        return 0.2 * (turned - np.swapaxes(turned, -1, -2))  # and stay positive definite
    return turned


def _carrier(x: np.ndarray, dtype: str) -> np.ndarray:
    """An array of a dtype that every engine converts without loss on the way to `dtype`."""
    if dtype in ("float64", "complex128", "int64", "uint64"):
        return x.astype(dtype)
    if x.dtype.kind == "f":
        return x.astype(np.float32)
    if x.dtype.kind == "c":
        return x.astype(np.complex64)
    return x if x.dtype == bool else x.astype(np.int64 if "32" in dtype else np.int32)


def _round(x: np.ndarray, dtype: str) -> np.ndarray:
    if dtype == "bool":
        return x.astype(bool)
    if x.dtype.kind != "f":
        return x
    if dtype in ("float32", "float16"):
        return x.astype(dtype).astype(np.float64)
    if dtype == "bfloat16" or dtype.startswith("float8"):
        import ml_dtypes

        return x.astype(np.float32).astype(getattr(ml_dtypes, dtype)).astype(np.float64)
    return x


def outputs(value: Any) -> list[Any]:
    """Flat outputs."""
    return tree.flatten(value)


def specs_of(value: Any) -> list[Any]:
    """`(shape, dtype)` of each output; other things as they are."""
    e = engine()

    def spec(x: Any) -> Any:
        if isinstance(x, KerasTensor):
            return tuple(x.shape), x.dtype
        return (tuple(e.shape(x)), e.dtype_name(x)) if e.is_tensor(x) else x

    return [spec(x) for x in outputs(value)]


def attempt(function: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """`(result, None)` or `(None, error)`."""
    try:
        return function(), None
    except Exception as error:  # of any kind: the caller says which kinds are right
        return None, error


_LOOSE = {"float16": 5e-3, "bfloat16": 4e-2, "float8_e4m3fn": 0.15, "float8_e5m2": 0.3}


def check_close(got: Any, want: Any, tol: float, what: Any, exact: bool = False) -> None:
    """Compare flat outputs with those of the reference."""
    e = engine()
    got, want = outputs(got), outputs(want)
    if len(got) != len(want):
        raise AssertionError(f"{what}: {len(got)} outputs, expected {len(want)}.")
    for i, (g, w) in enumerate(zip(got, want)):
        place = f"{what}, output {i}" if len(got) > 1 else f"{what}"
        if w is None or g is None:
            assert g is None and w is None, f"{place}: got {g!r}, expected {w!r}"
            continue
        dtype = e.dtype_name(g) if e.is_tensor(g) else ""
        g, w = (np.asarray(e.to_numpy(g) if e.is_tensor(g) else g), np.asarray(e.to_numpy(w) if e.is_tensor(w) else w))
        assert g.shape == w.shape, f"{place}: got shape {g.shape}, expected {w.shape}"
        if g.dtype.kind not in "biufcUS":
            g = g.astype(np.float32)
        if w.dtype.kind not in "biufcUS":
            w = w.astype(np.float32)
        t = max(tol, _LOOSE.get(dtype, 0.0))
        floats = g.dtype.kind in "fc" and not exact
        close = np.allclose(g, w, rtol=t, atol=t, equal_nan=True) if floats else np.array_equal(g, w)
        assert close, f"{place}: got\n{g}\nexpected\n{w}" + (f"\nwithin {t}" if floats else "")


def trials(row: Row) -> list[Trial]:
    """The row in each of its dtypes."""
    return [Trial(row.op, row.args, row.static, d) for d in row.dtypes]
