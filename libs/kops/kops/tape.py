"""Recording a computation as a flat list of op calls, for exporters.

Symbolic tensors record layers and ops as the user called them. A tape records what is computed: layers dissolve into
ops and composites into the ops of their formula, down to those that the consumer knows. Casts that the dtype rules
ask for stand on the tape; scalars are constants of the right dtype. It works the same on every engine and runs
nothing.

    tape = record(model, [KerasTensor((None, 8, 8, 1))], known={"conv", "relu", ...})
    for call in tape.calls: call.op, call.args, call.outputs
"""

from __future__ import annotations

from typing import Any, Callable, Collection, NamedTuple

import numpy as np

from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.operators import Operators
from kops.promote import each_result


class Call(NamedTuple):
    """One op call: arguments in declared order (TraceTensors, NumPy constants, static values) and its outputs."""

    op: str
    args: tuple[Any, ...]
    outputs: Any


class TraceTensor(Operators):
    """A tensor on a tape: shape, dtype, and the tape; no value."""

    __slots__ = ("dtype", "shape", "tape")
    __array_ufunc__ = None  # `array * x` is the business of `x`

    def __init__(self, shape: Any, dtype: str, tape: Tape) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        self.tape = tape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape or self.shape[0] is None:
            raise TypeError(f"{self!r} has no known length.")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<TraceTensor shape={self.shape}, dtype={self.dtype}>"

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self!r} has no value: a computation is being recorded. Use keras.ops on it.")

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} has no value: a computation is being recorded. Use ops.cond or ops.where.")

    def sizes(self) -> tuple[Any, ...]:
        """Dimensions; for each unknown one a scalar int32 tensor on the tape."""
        return tuple(
            self.tape.add("dimension", (self, i), KerasTensor((), "int32")) if d is None else d
            for i, d in enumerate(self.shape)
        )


class Tape:
    """What `record` returns.

    Attributes:
        inputs, outputs: TraceTensors, in the structures of the recorded function.
        calls: op calls, each after those whose outputs it takes.
    """

    def __init__(self, known: Collection[str]) -> None:
        self.known = frozenset(known)
        self.calls: list[Call] = []
        self.inputs: Any = None
        self.outputs: Any = None

    def add(self, op: str, args: tuple[Any, ...], specs: Any) -> Any:
        """Write down a call; `specs` are the KerasTensors of its outputs."""
        outputs = tree.map_structure(lambda s: TraceTensor(s.shape, s.dtype, self), specs, none_is_leaf=False)
        self.calls.append(Call(op, args, outputs))
        return outputs

    def cast(self, x: TraceTensor, dtype: str) -> TraceTensor:
        return self.add("cast", (x, dtype), KerasTensor(x.shape, dtype, record_history=False))


def record(function: Callable[..., Any], inputs: Any, known: Collection[str]) -> Tape:
    """Record `function(*inputs)`.

    Args:
        function: a model, a layer or any function written in ops.
        inputs: list of KerasTensors or structures of them.
        known: composite ops that the consumer takes whole instead of as their formula.
    """
    tape = Tape(known)
    tape.inputs = tree.map_structure(lambda s: TraceTensor(s.shape, s.dtype, tape), inputs)
    tape.outputs = function(*tape.inputs)
    return tape


def find_tape(args: Any) -> Tape | None:
    """The tape of the first TraceTensor in (nested) arguments, or None."""
    for x in args:
        if type(x) is TraceTensor:
            return x.tape
        if isinstance(x, (list, tuple)):
            tape = find_tape(x)
            if tape is not None:
                return tape
    return None


def untraced(x: Any) -> Any:
    """TraceTensors, anywhere in an argument, as KerasTensors."""
    if type(x) is TraceTensor:
        return KerasTensor(x.shape, x.dtype, record_history=False)
    if isinstance(x, (list, tuple)):
        return type(x)(untraced(v) for v in x)
    return x


def write_call(op: Any, args: tuple[Any, ...]) -> Any:
    """The plan of an op for TraceTensors: write it down, or go on into a composite's formula."""
    tape = find_tape(args)
    assert tape is not None
    plain = [untraced(x) for x in args]
    whole = op.kind != "composite" or op.name in tape.known
    op.infer(plain)  # refuses what a symbolic call refuses
    targets, result = op.decisions(plain)
    ready = list(args)
    for i, target in targets.items():
        ready[i] = _ready(ready[i], target, tape, whole, not op.takes_scalars)
    if whole:
        # What the call gives for the arguments as they are now; the cast that the rule asks for stands beside it.
        specs = op.infer([untraced(x) for x in ready])
        outputs = tape.add(op.name, tuple(ready), specs)
    else:
        if op.dtype_position is not None and isinstance(result, str):
            ready[op.dtype_position] = result
        outputs = op.formula(*ready)
    return each_result(lambda x, dtype: _ready(x, dtype, tape, False), outputs, result)


def _ready(x: Any, target: Any, tape: Tape, whole: bool, numbers: bool = False) -> Any:
    """An argument cast as the rule wants, Python `numbers` too; of a call that is written down, constants as arrays."""
    if isinstance(x, (list, tuple)):
        wanted = target if isinstance(target, list) else [target] * len(x)
        return type(x)(_ready(v, t, tape, whole, numbers) for v, t in zip(x, wanted))
    if x is None:
        return None
    if type(x) is TraceTensor:
        return x if target is None or x.dtype == target else tape.cast(x, target)
    if not whole and (target is None or not (numbers or hasattr(x, "dtype"))):
        return x
    e = engine()
    tensor = e.convert(x, target)
    # A formula computes with it, and with tensors that come of it.
    return np.asarray(e.to_numpy(tensor)) if whole else tensor
