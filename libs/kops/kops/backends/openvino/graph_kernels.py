"""Graph kernels among the dtypes that the CPU computes in others.

Small integers saturate, so they are carried by int32. uint32 is held in the bits of int32: adding and multiplying are
the same, and what depends on the order gets numbers whose signed order it is.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from kops import tree
from kops.backends.limit import limit
from kops.backends.openvino import opset
from kops.backends.openvino.core import WIDE, GraphTensor, cast, check_dtype, dtype_name, is_tensor, node, refusal
from kops.backends.openvino.gaps import GRAPH_GAPS, GRAPH_LIMITS
from kops.backends.openvino.table import GRAPH_TABLE, MOVING

_CARRIED = ("int8", "uint8", "int16", "uint16", *WIDE)
_SORTING = {"argpartition", "argsort", "searchsorted", "sort", "top_k"}
_PLACING = {"argmax", "argmin", "argpartition", "argsort", "bincount", "searchsorted"}
_COMPARING = _SORTING | {"argmax", "argmin", "greater", "greater_equal", "less", "less_equal"}
_CHOOSING = {"clip", "max", "maximum", "min", "minimum", "segment_max", "segment_min", "sort", "top_k"}
_DIVIDING = {"floor_divide", "fmod", "gcd", "mod", "power", "right_shift"}
_UNSIGNED = {"absolute", "negative", "relu", "relu6", "sign", "signbit"}
_UNCARRIED = MOVING | {"einsum", "matmul", "max_pool", "tensordot"}  # and what begins with the end of a dtype
_UNCARRIED |= {"segment_max", "segment_min"}
# Of 64 bits: they give what they were given.
_EXACT = (
    MOVING | _CHOOSING | _PLACING | {"fmod", "mod", "slice_update", "where", "bitwise_and", "bitwise_or", "bitwise_xor"}
)


def graph_kernel(name: str) -> Callable[..., Any] | None:
    """The kernel of an op, or None where it is a formula."""
    from kops.declare import OPS

    kernel = GRAPH_TABLE.get(name)
    if kernel is None:
        if name in GRAPH_GAPS and OPS[name].kind == "primitive":
            raise refusal(f"no graph of OpenVINO has it: {GRAPH_GAPS[name]}")
        return None
    parameters = getattr(OPS.get(name), "parameters", ())
    limits, places = ("initial", "x_min", "x_max"), ("indices", "segment_ids")
    values = [p.name in limits or p.kind != "static" and p.name not in places for p in parameters]

    def run(*args: Any) -> Any:
        dtypes = {dtype_name(x) for x in _leaves(args) if is_tensor(x)}
        reduction = args[-1] if name == "scatter_update" else None
        ordered = {dtype_name(x) for x in _leaves([a for a, v in zip(args, values) if v]) if is_tensor(x)}
        flips = "uint32" in ordered and (name in _COMPARING | _CHOOSING or reduction in ("max", "min"))
        if "uint32" in dtypes and name in _DIVIDING:
            raise refusal(f"uint32 in an OpenVINO graph: {GRAPH_LIMITS['uint32']}")
        if flips:
            args = tuple(_each(_flipped, x) if v else x for x, v in zip(args, values))
        wide = next((d for d in dtypes if d in WIDE), "")
        outputs = kernel(*(_each(carried, x) for x in args))
        outputs = tree.map_structure(lambda x: settled(x, wide), outputs, none_is_leaf=False)
        if not flips or name in _COMPARING - _CHOOSING:
            return outputs
        first, *rest = outputs if isinstance(outputs, tuple) else [outputs]
        back = GraphTensor(opset.convert(_turned(first).output, "u32"))
        return (back, *rest) if rest else back

    def carried(x: Any) -> Any:
        if not is_tensor(x) or name in _UNCARRIED:
            return x
        dtype = dtype_name(x)
        if dtype in _CARRIED or (dtype == "bool" and name in _SORTING):
            return cast(x, "int32")
        return _bits(x) if dtype == "uint32" and name not in _UNSIGNED else x

    def settled(x: Any, wide: str) -> Any:
        if not isinstance(x, GraphTensor):
            return x
        check_dtype(x.dtype)
        if name not in _EXACT and (x.dtype in WIDE or (wide and x.dtype == "int32")):
            raise refusal(f"{wide or x.dtype} in an OpenVINO graph: {GRAPH_LIMITS['int64']}")
        # OpenVINO fails on what has no elements.
        return cast(np.zeros(x.shape), x.dtype) if 0 in x.shape and None not in x.shape else x

    return run


def _each(change: Callable[[Any], Any], x: Any) -> Any:
    return type(x)([_each(change, v) for v in x]) if isinstance(x, (list, tuple)) else change(x)


def _leaves(x: Any) -> list[Any]:
    return [leaf for v in x for leaf in _leaves(v)] if isinstance(x, (list, tuple)) else [x]


def _bits(x: Any) -> GraphTensor:
    return GraphTensor(opset.convert(node(x), "i32"))


def _flipped(x: Any) -> Any:
    """The lowest number of uint32 as the lowest of int32; other tensors as they are."""
    if x is None or (is_tensor(x) and dtype_name(x) != "uint32"):
        return x
    return _turned(_bits(x if is_tensor(x) else np.uint32(limit(x, np.uint32(0)))))


def _turned(x: GraphTensor) -> GraphTensor:
    return GraphTensor(opset.bitwise_xor(x.output, np.int32(-(2**31))))
