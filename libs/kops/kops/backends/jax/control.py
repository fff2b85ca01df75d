"""Control flow by `jax.lax`. A branch whose condition is known is taken at once and compiles nothing."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from kops.backends.kernel_tables import kernels
from kops.control_checks import check_bounds, check_jvp, check_scan, upstream_call
from kops.control_trees import as_vars, leading, tensors
from kops.declare import OPS


def _cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    if not isinstance(pred, jax.core.Tracer):
        return OPS["_cond"].body(pred, true_fn, false_fn)
    return jax.lax.cond(pred.astype(bool), lambda: tensors(true_fn()), lambda: tensors(false_fn()))


def _switch(index: Any, branches: Any, operands: Any) -> Any:
    if not isinstance(index, jax.core.Tracer):
        return OPS["switch"].body(index, branches, *operands)
    wrapped = [lambda *xs, branch=branch: tensors(branch(*xs)) for branch in branches]
    return jax.lax.switch(index, wrapped, *tensors(list(operands)))


def _while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    given, several = as_vars(loop_vars)

    def go_on(state: Any) -> Any:
        count, xs = state
        more = jnp.asarray(cond(*xs), bool).reshape(())
        return more if maximum_iterations is None else jnp.logical_and(more, count < maximum_iterations)

    def step(state: Any) -> Any:
        count, xs = state
        return count + 1, tensors(as_vars(body(*xs))[0])

    _, after = jax.lax.while_loop(go_on, step, (jnp.int32(0), tensors(given)))
    return after if several else after[0]


def _fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    check_bounds(lower, upper)
    return jax.lax.fori_loop(lower, upper, lambda i, x: tensors(body_fun(i, x)), tensors(init_val))


def _scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: Any = 1) -> Any:
    check_scan(f, unroll)
    xs = tensors(xs)
    size = leading("scan", xs, length)
    return jax.lax.scan(lambda c, x: tensors(f(c, x)), tensors(init), xs, size, reverse=reverse, unroll=unroll)


def _map(f: Any, xs: Any) -> Any:
    xs = tensors(xs)
    leading("map", xs)
    return jax.lax.map(lambda x: tensors(f(x)), xs)


def _vectorized_map(function: Any, elements: Any) -> Any:
    elements = tensors(elements)
    leading("vectorized_map", elements)
    return jax.vmap(lambda x: tensors(function(x)))(elements)


def _jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    check_jvp(primals, tangents)
    return jax.jvp(fun, tuple(tensors(list(primals))), tuple(tensors(list(tangents))), has_aux=has_aux)


def _with_gradient(f: Any, args: Any) -> Any:
    @jax.custom_gradient
    def run(*xs: Any) -> Any:
        out, grad = f(*xs)

        def back(upstream: Any) -> Any:
            found = upstream_call(grad, upstream)
            return tuple(found) if len(xs) > 1 else found[0] if isinstance(found, (tuple, list)) else found

        return out, back

    return run(*args)


TABLE = {
    **kernels(_fori_loop, _jvp, _map, _scan, _switch, _vectorized_map, _while_loop),
    "_cond": _cond,
    "_with_gradient": _with_gradient,
    "stop_gradient": jax.lax.stop_gradient,
}
