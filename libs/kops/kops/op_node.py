"""The one generic operation that stands in graphs for every op, and its name in files.

Files of Keras 3 name a class for each op (`keras.src.ops.numpy`, `Concatenate`), whose config holds the static
arguments while tensors stand in `inbound_nodes`. `OpNode` writes and reads that form without having the classes.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Any, Sequence

from kops.config import standardize_data_format
from kops.item_keys import canonical_key
from kops.keras_tensor import KerasTensor
from kops.naming import auto_name, to_snake_case
from kops.op import Op
from kops.operation import Operation
from kops.shapes import is_shape
from kspec import public_names

# The module of ops that are public in `keras.ops` alone, by the first word of the file that declares them.
_MODULES = {"fft": "math", "segment": "math", "nn": "nn", "control": "core", "core": "core", "einops": "einops"}


def node_class(op: Op) -> tuple[str, str]:
    """`(module, class name)` under which files know an op, for example `("keras.src.ops.numpy", "Add")`."""
    inner = [name.split(".")[2] for name in public_names(op.function) if name.count(".") == 3]
    module = inner[0] if inner else _MODULES.get(op.body.__module__.rpartition(".")[2].partition("_")[0], "numpy")
    name = "".join(part.capitalize() for part in op.name.split("_"))
    if op.node:
        given, _, class_name = op.node.rpartition(":")
        module, name = given or module, class_name or name
    return f"keras.src.ops.{module}", name


class OpNode(Operation):
    """An op with its static arguments fixed, as a node of a graph.

    Args:
        op: the declaration.
        static: static arguments by name.
        name: optional.
    """

    def __init__(self, op: Op, static: dict[str, Any], name: str | None = None) -> None:
        if name is None:
            name = auto_name(to_snake_case(node_class(op)[1]))
        super().__init__(name=name)
        self.op = op
        self.static = static

    @property
    def class_path(self) -> tuple[str, str]:
        """How files name this operation: `(module, class name)`."""
        return node_class(self.op)

    def call(self, *operands: Any, **named: Any) -> Any:
        return self.op.call(*self._merge(operands, named))

    def compute_output_spec(self, *operands: Any, **named: Any) -> Any:
        return self.op.infer(self._merge(operands, named))

    def _merge(self, operands: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """All arguments in declared order, operands filling the non-static parameters from the left."""
        queue = list(operands)
        args: list[Any] = []
        for p in self.op.parameters:
            if p.passing is p.passing.VAR_KEYWORD:
                taken = {q.name for q in self.op.parameters}
                known = {k: v for k, v in named.items() if k not in taken}
                args.append({**self.static.get(p.name, {}), **known} if p.kind == "static" else known)
            elif p.kind == "static":
                args.append(self.static.get(p.name, None if p.default is p.EMPTY else p.default))
            elif p.passing is p.passing.VAR_POSITIONAL:
                args.append(tuple(queue))
                queue = []
            elif queue:
                value = queue.pop(0)
                # Files write the tuples of `x[:, 0]` as lists; lists of positions were recorded as arrays.
                args.append(tuple(value) if p.name == "key" and isinstance(value, list) else value)
            else:
                args.append(named.get(p.name, None if p.default is p.EMPTY else p.default))
        return args

    def get_config(self) -> dict[str, Any]:
        config = {"name": self.name, **self.static}
        for p in self.op.parameters:
            if p.passing is p.passing.VAR_KEYWORD:
                config.update(config.pop(p.name, {}))
        return config


def record(op: Op, args: Sequence[Any], outputs: Any) -> None:
    """Leave a node for a symbolic call of `op`."""
    if not any(x.record_history for x in _tensors(args)):
        return
    static: dict[str, Any] = {}
    operands: list[Any] = []
    for p, value in zip(op.parameters, args):
        if p.kind == "static":
            # A file is read where another layout may be the default.
            static[p.name] = standardize_data_format(value) if p.name == "data_format" else value
        elif p.passing is p.passing.VAR_POSITIONAL:
            operands.extend(value)
        else:
            operands.append(canonical_key(value) if p.name == "key" else value)
    optional = [p for p in op.parameters if p.kind != "static" and p.passing is p.passing.POSITIONAL_OR_KEYWORD]
    while operands and operands[-1] is None and len(operands) == len(optional):
        operands.pop()
        optional.pop()
    OpNode(op, static)._record(tuple(operands), {}, outputs)


def _tensors(values: Any) -> list[KerasTensor]:
    if isinstance(values, KerasTensor):
        return [values]
    if isinstance(values, dict):
        values = values.values()
    elif not isinstance(values, (list, tuple)):
        return []
    return [x for v in values for x in _tensors(v)]


@functools.cache
def _by_class() -> dict[str, Op]:
    """Every op by the class name that files use; declares all families."""
    import kops.ops
    from kops.declare import OPS

    for module in pkgutil.iter_modules(kops.ops.__path__):
        if not module.name.endswith("_test"):
            importlib.import_module(f"kops.ops.{module.name}")
    return {node_class(op)[1]: op for op in OPS.values()}


def find(class_name: str) -> Op | None:
    """The op whose graph node has this class name in files, or None."""
    return _by_class().get(class_name)


def from_config(class_name: str, config: dict[str, Any]) -> OpNode:
    """The operation that a file describes.

    Raises:
        ValueError: when no op has that class name, or the config has arguments it does not take.
    """
    op = find(class_name)
    if op is None:
        raise ValueError(f"No op is known under the class name {class_name!r}.")
    config = dict(config)
    name = config.pop("name", None)
    static_names = {p.name for p in op.parameters if p.kind == "static"}
    known = {p.name for p in op.parameters}
    unknown = set(config) - known
    open_ended = next((p.name for p in op.parameters if p.passing is p.passing.VAR_KEYWORD), None)
    if unknown and open_ended is None:
        raise ValueError(f"{class_name} takes no argument {', '.join(sorted(unknown))}; it has {sorted(known)}.")
    static = {
        k: tuple(v) if isinstance(v, list) and is_shape(tuple(v)) else v for k, v in config.items() if k in static_names
    }
    if open_ended is not None:
        static[open_ended] = {k: config[k] for k in unknown}
    return OpNode(op, static, name=name)
