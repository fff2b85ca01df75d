"""Control flow: at once in eager code, by TensorFlow's functional operators inside a tf.function."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops import tree
from kops.backends.kernel_tables import kernels
from kops.control_checks import check_jvp, check_scan, upstream_call
from kops.control_trees import as_vars, leading, result_specs, specs, tensors, without_first
from kops.declare import OPS


def _cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    if not tf.is_symbolic_tensor(pred):
        return OPS["_cond"].body(pred, true_fn, false_fn)
    return tf.cond(tf.cast(pred, tf.bool), lambda: tensors(true_fn()), lambda: tensors(false_fn()))


def _switch(index: Any, branches: Any, operands: Any) -> Any:
    if not tf.is_symbolic_tensor(index):
        return OPS["switch"].body(index, branches, *operands)
    operands = tensors(list(operands))
    chosen = tf.clip_by_value(tf.cast(index, tf.int32), 0, len(branches) - 1)
    return tf.switch_case(chosen, [lambda branch=branch: tensors(branch(*operands)) for branch in branches])


def _while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    if tf.executing_eagerly():
        return OPS["while_loop"].body(cond, body, loop_vars, maximum_iterations)
    given, several = as_vars(loop_vars)
    after = tf.while_loop(
        lambda *xs: tf.reshape(tf.cast(cond(*xs), tf.bool), ()),
        lambda *xs: tensors(as_vars(body(*xs))[0]),
        tensors(given),
        maximum_iterations=maximum_iterations,
    )
    return tuple(after) if several else after[0]


def _fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    if tf.executing_eagerly():
        return OPS["fori_loop"].body(lower, upper, body_fun, init_val)
    first, last = tf.cast(lower, tf.int32), tf.cast(upper, tf.int32)
    return _while_loop(lambda i, x: i < last, lambda i, x: (i + 1, body_fun(i, x)), (first, init_val))[1]


def _scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: Any = 1) -> Any:
    check_scan(f, unroll)
    carry, xs = tensors(init), tensors(xs)
    size = leading("scan", xs, length)
    if tf.executing_eagerly():
        return OPS["scan"].body(f, carry, xs, length, reverse, unroll)
    return _graph_scan(f, carry, xs, size, reverse)


def _graph_scan(f: Any, carry: Any, xs: Any, size: Any, reverse: bool) -> Any:
    leaves = [x for x in tree.flatten(xs) if x is not None]
    count = size if size is not None else tf.shape(leaves[0])[0]
    _, row = result_specs(f, specs(carry), without_first(xs))
    inputs = [tf.TensorArray(x.dtype, count).unstack(x) for x in leaves]
    kept = [s for s in tree.flatten(row) if s is not None]
    outputs = [tf.TensorArray(s.dtype, count, element_shape=s.shape) for s in kept]

    def refill(structure: Any, values: Any) -> Any:
        queue = list(values)
        return tree.map_structure(lambda x: queue.pop(0), structure, none_is_leaf=False)

    def step(i: Any, state: Any, arrays: Any) -> Any:
        place = count - 1 - i if reverse else i
        after, out = f(state, refill(xs, [array.read(place) for array in inputs]))
        written = [x for x in tree.flatten(tensors(out)) if x is not None]
        return i + 1, tensors(after), [array.write(place, x) for array, x in zip(arrays, written)]

    _, carry, outputs = tf.while_loop(lambda i, *_: i < count, step, (tf.constant(0), carry, outputs))
    rows = [array.stack() for array in outputs]
    for x, s in zip(rows, kept):
        x.set_shape((size, *s.shape))
    return carry, refill(row, rows)


def _map(f: Any, xs: Any) -> Any:
    if tf.executing_eagerly():
        return OPS["map"].body(f, xs)
    xs = tensors(xs)
    return _graph_scan(lambda c, x: (c, f(x)), tf.constant(0), xs, leading("map", xs), False)[1]


def _vectorized_map(function: Any, elements: Any) -> Any:
    elements = tensors(elements)
    if leading("vectorized_map", elements) == 0:
        return OPS["map"].body(function, elements)
    return tf.vectorized_map(lambda x: tensors(function(x)), elements)


def _associative_scan(f: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    elems = tensors(elems)
    if leading("associative_scan", elems, axis=axis) is not None:
        return OPS["associative_scan"].body(f, elems, reverse, axis)

    # The number of halvings depends on the size: with an unknown one, go step by step.
    def front(x: Any) -> Any:
        place = axis % len(x.shape)
        return tf.transpose(x, [place, *(i for i in range(len(x.shape)) if i != place)])

    def back(x: Any) -> Any:
        place = axis % len(x.shape)
        return tf.transpose(x, [*range(1, place + 1), 0, *range(place + 1, len(x.shape))])

    def step(carry: Any, x: Any) -> Any:
        begun, total = carry
        whole = tree.map_structure(lambda v: tf.expand_dims(v, _place(v)), (total, x))
        joined = f(*whole)
        joined = tree.map_structure(lambda v, like: tf.squeeze(v, _place(like)), joined, x)
        total = tree.map_structure(lambda a, b: tf.where(begun, a, b), joined, x)
        return (True, total), total

    def _place(v: Any) -> int:
        return axis % (len(v.shape) + 1)

    moved = tree.map_structure(front, elems)
    zero = tree.map_structure(lambda x: tf.zeros(tf.shape(x)[1:], x.dtype), moved)
    zero = tree.map_structure(lambda z, x: tf.ensure_shape(z, x.shape[1:]), zero, moved)
    _, rows = _graph_scan(step, (False, zero), moved, None, reverse)
    return tree.map_structure(back, rows)


def _jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    check_jvp(primals, tangents)
    primals, tangents = tensors(list(primals)), tensors(list(tangents))
    with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
        out = fun(*primals)
        out, aux = out if has_aux else (out, None)
    found = tree.map_structure(lambda x: accumulator.jvp(x, unconnected_gradients=tf.UnconnectedGradients.ZERO), out)
    return (out, found, aux) if has_aux else (out, found)


def _with_gradient(f: Any, args: Any) -> Any:
    @tf.custom_gradient
    def run(*xs: Any) -> Any:
        out, grad = f(*xs)

        def back(*upstream: Any, variables: Any = None) -> Any:
            found = upstream_call(grad, upstream[0] if len(upstream) == 1 else upstream)
            return found if variables is None else (found, [None] * len(variables))

        return out, back

    return run(*args)


TABLE = {
    **kernels(_associative_scan, _fori_loop, _jvp, _map, _scan, _switch, _vectorized_map, _while_loop),
    "_cond": _cond,
    "_with_gradient": _with_gradient,
    "stop_gradient": tf.stop_gradient,
}
