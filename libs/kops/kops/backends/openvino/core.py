"""GraphTensor, tracing and compilation for OpenVINO."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import openvino as ov

from kops import tree
from kops.backends.numpy import core as np_core
from kops.backends.openvino import opset
from kops.backends.openvino.gaps import GRAPH_LIMITS
from kops.dtypes import FLOATS, INTS, itemsize, limits
from kops.operators import Operators

NAME = "openvino"

_TYPES = {
    "bool": ov.Type.boolean,
    "uint8": ov.Type.u8,
    "uint16": ov.Type.u16,
    "uint32": ov.Type.u32,
    "uint64": ov.Type.u64,
    "int8": ov.Type.i8,
    "int16": ov.Type.i16,
    "int32": ov.Type.i32,
    "int64": ov.Type.i64,
    "bfloat16": ov.Type.bf16,
    "float16": ov.Type.f16,
    "float32": ov.Type.f32,
    "float64": ov.Type.f64,
    "float8_e4m3fn": ov.Type.f8e4m3,
    "float8_e5m2": ov.Type.f8e5m2,
    "string": ov.Type.string,
}
WIDE = ("int64", "uint64")  # held in 32 bits
_NAMES = {kind.get_type_name(): name for name, kind in _TYPES.items()}


class GraphTensor(Operators):
    """A tensor of an OpenVINO graph under construction: `output` is the graph's own handle."""

    __slots__ = ("dtype", "output", "shape")
    __array_ufunc__ = None  # `array * graph tensor` is the graph tensor's business

    def __init__(self, output: ov.Output) -> None:
        self.output = output.output(0) if hasattr(output, "output") else output
        name = self.output.get_element_type().get_type_name()
        if name not in _NAMES:
            raise TypeError(f"OpenVINO tensors of type {name} have no counterpart here.")
        self.dtype = _NAMES[name]
        partial = self.output.get_partial_shape()
        self.shape = tuple(d.get_length() if d.is_static else None for d in partial)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<GraphTensor shape={self.shape}, dtype={self.dtype}>"

    def _no_value(self) -> TypeError:
        return TypeError(
            f"{self!r} has no value: an OpenVINO graph is being built. Use keras.ops, or run the model eagerly."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._no_value()

    def __bool__(self) -> bool:
        raise self._no_value()

    def __len__(self) -> int:
        if not self.shape or self.shape[0] is None:
            raise self._no_value()
        return self.shape[0]


def node(x: Any, dtype: str | None = None) -> ov.Output:
    """The graph handle of a GraphTensor, or of a constant made from an array or scalar."""
    if isinstance(x, GraphTensor):
        return x.output
    array = np_core.convert(x, dtype)
    check_dtype(np_core.dtype_name(array))
    check_range(array)
    if array.dtype.name == "bfloat16":
        return opset.convert(opset.constant(array.astype(np.float32)), ov.Type.bf16).output(0)
    return opset.constant(array, _TYPES[np_core.dtype_name(array)]).output(0)


def is_tensor(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, GraphTensor))


def dtype_name(x: Any) -> str:
    return x.dtype if type(x) is GraphTensor else np_core.dtype_name(x)


def shape(x: Any) -> tuple[int | None, ...]:
    return x.shape


def dynamic_shape(x: Any, static: Any) -> tuple[Any, ...]:
    """`static` with scalar GraphTensors in place of unknown dimensions."""
    sizes = opset.shape_of(x.output, ov.Type.i32)
    axis = opset.constant(np.int32(0))
    return tuple(
        GraphTensor(opset.gather(sizes, opset.constant(np.int32(i)), axis)) if d is None else d
        for i, d in enumerate(static)
    )


def convert(x: Any, dtype: str | None) -> Any:
    if isinstance(x, GraphTensor):
        return x if dtype is None or dtype == x.dtype else cast(x, dtype)
    if isinstance(x, (list, tuple)) and any(isinstance(v, (GraphTensor, list, tuple)) for v in x):
        parts = [convert(v, dtype) for v in x]
        if any(isinstance(v, GraphTensor) for v in parts):
            axis = opset.constant(np.int64(0))
            joined = opset.concat([opset.unsqueeze(node(v), axis) for v in parts], 0)
            return GraphTensor(joined)
    return np_core.convert(x, dtype)


def refusal(words: str) -> NotImplementedError:
    """An error that the op in whose call it happens completes with its name and arguments."""
    error = NotImplementedError(words)
    error._words = words  # type: ignore[attr-defined]
    return error


def check_dtype(dtype: str) -> None:
    if dtype in GRAPH_LIMITS and dtype not in INTS:
        raise refusal(f"{dtype} in an OpenVINO graph: {GRAPH_LIMITS[dtype]}")


