"""What the control-flow ops of all engines share: trees of tensors, their slices, and the words for wrong ones."""

from __future__ import annotations

from typing import Any, Callable

import kops
from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.op import spec_of
from kops.shapes import agree
from kops.symbolic import infer_by_running
from kops.variable import Variable


def tensors(structure: Any) -> Any:
    """The structure with every leaf a native tensor (None stays).

    Raises:
        ValueError: for a symbolic tensor, which a function can only have got from outside.
    """
    e = engine()

    def ready(x: Any) -> Any:
        if isinstance(x, Variable):
            x = x.value
        if isinstance(x, KerasTensor):
            raise ValueError(
                f"A function given to a control-flow op refers to the symbolic tensor {x.name!r} from outside, which "
                "has no value when the graph runs. Pass it in through the op's arguments, as the initial value, the "
                "inputs or the operands."
            )
        return x if e.is_tensor(x) else e.convert(x, None)

    return tree.map_structure(ready, structure, none_is_leaf=False)


def specs(structure: Any) -> Any:
    """The structure with every leaf a KerasTensor without history."""

    def spec(x: Any) -> Any:
        x = x if isinstance(x, KerasTensor) else spec_of(tensors(x))
        return KerasTensor(x.shape, x.dtype, record_history=False)

    return tree.map_structure(spec, structure, none_is_leaf=False)


def result_specs(function: Callable[..., Any], *args: Any) -> Any:
    """What `function` returns for symbolic arguments."""
    return infer_by_running(function, args, {})


def check_like(what: str, got: Any, want: Any) -> None:
    """Refuse a tree that differs from the one that a loop or the other branch has."""

    def show(x: Any) -> Any:
        return tree.map_structure(lambda s: f"{s.dtype}{s.shape}", x, none_is_leaf=False)

    try:
        tree.assert_same_structure(got, want)
        same = all(
            a.dtype == b.dtype and agree(a.shape, b.shape)
            for a, b in zip(tree.flatten(got), tree.flatten(want))
            if a is not None
        )
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"{what}: {show(got)} is not {show(want)}.")


def as_vars(loop_vars: Any) -> tuple[tuple[Any, ...], bool]:
    """Loop variables as a tuple, and whether they were one."""
    several = isinstance(loop_vars, (tuple, list))
    return tuple(loop_vars) if several else (loop_vars,), several


def leading(op: str, structure: Any, length: Any = None, axis: int = 0) -> int | None:
    """The common size of the leaves' axis, checked against `length`; None where it is known only at run time."""
    if length is not None and (not isinstance(length, int) or length < 0):
        raise ValueError(f"{op}: length is a number of steps, an int of at least 0, not {length!r}.")
    e = engine()
    sizes = []
    for x in tree.flatten(structure):
        if x is None:
            continue
        shape = tuple(x.shape) if isinstance(x, KerasTensor) else tuple(e.shape(x))
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"{op}: there is no axis {axis} to go along in a tensor of shape {shape}.")
        sizes.append(shape[axis])
    known = {s for s in sizes if s is not None}
    if len(known) > 1:
        raise ValueError(f"{op}: the tensors have different sizes along axis {axis}: {sizes}.")
    if length is not None and known - {length}:
        raise ValueError(f"{op}: length is {length}, but axis {axis} of the tensors has size {known.pop()}.")
    if not sizes and length is None:
        raise ValueError(f"{op}: there is nothing to go along; pass xs or length.")
    return length if length is not None else known.pop() if known else None


def known_length(op: str, structure: Any, length: Any = None, axis: int = 0) -> int:
    """`leading`, for what is computed step by step."""
    size = leading(op, structure, length, axis)
    if size is None:
        raise NotImplementedError(f"{op}: the size of axis {axis} must be known while this engine builds a graph.")
    return size


def at(structure: Any, i: Any) -> Any:
    """Element `i` of every leaf; with the ellipsis NumPy gives an array, whose dtype counts, for a number, too."""
    return tree.map_structure(lambda x: x[i, ...], structure, none_is_leaf=False)


def stacked(rows: list[Any], like: Callable[[], Any]) -> Any:
    """The leaves of equal trees, stacked; of no trees, empty tensors like the specs that `like` gives."""
    if not rows:
        return tree.map_structure(lambda s: kops.zeros((0, *s.shape), s.dtype), like(), none_is_leaf=False)
    return tree.map_structure(lambda *xs: None if xs[0] is None else kops.stack(list(xs)), *rows)


def longer(structure: Any, length: Any) -> Any:
    """Specs with one more leading axis."""
    return tree.map_structure(lambda s: KerasTensor((length, *s.shape), s.dtype), structure, none_is_leaf=False)


def without_first(structure: Any) -> Any:
    """Specs of the slices along the first axis."""
    return tree.map_structure(
        lambda x: KerasTensor(x.shape[1:], x.dtype, record_history=False), specs(structure), none_is_leaf=False
    )
