"""Reduction graph kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.openvino import opset
from kops.backends.openvino.build import i64, lengths
from kops.backends.openvino.core import GraphTensor, dtype_name, node
from kops.backends.openvino.loops import loop
from kops.dtypes import FLOATS


def _axes(x: Any, axis: Any) -> list[int]:
    return list(range(len(x.shape)) if axis is None else [axis] if isinstance(axis, int) else axis)


def _nothing(x: Any, axis: Any) -> bool:
    """Whether no axis is reduced, which OpenVINO's kernels refuse."""
    return not len(x.shape) or (isinstance(axis, (tuple, list)) and not axis)


def _reducing(build: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        if _nothing(x, axis):
            return x
        return GraphTensor(build(node(x), _axes(x, axis), keepdims))

    return kernel


def _var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    handle, axes = node(x), i64(_axes(x, axis))
    if _nothing(x, axis):
        return GraphTensor(opset.subtract(handle, handle))
    distance = opset.subtract(handle, opset.reduce_mean(handle, axes, True))
    return GraphTensor(opset.reduce_mean(opset.multiply(distance, distance), axes, keepdims))


def _extreme(build: Any, join: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        out = node(x) if _nothing(x, axis) else build(node(x), _axes(x, axis), keepdims)
        return GraphTensor(out if initial is None else join(out, node(limit(initial, x), dtype_name(x))))

    return kernel


def _flat(x: Any) -> Any:
    return opset.reshape(node(x), opset.constant(np.array([-1])), special_zero=False)


def _index(mode: str) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        handle, at = (_flat(x), 0) if axis is None else (node(x), axis % len(x.shape))
        most = "max" if dtype_name(x) in FLOATS else mode
        if most != mode:  # the first NaN is the smallest, too
            handle = opset.negative(handle).output(0)
        out = opset.topk(handle, i64(1), at, most, "value", index_element_type="i32", stable=True)[1]
        if axis is None:
            shape = np.ones(len(x.shape) if keepdims else 0, np.int64)
            return GraphTensor(opset.reshape(out, opset.constant(shape), special_zero=False))
        return GraphTensor(out if keepdims else opset.squeeze(out, i64([at])))

    return kernel


def _cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    handle = _flat(x) if axis is None else node(x)
    return GraphTensor(opset.cum_sum(handle, opset.constant(np.int32(axis or 0))))


def _products(x: Any, axis: int) -> tuple[Any, Any]:
    """Of all slices along an axis, and of the first 1, 2, ... of them."""
    rest = i64([a for a in range(len(x.shape)) if a != axis])
    ones = opset.broadcast(opset.scalar(1, node(x)), opset.gather(lengths(node(x)), rest, i64(0)))

    def step(states: Any, slices: Any) -> Any:
        product = GraphTensor(opset.multiply(node(states[0]), node(slices[0])))
        return [product], [product], None

    (last,), (whole,) = loop(step, [GraphTensor(ones)], [(x, axis)])
    return last, whole


def _cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    x, axis = (GraphTensor(_flat(x)), 0) if axis is None else (x, axis % len(x.shape))
    order = list(range(1, len(x.shape)))
    order.insert(axis, 0)
    return GraphTensor(opset.transpose(node(_products(x, axis)[1]), opset.constant(np.array(order))))


def _prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    if dtype_name(x) in FLOATS:
        return _over(opset.reduce_prod)(x, axis, keepdims)
    axes = [a % len(x.shape) for a in _axes(x, axis)]
    for a in sorted(axes, reverse=True):  # OpenVINO would multiply integers as floats
        x = _products(x, a)[0]
    return GraphTensor(opset.unsqueeze(node(x), i64(sorted(axes)))) if keepdims and axes else x


def _bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    if sparse:
        raise NotImplementedError("sparse counts exist with the TensorFlow backend only. Use sparse=False.")
    handle = opset.convert(node(x), "i64")
    largest = opset.reduce_max(_flat(GraphTensor(handle)), [0])
    size = opset.maximum(opset.add(largest, i64(1)), i64(minlength))
    numbers = opset.range(i64(0), size, i64(1), "i64")
    here = opset.equal(opset.unsqueeze(handle, i64([-1])), numbers)
    one = opset.constant(np.int32(1)) if weights is None else opset.unsqueeze(node(weights), i64([-1]))
    counted = opset.select(here, one, opset.convert_like(opset.constant(np.int32(0)), one))
    return GraphTensor(opset.reduce_sum(counted, [-2]))


def _over(build: Any) -> Any:
    return _reducing(lambda handle, axes, keepdims: build(handle, i64(axes), keepdims))


TABLE = {
    **native(opset, "all=reduce_logical_and any=reduce_logical_or mean=reduce_mean", _over),
    **kernels(_bincount, _cumprod, _cumsum, _prod, _var),
    "argmax": _index("max"),
    "argmin": _index("min"),
    "max": _extreme(opset.reduce_max, opset.maximum),
    "min": _extreme(opset.reduce_min, opset.minimum),
    "sum": _reducing(opset.reduce_sum),
}
