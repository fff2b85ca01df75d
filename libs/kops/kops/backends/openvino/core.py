"""GraphTensor, tracing and compilation for OpenVINO."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import openvino as ov
import openvino.opset16 as opset

from kops import tree
from kops.backends.numpy import core as np_core
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


def cast(x: Any, dtype: str) -> Any:
    if isinstance(x, GraphTensor):
        if dtype not in _TYPES:
            raise TypeError(f"OpenVINO has no dtype {dtype!r}. Choose one of: {', '.join(_TYPES)}.")
        if dtype.startswith("float8"):
            raise NotImplementedError(
                f"OpenVINO rounds to {dtype} by way of float16, that is twice, which gives other numbers."
            )
        if dtype == "bool":
            zero = opset.convert(opset.constant(np.float32(0)), x.output.get_element_type())
            return GraphTensor(opset.not_equal(x.output, zero))
        return GraphTensor(opset.convert(x.output, _TYPES[dtype]))
    return np_core.cast(x, dtype)


def to_numpy(x: Any) -> np.ndarray:
    return np.asarray(x)


def trace(function: Callable[..., Any], specs: Any) -> tuple[ov.Model, Any]:
    """The OpenVINO model of `function` on inputs like `specs`, and the structure of its outputs.

    Args:
        specs: a structure of objects with `shape` (None where unknown) and `dtype` name; passed as `function(*specs)`.
    """
    parameters = []

    def declare(spec: Any) -> GraphTensor:
        partial = ov.PartialShape([-1 if d is None else d for d in spec.shape])
        parameter = opset.parameter(partial, _TYPES[spec.dtype])
        parameters.append(parameter)
        return GraphTensor(parameter.output(0))

    outputs = function(*tree.map_structure(declare, specs))
    results = [opset.result(node(x)) for x in tree.flatten(outputs)]
    return ov.Model(results, parameters), outputs


class _Spec:
    def __init__(self, array: np.ndarray) -> None:
        self.shape = (None, *array.shape[1:]) if array.ndim else ()
        self.dtype = np_core.dtype_name(array)


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled for the CPU at the first call with inputs of these dtypes, ranks and trailing dimensions.

    The first dimension stays dynamic where the function allows it.
    """
    compiled: dict[Any, Any] = {}

    def call(*args: Any) -> Any:
        arrays = [np_core.convert(x, None) for x in tree.flatten(args)]
        key = tuple((a.dtype, a.ndim, a.shape[1:]) for a in arrays)
        if key not in compiled:
            specs = tree.pack_sequence_as(args, [_Spec(a) for a in arrays])
            model, structure = trace(function, specs)
            # f32 keeps the numbers those of the other engines; the default may be bf16.
            compiled[key] = (ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}), structure)
        program, structure = compiled[key]
        results = program([np.asarray(a, order="C") for a in arrays], share_inputs=True)
        return fetch(results, structure)

    return call


def fetch(results: Any, structure: Any) -> Any:
    """The outputs of a compiled model as arrays of their own, in the structure that `trace` returned."""
    leaves = tree.flatten(structure)
    arrays = [np.array(results[i]) for i in range(len(leaves))]
    # The bits of bfloat16 come dressed as float16.
    arrays = [
        a.view(np_core.native_dtype("bfloat16")) if a.dtype == np.float16 and dtype_name(x) == "bfloat16" else a
        for a, x in zip(arrays, leaves)
    ]
    return tree.pack_sequence_as(structure, arrays)
