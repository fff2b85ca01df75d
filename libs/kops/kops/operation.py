"""`Operation`, the base of everything that can stand in a graph, and the nodes that link them."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from kops import tree
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.naming import auto_name
from kops.scopes import ambient
from kspec import public


class History(NamedTuple):
    """Where a symbolic tensor comes from."""

    operation: Any
    node_index: int
    tensor_index: int


class Node:
    """One call of an operation on symbolic tensors.

    Args:
        operation: what was called.
        args, kwargs: the call's arguments; KerasTensors may stand anywhere in them.
        outputs: the KerasTensors that came out, in any structure.
    """

    __slots__ = ("args", "inputs", "kwargs", "operation", "outputs", "parents")

    def __init__(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        self.operation = operation
        self.args = args
        self.kwargs = kwargs
        self.inputs: list[KerasTensor] = [x for x in tree.flatten((args, kwargs)) if isinstance(x, KerasTensor)]
        self.outputs: list[KerasTensor] = tree.flatten(outputs)
        self.parents: list[Node] = []
        for x in self.inputs:
            history = getattr(x, "_keras_history", None)
            if history is None:
                # Not made by an operation: it becomes an input of whatever graph it ends up in.
                continue
            parent = history.operation._inbound_nodes[history.node_index]
            if parent not in self.parents:
                self.parents.append(parent)
            history.operation._outbound_nodes.append(self)
        index = len(operation._inbound_nodes)
        operation._inbound_nodes.append(self)
        for i, x in enumerate(self.outputs):
            x._keras_history = History(operation, index, i)  # type: ignore[attr-defined]

    @property
    def is_input(self) -> bool:
        return not self.inputs

    # The spelling of Keras 3, for code that walks graphs.
    @property
    def input_tensors(self) -> list[KerasTensor]:
        return self.inputs

    @property
    def output_tensors(self) -> list[KerasTensor]:
        return self.outputs

    @property
    def parent_nodes(self) -> list[Node]:
        return self.parents

    def __repr__(self) -> str:
        return f"<Node {self.operation.name}: {len(self.inputs)} in, {len(self.outputs)} out>"


@public("keras.Operation")
class Operation:
    """A computation with a name and a config that can be called on tensors and on symbolic tensors.

    Subclasses write `call(...)` and, where running `call` on symbolic tensors is not enough,
    `compute_output_spec(...)`.

    Args:
        name: optional; generated from the class when left out.
    """

    _init_arguments: Any = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = super().__new__(cls)
        # What the constructor got is the config, unless a subclass says otherwise in get_config.
        object.__setattr__(instance, "_init_arguments", (args, kwargs))
        return instance

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = auto_name(type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(f"The name of an operation is a string without '/', not {name!r}.")
        self.name = name
        self._inbound_nodes: list[Node] = []
        self._outbound_nodes: list[Node] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any_symbolic(args, kwargs):
            return self.symbolic_call(*args, **kwargs)
        return self.call(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define call().")

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Infer the outputs' specs and record the call in the graph."""
        outputs = self.compute_output_spec(*args, **kwargs)
        self._record(args, kwargs, outputs)
        return outputs

    def _record(self, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        if ambient.recording:
            Node(self, args, kwargs, outputs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs as KerasTensors; by default by running `call` on the symbolic inputs."""
        from kops.symbolic import infer_by_running

        return infer_by_running(self.call, args, kwargs)

    def rematerialized_call(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        """`fn` wrapped so that its intermediate results are computed again in the backward pass."""
        from kops.remat import remat

        return remat(fn)

    def quantized_call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no quantized form.")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments by name; JSON-like values or objects that ksave can serialize."""
        config: dict[str, Any] = {"name": self.name}
        args, kwargs = self._init_arguments or ((), {})
        if not args and not kwargs:
            return config
        parameters = inspect.signature(type(self).__init__).parameters
        names = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
        if len(args) > len(names):
            raise NotImplementedError(
                f"{type(self).__name__}.__init__ takes *args, which have no names to be saved under. "
                f"Define get_config() in {type(self).__name__}."
            )
        config.update(zip(names, args))
        config.update(kwargs)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An operation from what `get_config` returned."""
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(
                f"{cls.__name__} cannot be made from the config {config}: {error}. "
                f"get_config() must return the arguments of __init__, or define {cls.__name__}.from_config()."
            ) from error

    @property
    def input(self) -> Any:
        """The symbolic input (or list of them) of the operation's only call."""
        return self._only_node().inputs[0] if len(self._only_node().inputs) == 1 else self._only_node().inputs

    @property
    def output(self) -> Any:
        """The symbolic output (or list of them) of the operation's only call."""
        outputs = self._only_node().outputs
        return outputs[0] if len(outputs) == 1 else outputs

    def _only_node(self) -> Node:
        nodes = self._inbound_nodes
        if len(nodes) != 1:
            state = "has not been called on symbolic tensors" if not nodes else f"was called {len(nodes)} times"
            raise AttributeError(f"{type(self).__name__} {self.name!r} {state}, so it has no single input and output.")
        return nodes[0]
