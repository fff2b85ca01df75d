"""An ONNX graph under construction."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.tape import TraceTensor

OPSET = 18

_TYPES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "float16": "FLOAT16",
    "bfloat16": "BFLOAT16",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "uint16": "UINT16",
    "uint32": "UINT32",
    "uint64": "UINT64",
    "bool": "BOOL",
    "string": "STRING",
}


def type_code(dtype: str) -> int:
    """ONNX's number for a dtype."""
    from onnx import TensorProto

    if dtype not in _TYPES:
        raise NotImplementedError(f"ONNX has no dtype {dtype!r}. It has: {', '.join(_TYPES)}.")
    return getattr(TensorProto, _TYPES[dtype])


class Graph:
    """Nodes and weights, with names made up on the way; `name(x)` is how an argument is called in the graph."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []
        self._count = 0

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count}"

    def bind(self, x: TraceTensor, name: str) -> None:
        """Say what a recorded tensor is called."""
        self._names[id(x)] = name
        self._kept.append(x)

    def name(self, x: Any) -> str:
        if x is None:
            return ""
        if isinstance(x, str):
            return x
        if id(x) not in self._names:
            if isinstance(x, TraceTensor):
                raise KeyError(f"{x!r} is used before it is made.")
            return self.constant(x)
        return self._names[id(x)]

    def constant(self, x: Any, dtype: Any = None) -> str:
        """A weight or constant; the same array is stored once."""
        from onnx import numpy_helper

        array = np.asarray(x, dtype)
        name = self.fresh("constant")
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        if isinstance(x, np.ndarray):
            self._names[id(x)] = name
            self._kept.append(x)
        return name

    def ints(self, *values: int) -> str:
        return self.constant(np.asarray(values, "int64"))

    def add(self, op_type: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
        """Append a node; returns the name of its output, or a list of names."""
        from onnx import helper

        names = [self.fresh(op_type.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(op_type, [self.name(x) for x in inputs], names, **attributes))
        return names[0] if outputs == 1 else names

    def cast(self, x: Any, dtype: str) -> str:
        return self.add("Cast", x, to=type_code(dtype))

    def model(self, name: str, inputs: list[tuple[str, TraceTensor]], outputs: list[tuple[str, TraceTensor]]) -> Any:
        """The finished ONNX model."""
        import onnx
        from onnx import helper

        def info(label: str, x: TraceTensor, what: str) -> Any:
            shape = [f"{what}_{label}_{i}" if d is None else d for i, d in enumerate(x.shape)]
            if shape and x.shape[0] is None:
                shape[0] = "batch"
            return helper.make_tensor_value_info(label, type_code(x.dtype), shape)

        graph = helper.make_graph(
            self.nodes,
            name,
            [info(n, x, "in") for n, x in inputs],
            [info(n, x, "out") for n, x in outputs],
            self.initializers,
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="kexport")
        made.ir_version = 9
        onnx.checker.check_model(made)
        return made