def cast(x: Any, dtype: str) -> Any:
    """As NumPy: integers wrap, floats beyond them become what their low bits say."""
    if not isinstance(x, GraphTensor):
        return np_core.cast(x, dtype)
    check_dtype(dtype)
    if dtype not in _TYPES or dtype.startswith("float8"):
        raise refusal(f"OpenVINO rounds to {dtype} by way of float16, that is twice, which gives other numbers.")
    handle, source = x.output, x.dtype
    if dtype == source:
        return x
    if dtype == "bool":
        return GraphTensor(opset.not_equal(handle, opset.scalar(0, handle)))
    fits = dtype not in INTS or (source not in FLOATS and _fits(source, dtype))
    if dtype in WIDE and not fits:
        raise refusal(f"{source} as {dtype} in an OpenVINO graph: {GRAPH_LIMITS[dtype]}")
    if source == "uint32":  # held in 32 bits with a sign
        handle = opset.convert(handle, "i32").output(0)
        if dtype in FLOATS:
            number = opset.convert(handle, "f32").output(0)
            more = opset.add(number, opset.scalar(2.0**32, number))
            handle = opset.select(opset.less(handle, opset.scalar(0, handle)), more, number)
    elif dtype == "uint32" and source in FLOATS:
        handle = opset.convert(handle, "f32").output(0)
        less = opset.subtract(handle, opset.scalar(2.0**32, handle))
        handle = opset.convert(opset.select(opset.less(handle, opset.scalar(2.0**31, handle)), handle, less), "i32")
    elif dtype in INTS and source in FLOATS:
        handle = opset.convert(handle, "f32")  # halves would end at their largest finite number
    bits = 8 * itemsize(dtype)
    if bits < 32 and not fits:
        handle = opset.bitwise_and(opset.convert(handle, "i32"), np.int32(2**bits - 1))
        if not dtype.startswith("u"):
            sign = np.int32(2 ** (bits - 1))
            handle = opset.subtract(opset.bitwise_xor(handle, sign), sign)
    return GraphTensor(opset.convert(handle, _TYPES[dtype]))


def _fits(source: str, dtype: str) -> bool:
    """Whether an integer dtype has all numbers of another, as graphs hold them."""
    (low, high), (lowest, highest) = limits(source), limits(dtype)
    return (source in WIDE and dtype == "int64") or (lowest <= low and high <= highest and source != "uint32")


def check_range(array: np.ndarray) -> None:
    if array.dtype.name in WIDE and array.size and not (array.min() >= -(2**31) and array.max() < 2**31):
        raise refusal(f"{array.dtype} numbers beyond those of int32 in an OpenVINO graph: {GRAPH_LIMITS['int64']}")


def to_numpy(x: Any) -> np.ndarray:
    return np.asarray(x)


def trace(function: Callable[..., Any], specs: Any) -> tuple[ov.Model, Any]:
    """The OpenVINO model of `function` on inputs like `specs`, and the structure of its outputs.

    Args:
        specs: a structure of objects with `shape` (None where unknown) and `dtype` name; passed as `function(*specs)`.
    """
    parameters = []

    def declare(spec: Any) -> GraphTensor:
        check_dtype(spec.dtype)
        partial = ov.PartialShape([-1 if d is None else d for d in spec.shape])
        parameter = opset.parameter(partial, _TYPES[spec.dtype])
        parameters.append(parameter)
        return GraphTensor(parameter.output(0))

    outputs = function(*tree.map_structure(declare, specs))
    results = [opset.result(x.output) for x in tree.flatten(outputs) if isinstance(x, GraphTensor)]
    return ov.Model(results, parameters), outputs


class _Spec:
    def __init__(self, array: np.ndarray) -> None:
        self.shape = (None, *array.shape[1:]) if array.ndim else ()
        self.dtype = np_core.dtype_name(array)


def _handed(a: Any) -> Any:
    a = np.asarray(a, order="C")
    if a.ndim or a.dtype != "bfloat16":
        return a
    return ov.Tensor(a.reshape(1).view(np.uint16), ov.Shape([]), ov.Type.bf16)  # scalars it would take for halves


def compiled(function: Callable[..., Any], specs: Any) -> Callable[..., Any]:
    """`function` for the CPU, called with the arrays of its arguments in a flat list."""
    model, structure = trace(function, specs)
    # f32 keeps the numbers those of the other engines; the default may be bf16.
    program = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}) if model.results else None

    def run(arrays: list[np.ndarray]) -> Any:
        for a in arrays:
            check_range(a)
        results = program([_handed(a) for a in arrays], share_inputs=True) if program else []
        return fetch(results, structure)

    return run


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled for the CPU at the first call with inputs of these dtypes, ranks and trailing dimensions.

    The first dimension stays dynamic where the function allows it. Empty inputs are computed eagerly: OpenVINO
    compiles nothing for them.
    """
    programs: dict[Any, Any] = {}

    def call(*args: Any) -> Any:
        arrays = [np_core.convert(x, None) for x in tree.flatten(args)]
        if any(not a.size for a in arrays):
            return function(*tree.pack_sequence_as(args, arrays))
        key = tuple((a.dtype, a.ndim, a.shape[1:]) for a in arrays)
        if key not in programs:
            programs[key] = compiled(function, tree.pack_sequence_as(args, [_Spec(a) for a in arrays]))
        return programs[key](arrays)

    return call


def fetch(results: Any, structure: Any) -> Any:
    """The outputs of a compiled model as arrays of their own, in the structure that `trace` returned."""
    count = iter(range(len(results)))

    def taken(x: Any) -> Any:
        if not isinstance(x, GraphTensor):
            return x if x is None else np_core.convert(x, None)
        array = np.array(results[next(count)])
        # The bits of bfloat16 come dressed as float16.
        return array.view(np_core.native_dtype("bfloat16")) if x.dtype == "bfloat16" else array

    return tree.pack_sequence_as(structure, [taken(x) for x in tree.flatten(structure)])
