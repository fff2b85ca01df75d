"""Graph kernels that read and write elements by position."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.kernel_tables import kernels
from kops.backends.openvino import opset
from kops.backends.openvino.build import LAST, i64, lengths, pack, permute, rank, target, wrapped
from kops.backends.openvino.core import GraphTensor, cast, node
from kops.backends.openvino.manipulation import reshaped
from kops.dims import positive
from kops.item_keys import canonical_key, entries_of, is_array, is_mask, item_shape, take_apart


def _get_item(x: GraphTensor, key: Any) -> GraphTensor:
    key = canonical_key(key)
    item_shape(x.shape, key)  # OpenVINO clamps ints that are out of range
    entries = entries_of(key, rank(node(x)))
    if not any(is_array(e) for e in entries):
        return GraphTensor(_basic(node(x), entries))
    basic, gathers, position = take_apart(key, rank(node(x)))
    return GraphTensor(_gather_axes(_basic(node(x), list(basic)), gathers, position))


def _basic(x: Any, entries: list[Any]) -> Any:
    """Slices, ints and new axes."""
    starts: list[Any] = []
    stops: list[Any] = []
    steps: list[int] = []
    axes: list[int] = []
    dropped: list[int] = []
    added: list[int] = []
    axis = position = 0
    for e in entries:
        if e is None:
            added.append(position)
            position += 1
            continue
        if isinstance(e, slice):
            step = 1 if e.step is None else int(e.step)
            if not (e.start is e.stop is e.step is None):  # bounds may be tensors
                starts.append((0 if step > 0 else LAST) if e.start is None else e.start)
                stops.append((LAST if step > 0 else -LAST) if e.stop is None else e.stop)
                steps.append(step)
                axes.append(axis)
            position += 1
        else:
            i = int(e)
            starts.append(i)
            stops.append(LAST if i == -1 else i + 1)
            steps.append(1)
            axes.append(axis)
            dropped.append(axis)
        axis += 1
    if axes:
        x = opset.slice(x, pack(starts), pack(stops), i64(steps), i64(axes)).output(0)
    if dropped:
        x = opset.squeeze(x, i64(dropped)).output(0)
    return opset.unsqueeze(x, i64(added)).output(0) if added else x


def _gather_axes(x: Any, gathers: Any, position: int) -> Any:
    axes: list[int] = []
    arrays: list[Any] = []
    for axis, e in gathers:
        if is_mask(e):
            columns = opset.split(opset.non_zero(node(e)), i64(0), len(e.shape)).outputs()
            for i, column in enumerate(columns):
                axes.append(axis + i)
                arrays.append(opset.squeeze(column, i64([0])).output(0))
        else:
            axes.append(axis)
            arrays.append(wrapped(node(e) if is_array(e) else i64(e), x, axis))
    if len(axes) == 1:
        return _move(opset.gather(x, arrays[0], i64(axes[0])).output(0), axes[0], rank(arrays[0]), position)
    x = permute(x, [*axes, *(a for a in range(rank(x)) if a not in axes)])
    zero = arrays[0]
    for a in arrays[1:]:
        zero = opset.add(zero, a).output(0)
    zero = opset.multiply(zero, i64(0)).output(0)  # of the shape to which all broadcast
    stacked = opset.concat([opset.unsqueeze(opset.add(a, zero), i64([-1])) for a in arrays], -1)
    return _move(opset.gather_nd(x, stacked).output(0), 0, rank(zero), position)


def _move(x: Any, source: int, count: int, position: int) -> Any:
    moved = list(range(source, source + count))
    rest = [a for a in range(rank(x)) if a not in moved]
    return permute(x, [*rest[:position], *moved, *rest[position:]])


def _take(x: Any, indices: Any, axis: int | None) -> GraphTensor:
    x = node(x)
    if axis is None:
        x, axis = reshaped(x, i64([-1])), 0
    # gather itself counts negative positions from the end
    return GraphTensor(opset.gather(x, opset.convert(node(indices), ov.Type.i64), i64(axis)))


def _take_along_axis(x: Any, indices: Any, axis: int | None) -> GraphTensor:
    x, indices = node(x), node(indices)
    if axis is None:
        x, indices, axis = reshaped(x, i64([-1])), reshaped(indices, i64([-1])), 0
    n = rank(x)
    axis = positive(axis, n)
    indices = wrapped(indices, x, axis)
    if n > 1:
        here = i64([int(i == axis) for i in range(n)])
        sx, si = lengths(x), lengths(indices)
        shared = opset.maximum(sx, si)
        x = opset.broadcast(x, opset.select(opset.equal(here, i64(1)), sx, shared))
        indices = opset.broadcast(indices, opset.select(opset.equal(here, i64(1)), si, shared))
    return GraphTensor(opset.gather_elements(x, indices, axis))


def _slice(x: Any, starts: Any, shape: Any) -> GraphTensor:
    graph = node(x)
    begin = pack(starts)
    stops = opset.add(begin, target(shape)).output(0)
    if isinstance(shape, (tuple, list)) and -1 in [d for d in shape if isinstance(d, int)]:
        open_ends = [isinstance(d, int) and d == -1 for d in shape]
        stops = opset.select(opset.constant(np.array(open_ends)), i64(LAST), stops).output(0)
    n = rank(graph)
    return GraphTensor(opset.slice(graph, begin, stops, i64([1] * n), i64(range(n))))


def _slice_update(x: Any, starts: Any, updates: Any) -> GraphTensor:
    graph, block, begin = node(x), node(updates), pack(starts)
    end = opset.subtract(opset.subtract(lengths(graph), begin), lengths(block)).output(0)
    ones = opset.broadcast(opset.constant(np.int32(1)), lengths(block))
    inside = opset.pad(ones, begin, end, "constant", opset.constant(np.int32(0)))
    zero = node(cast(np.asarray(0), x.dtype))
    padded = opset.pad(block, begin, end, "constant", zero)
    return GraphTensor(opset.select(opset.equal(inside, opset.constant(np.int32(1))), padded, graph))


def _rows(indices: Any, shape: Any) -> Any:
    """Scatter indices in int64, negative ones wrapped."""
    depth = indices.get_partial_shape()[rank(indices) - 1].get_length()
    indices = opset.convert(indices, ov.Type.i64)
    lead = opset.slice(shape, i64([0]), i64([depth]), i64([1]), i64([0]))
    return opset.select(opset.less(indices, i64(0)), opset.add(indices, lead), indices).output(0), depth


_REDUCTIONS = {None: "none", "add": "sum", "mul": "prod", "max": "max", "min": "min"}


def _scatter_into(data: Any, indices: Any, updates: Any, reduction: Any) -> GraphTensor:
    shape = lengths(data)
    indices, depth = _rows(node(indices), shape)
    n = rank(indices)
    lead = opset.slice(lengths(indices), i64([0]), i64([n - 1]), i64([1]), i64([0]))
    rest = opset.slice(shape, i64([depth]), i64([LAST]), i64([1]), i64([0]))
    updates = opset.broadcast(node(updates), opset.concat([lead, rest], 0))
    return GraphTensor(opset.scatter_nd_update(data, indices, updates, _REDUCTIONS[reduction]))


def _scatter(indices: Any, values: Any, shape: Any) -> GraphTensor:
    zeros = opset.broadcast(node(cast(np.asarray(0), values.dtype)), target(shape)).output(0)
    return _scatter_into(zeros, indices, values, "add")


def _nonzero(x: Any) -> tuple[GraphTensor, ...]:
    x = node(x)
    columns = opset.split(opset.non_zero(x), i64(0), rank(x)).outputs()
    return tuple(GraphTensor(opset.convert(opset.squeeze(c, i64([0])), ov.Type.i32)) for c in columns)


TABLE = {
    **kernels(_get_item, _take, _take_along_axis, _slice, _slice_update, _scatter, _nonzero),
    "scatter_update": lambda x, indices, updates, reduction: _scatter_into(node(x), indices, updates, reduction),
}
