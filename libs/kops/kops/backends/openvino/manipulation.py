"""Graph kernels that arrange elements anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.kernel_tables import kernels
from kops.backends.openvino import opset
from kops.backends.openvino.build import LAST, cut, i64, length, lengths, pack, rank, target
from kops.backends.openvino.core import GraphTensor, cast, node
from kops.dims import COPYING_PADS, as_tuple, cuts, other_pad, pad_pairs, pad_positions, positive, shift_pairs

_FIRST = -LAST


def _graph(build: Any) -> Any:
    """A kernel from a function on the first argument's graph handle."""
    return lambda x, *static: GraphTensor(build(node(x), *static))


def reshaped(x: Any, shape: Any) -> Any:
    return opset.reshape(x, shape, False).output(0)


def _transpose(x: Any, axes: Any) -> Any:
    return opset.transpose(x, i64(range(rank(x) - 1, -1, -1) if axes is None else list(axes)))


def _squeeze(x: Any, axis: Any) -> Any:
    if axis is None:
        axis = [i for i in range(rank(x)) if length(x, i) == 1]
    axes = as_tuple(axis) if not isinstance(axis, list) else axis
    for a in axes:
        if isinstance(length(x, a), int) and length(x, a) != 1:
            raise ValueError(f"axis {a} has length {length(x, a)}; only axes of length 1 can be squeezed.")
    return opset.squeeze(x, i64(list(axes))) if axes else x


def _split(x: Any, sections: Any, axis: int) -> list[GraphTensor]:
    x = node(x)
    if isinstance(sections, int):
        return [GraphTensor(o) for o in opset.split(x, i64(axis), sections).outputs()]
    return [
        GraphTensor(cut(x, axis, part.start, LAST if part.stop is None else part.stop)) for part in cuts(sections, None)
    ]


def _unstack(x: Any, num: int | None, axis: int) -> list[GraphTensor]:
    x = node(x)
    n = length(x, axis)
    parts = opset.split(x, i64(axis), n if isinstance(n, int) else num).outputs()
    return [GraphTensor(opset.squeeze(p, i64([axis]))) for p in parts]


def _repeat(x: Any, repeats: Any, axis: int | None) -> Any:
    if axis is None:
        x, axis = reshaped(x, i64([-1])), 0
    axis = positive(axis, rank(x))
    if not isinstance(repeats, int):
        counts = np.asarray(repeats)
        n = length(x, axis) if counts.size == 1 else counts.size
        if counts.size > 1:
            return opset.gather(x, i64(np.repeat(np.arange(n), counts)), i64(axis))
        repeats = int(counts.reshape(()))
    times = [1] * (rank(x) + 1)
    times[axis + 1] = repeats
    tiled = opset.tile(opset.unsqueeze(x, i64([axis + 1])), i64(times))
    grown = [repeats if i == axis else 1 for i in range(rank(x))]
    return reshaped(tiled, opset.multiply(lengths(x), i64(grown)))


def _broadcast_to(x: Any, shape: Any) -> Any:
    if isinstance(shape, (tuple, list)) and any(d is None for d in shape):
        lead = len(shape) - rank(x)
        own = [GraphTensor(opset.gather(lengths(x), i64(i), i64(0))) for i in range(rank(x))]
        shape = [own[i - lead] if d is None else d for i, d in enumerate(shape)]
    return opset.broadcast(x, target(shape))


def _flip(x: Any, axis: Any) -> Any:
    axes = list(range(rank(x))) if axis is None else list(as_tuple(axis))
    n = len(axes)
    return opset.slice(x, i64([-1] * n), i64([_FIRST] * n), i64([-1] * n), i64(axes)) if n else x


def _roll(x: Any, shift: Any, axis: Any) -> Any:
    if axis is None:
        flat = opset.roll(reshaped(x, i64([-1])), i64([as_tuple(shift)[0]]), i64([0]))
        return reshaped(flat, lengths(x))
    shifts, axes = shift_pairs(shift, axis)
    return opset.roll(x, i64(shifts), i64(axes))


def _pad(x: Any, pad_width: Any, mode: str, constant_values: Any) -> GraphTensor:
    graph = node(x)
    pairs = pad_pairs(pad_width, rank(graph))
    if mode == "constant":
        begin, end = i64([p[0] for p in pairs]), i64([p[1] for p in pairs])
        value = 0 if constant_values is None else constant_values
        return GraphTensor(opset.pad(graph, begin, end, "constant", node(cast(_array(value), x.dtype))))
    if mode not in COPYING_PADS:
        raise other_pad(mode, "openvino")
    for axis, pair in enumerate(pairs):
        if any(pair):
            graph = opset.gather(graph, _copied(graph, axis, pair, mode), i64(axis)).output(0)
    return GraphTensor(graph)


def _array(value: Any) -> Any:
    return value if isinstance(value, GraphTensor) else np.asarray(value)


def _copied(x: Any, axis: int, pair: tuple[int, int], mode: str) -> Any:
    n = length(x, axis)
    if isinstance(n, int):
        return i64([pad_positions(i, n, mode, min, max) for i in range(-pair[0], n + pair[1])])
    from kops.ops.elementwise_arithmetic import maximum, minimum  # of graph tensors

    stop = opset.add(n, i64(pair[1]))
    around = GraphTensor(opset.range(i64(-pair[0]), stop, i64(1), ov.Type.i64))
    return node(pad_positions(around, GraphTensor(n), mode, minimum, maximum))


TABLE = {
    **kernels(_split, _unstack, _pad),
    **kernels(_transpose, _squeeze, _repeat, _broadcast_to, _flip, _roll, around=_graph),
    "reshape": _graph(lambda x, newshape: reshaped(x, target(newshape))),
    "expand_dims": _graph(lambda x, axis: opset.unsqueeze(x, i64(list(as_tuple(axis))))),
    "concatenate": lambda xs, axis: GraphTensor(opset.concat([node(x) for x in xs], axis)),
    "stack": lambda xs, axis: GraphTensor(opset.concat([opset.unsqueeze(node(x), i64([axis])) for x in xs], axis)),
    "tile": _graph(lambda x, repeats: opset.tile(x, pack(as_tuple(repeats)))),
}
