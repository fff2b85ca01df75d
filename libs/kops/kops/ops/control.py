"""Branches and loops whose conditions are tensors. The bodies here serve engines that compute at once."""

from __future__ import annotations

from typing import Any, Callable

import kops
from kops import control_trees as trees
from kops import tree
from kops.control_checks import check_bounds, check_scan
from kops.declare import Operand, functional
from kops.keras_tensor import KerasTensor
from kspec import public

_ALIKE = "true_fn and false_fn must return the same structure, shapes and dtypes"


def _cond_spec(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    yes, no = trees.result_specs(true_fn), trees.result_specs(false_fn)
    trees.check_like(_ALIKE, yes, no)
    return yes


@functional(shape=_cond_spec)
def _cond(pred: Operand, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`cond` without symbolic tensors."""
    return true_fn() if bool(pred) else false_fn()


@public("keras.ops.cond")
def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`true_fn()` where `pred` is true, else `false_fn()`.

    Args:
        pred: a scalar bool, Python's or a tensor.
        true_fn, false_fn: functions without arguments, whose results have the same structure, shapes and dtypes.

    Returns:
        What the chosen function returns. With a symbolic `pred` both are part of the graph, and the values of one
        are selected.

    Example:
        >>> cond(ops.sum(x) > 0, lambda: x + 1, lambda: x - 1)
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError(f"cond: true_fn and false_fn must be callable, not {true_fn!r} and {false_fn!r}.")
    if not isinstance(pred, KerasTensor):
        return _cond(trees.tensors(pred) if hasattr(pred, "dtype") else pred, true_fn, false_fn)

    # What the functions refer to may be symbolic, too: they are run here, and become part of the graph.
    yes, no = true_fn(), false_fn()
    trees.check_like(f"cond: {_ALIKE}", trees.specs(yes), trees.specs(no))
    return tree.map_structure(lambda a, b: kops.where(pred, a, b), yes, no, none_is_leaf=False)


def _switch_spec(index: Any, branches: Any, operands: Any) -> Any:
    results = [trees.result_specs(branch, *operands) for branch in branches]
    for other in results[1:]:
        trees.check_like("switch: all branches must return the same structure, shapes and dtypes", other, results[0])
    return results[0]


@functional("keras.ops.switch", shape=_switch_spec)
def switch(index: Operand, branches: Any, *operands: Operand) -> Any:
    """`branches[index](*operands)`, the index clamped to the list.

    Args:
        index: scalar integer, a number or a tensor.
        branches: list of functions, whose results have the same structure, shapes and dtypes.
        *operands: arguments of the functions, tensors or trees of them.

    Returns:
        What the chosen function returns.
    """
    return branches[min(max(int(index), 0), len(branches) - 1)](*trees.tensors(list(operands)))


def _while_spec(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    given, several = trees.as_vars(loop_vars)
    state = trees.specs(given)
    after, _ = trees.as_vars(trees.result_specs(body, *state))
    trees.check_like("while_loop: body must return what it gets, with the same shapes and dtypes", after, state)
    fresh = tree.map_structure(lambda s: KerasTensor(s.shape, s.dtype), state)
    return fresh if several else fresh[0]


@functional("keras.ops.while_loop", shape=_while_spec)
def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Operand, maximum_iterations: int | None = None
) -> Any:
    """Repeat `loop_vars = body(*loop_vars)` as long as `cond(*loop_vars)` is true.

    Args:
        cond: takes the loop variables, returns a scalar bool.
        body: takes the loop variables, returns them anew with the same structure, shapes and dtypes.
        loop_vars: a tuple or list of tensors or trees of them; or a single one.
        maximum_iterations: optional limit.

    Returns:
        The final loop variables: a tuple, or the single one.

    Example:
        >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, 1.0))
        (3, 8.0)
    """
    given, several = trees.as_vars(loop_vars)
    state = trees.tensors(given)
    count = 0
    while (maximum_iterations is None or count < maximum_iterations) and bool(cond(*state)):
        state = trees.tensors(trees.as_vars(body(*state))[0])
        count += 1
    return state if several else state[0]


def _fori_spec(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    check_bounds(lower, upper)
    state = trees.specs(init_val)
    after = trees.result_specs(body_fun, KerasTensor((), "int32", record_history=False), state)
    trees.check_like("fori_loop: body_fun must return what it gets, with the same shapes and dtypes", after, state)
    return tree.map_structure(lambda s: KerasTensor(s.shape, s.dtype), state)


@functional("keras.ops.fori_loop", shape=_fori_spec)
def fori_loop(lower: Operand, upper: Operand, body_fun: Callable[..., Any], init_val: Operand) -> Any:
    """`init_val` after `val = body_fun(i, val)` for `i` from `lower` to `upper - 1`.

    Args:
        lower, upper: integers, numbers or scalar tensors.
        body_fun: takes the index (a scalar tensor) and the value, returns the value anew with the same structure,
            shapes and dtypes.
        init_val: tensor or tree of tensors.

    Returns:
        The final value.

    Example:
        >>> fori_loop(0, 4, lambda i, total: total + i, 0)
        6
    """
    check_bounds(lower, upper)
    value = trees.tensors(init_val)
    for i in range(int(lower), int(upper)):
        value = trees.tensors(body_fun(trees.tensors(i), value))
    return value


def _scan_spec(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: Any = 1) -> Any:
    check_scan(f, unroll)
    size = trees.leading("scan", xs, length)
    carry = trees.specs(init)
    after, row = trees.result_specs(f, carry, trees.without_first(xs))
    trees.check_like("scan: the carry that f returns must be like init", after, carry)
    return after, trees.longer(row, size)


@functional("keras.ops.scan", shape=_scan_spec)
def scan(
    f: Callable[..., Any],
    init: Operand,
    xs: Operand = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: Any = 1,
) -> Any:
    """Carry a state along the first axis of `xs`: `carry, y = f(carry, x)` for each slice `x`.

    Args:
        f: takes the carry and a slice of `xs`, returns the carry (with the same structure, shapes and dtypes) and
            an output (a tensor, a tree of tensors, or None).
        init: the first carry, a tensor or tree of tensors.
        xs: tensor or tree of tensors with the same size of the first axis; or None.
        length: number of steps; needed when `xs` is None.
        reverse: start with the last slice; outputs stay in the order of the slices.
        unroll: steps per iteration of the compiled loop (JAX), True for all.

    Returns:
        The final carry, and the outputs stacked along a new first axis.

    Example:
        >>> scan(lambda total, x: (total + x, total), 0, [1, 2, 3])
        (6, [0, 1, 3])
    """
    check_scan(f, unroll)
    carry, xs = trees.tensors(init), trees.tensors(xs)
    size = trees.known_length("scan", xs, length)
    rows: list[Any] = [None] * size
    for i in reversed(range(size)) if reverse else range(size):
        carry, row = f(carry, trees.at(xs, i))
        carry, rows[i] = trees.tensors(carry), trees.tensors(row)
    return carry, trees.stacked(rows, lambda: trees.result_specs(f, trees.specs(init), trees.without_first(xs))[1])
