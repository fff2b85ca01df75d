"""Control flow: at once in eager code, by PyTorch's higher-order operators in compiled code."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from kops.backends.kernel_tables import kernels
from kops.control_checks import check_bounds, check_jvp, upstream_call
from kops.control_trees import leading, tensors
from kops.declare import OPS


def _owned(structure: Any) -> Any:
    # Results of compiled branches and loops may not be their inputs.
    return tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else torch.tensor(x), structure)


def _cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor):
        return torch.cond(pred.to(torch.bool), lambda: _owned(true_fn()), lambda: _owned(false_fn()), ())
    return true_fn() if bool(pred) else false_fn()


def _switch(index: Any, branches: Any, operands: Any) -> Any:
    if not (torch.compiler.is_compiling() and isinstance(index, torch.Tensor)):
        return branches[min(max(int(index), 0), len(branches) - 1)](*tensors(list(operands)))

    def choose(low: int, high: int) -> Any:
        if high - low == 1:
            return branches[low](*operands)
        middle = (low + high) // 2
        return _cond(index < middle, lambda: choose(low, middle), lambda: choose(middle, high))

    return choose(0, len(branches))


def _while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    if not torch.compiler.is_compiling():
        return OPS["while_loop"].body(cond, body, loop_vars, maximum_iterations)
    several = isinstance(loop_vars, (tuple, list))
    given = tuple(loop_vars) if several else (loop_vars,)
    state = tree_map(lambda x: x if isinstance(x, torch.Tensor) else torch.tensor(x), given)
    limit = 2**62 if maximum_iterations is None else maximum_iterations

    def go_on(count: Any, *xs: Any) -> Any:
        return torch.logical_and(count < limit, cond(*xs))

    def step(count: Any, *xs: Any) -> Any:
        after = body(*xs)
        return (count + 1, *_owned(tuple(after) if isinstance(after, (tuple, list)) else (after,)))

    from torch._higher_order_ops.while_loop import while_loop

    _, *after = while_loop(go_on, step, (torch.tensor(0), *state))
    return tuple(after) if several else after[0]


_UNROLLED = 32  # compiled loops of more steps are not written out


def _fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    check_bounds(lower, upper)
    unknown = isinstance(lower, torch.Tensor) or isinstance(upper, torch.Tensor)
    if torch.compiler.is_compiling() and (unknown or upper - lower > _UNROLLED):
        leaves, structure = tree_flatten(init_val)

        def step(i: Any, *xs: Any) -> Any:
            return i + 1, *tree_flatten(body_fun(i, tree_unflatten(xs, structure)))[0]

        start = torch.as_tensor(lower, dtype=torch.int32)
        _, *leaves = _while_loop(lambda i, *xs: i < upper, step, (start, *leaves))
        return tree_unflatten(leaves, structure)
    value = tensors(init_val)
    for i in range(int(lower), int(upper)):
        value = tensors(body_fun(torch.tensor(i, dtype=torch.int32), value))
    return value


def _vectorized_map(function: Any, elements: Any) -> Any:
    elements = tensors(elements)
    if leading("vectorized_map", elements) == 0:
        return OPS["map"].body(function, elements)
    return torch.func.vmap(lambda x: tensors(function(x)), randomness="different")(elements)


def _jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    check_jvp(primals, tangents)
    return torch.func.jvp(fun, tuple(tensors(list(primals))), tuple(tensors(list(tangents))), has_aux=has_aux)


class _WithGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, f: Any, *args: Any) -> Any:
        out, ctx.grad = f(*args)
        return tuple(out) if isinstance(out, list) else out

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> Any:
        found = upstream_call(ctx.grad, upstream[0] if len(upstream) == 1 else upstream)
        return (None, *(found if isinstance(found, (tuple, list)) else (found,)))


TABLE = {
    **kernels(_fori_loop, _jvp, _switch, _vectorized_map, _while_loop),
    "_cond": _cond,
    "_with_gradient": lambda f, args: _WithGradient.apply(f, *args),
    "stop_gradient": torch.Tensor.detach,
}
