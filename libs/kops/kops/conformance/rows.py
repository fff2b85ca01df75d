"""Rows of the conformance suite: sample arguments of an op and what is known about its result.

    ROWS = [
        row("add", F(2, 3), F(3), ref=np.add, grad=True, bad=[case(F(2, 3), F(4), error=ValueError)]),
        row("reshape", F(2, 6), newshape=(3, 4), ref=lambda x, newshape: x.reshape(newshape)),
        row("concatenate", [F(2, 3), F(2, 3)], axis=1, ref=lambda xs, axis: np.concatenate(xs, axis)),
        row("take", F(4, 3), I(2, high=4), axis=0, ref=lambda x, i, axis: np.take(x, i, axis)),
    ]

Positional arguments are those of the op in declared order: makers of arrays (below), lists of makers for `Tensors`
parameters, or plain values. Keywords that `row` does not know are static arguments. An op may have several rows.

The makers are lazy, and seeded by op and position: the same numbers in every process.
"""

from __future__ import annotations

import zlib
from typing import Any, Callable, Sequence

import numpy as np


class Maker:
    """A deferred array.

    Attributes:
        shape: of the array.
        kind: "float" (its dtype is the row's), "int", "bool", "complex" or "fixed".
        dtype: its own dtype where the row does not decide.
    """

    def __init__(self, shape: tuple[int, ...], kind: str, dtype: str, draw: Callable[[Any], np.ndarray]) -> None:
        self.shape = shape
        self.kind = kind
        self.dtype = dtype
        self._draw = draw

    def make(self, seed: str) -> np.ndarray:
        """The numbers, as float64, int64, bool or complex128."""
        return np.asarray(self._draw(np.random.default_rng(zlib.crc32(seed.encode()))))

    def __repr__(self) -> str:
        return f"{self.kind}{self.shape}"


def F(*shape: int, low: float = -2.0, high: float = 2.0) -> Maker:
    """Floats of the row's dtype in [low, high], at least 0.05 away from the multiples of 1/2, where kinks are."""

    def draw(rng: Any) -> np.ndarray:
        halves = rng.uniform(2 * low, 2 * high, shape)
        whole = np.floor(halves)
        return np.clip((whole + 0.1 + 0.8 * (halves - whole)) / 2, low, high)

    return Maker(shape, "float", "float32", draw)


def P(*shape: int, low: float = 0.5, high: float = 2.0) -> Maker:
    """Positive floats of the row's dtype."""
    return F(*shape, low=low, high=high)


def I(*shape: int, low: int = 0, high: int = 5, dtype: str = "int32") -> Maker:  # noqa: E743
    """Ints in [low, high)."""
    return Maker(shape, "int", dtype, lambda rng: rng.integers(low, high, shape))


def B(*shape: int) -> Maker:
    """Bools."""
    return Maker(shape, "bool", "bool", lambda rng: rng.integers(0, 2, shape).astype(bool))


def C(*shape: int, dtype: str = "complex64") -> Maker:
    """Complex numbers with parts in [-2, 2]."""
    return Maker(shape, "complex", dtype, lambda rng: rng.uniform(-2, 2, shape) + 1j * rng.uniform(-2, 2, shape))


def L(value: Any, dtype: str | None = None) -> Maker:
    """These very numbers; floats without a `dtype` take the row's, as those of `F`."""
    array = np.asarray(value)
    if dtype is None and array.dtype.kind == "f":
        return Maker(array.shape, "float", "float32", lambda rng: array)
    own = dtype or {"i": "int32", "b": "bool", "c": "complex64", "u": "uint32"}[array.dtype.kind]
    kind = {"bool": "bool", "comp": "complex"}.get(own[:4], "int" if "int" in own else "fixed")
    return Maker(array.shape, kind, own, lambda rng: array)


class Case:
    """A wrong call: what it must raise, eager and symbolic alike."""

    def __init__(self, args: tuple[Any, ...], static: dict[str, Any], error: Any, match: str | None) -> None:
        self.args = args
        self.static = static
        self.error = error
        self.match = match


def case(*args: Any, error: Any = ValueError, match: str | None = None, **static: Any) -> Case:
    """A call that must be refused with `error` (a type or tuple of types), in words that `match` (a pattern) finds."""
    return Case(args, static, error, match)


class Row:
    """See `row`."""

    def __init__(self, op: str, args: tuple[Any, ...], static: dict[str, Any], **facts: Any) -> None:
        self.op = op
        self.args = args
        self.static = static
        self.ref = facts["ref"]
        self.grad = facts["grad"]
        self.tol = facts["tol"]
        self.dtypes = tuple(facts["dtypes"])
        self.sweep = facts["sweep"]
        self.bad: Sequence[Case] = tuple(facts["bad"])
        self.jit = facts["jit"]
        self.dynamic = facts["dynamic"]
        self.node = facts["node"]
        self.note = facts["note"]


def row(
    op: str,
    *args: Any,
    ref: Any = None,
    grad: bool = False,
    tol: float = 1e-5,
    dtypes: Sequence[str] = ("float32",),
    sweep: Sequence[str] | None = None,
    bad: Sequence[Case] = (),
    jit: bool = True,
    dynamic: bool | str = True,
    node: bool = True,
    note: str = "",
    **static: Any,
) -> Row:
    """A row of the suite.

    Args:
        op: name of the op.
        *args: positional arguments: makers, lists of makers, plain values.
        ref: called with NumPy arrays (float64, int64, bool, complex128) and the static arguments, returns the
            expected output or a tuple of outputs; or the expected value itself; None only with a `note` saying how
            the values are checked elsewhere.
        grad: check gradients of all float arguments against finite differences.
        tol: relative and absolute tolerance in float32.
        dtypes: in which the values are checked; applies to float makers, or to int makers where there are no floats.
        sweep: dtypes in which eager and symbolic dtype are compared, default all the usual ones; () for none.
        bad: wrong calls.
        jit: whether the op is compiled (False: its output's shape depends on values).
        dynamic: whether leading dimensions may be unknown; "all" checks all dimensions unknown, too; "first" only
            the leading one of the first array (the others are weights).
        node: whether a symbolic call leaves a node.
        note: why something is switched off.
        **static: static arguments by name.
    """
    off = ref is None or not jit or not dynamic or not node or sweep == ()
    if off and not note:
        raise ValueError(f"The row of {op} switches a check off (ref, jit, dynamic, node or sweep): say why in note=.")
    return Row(
        op, args, static, ref=ref, grad=grad, tol=tol, dtypes=dtypes, sweep=sweep, bad=bad, jit=jit,
        dynamic=dynamic, node=node, note=note,
    )  # fmt: skip
