"""`Function`: a graph of operations between given symbolic inputs and outputs, as one callable."""

from __future__ import annotations

from typing import Any

from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor, fresh
from kops.operation import Node, Operation
from kops.scopes import NoRecording
from kspec import public


@public("keras.Function")
class Function(Operation):
    """The computation that leads from `inputs` to `outputs`.

    Args:
        inputs: KerasTensor or any structure of them.
        outputs: KerasTensor or any structure of them, made from `inputs`.
        name: optional.

    Raises:
        ValueError: when an output needs a tensor that is not among the inputs.

    Example:
        >>> x = KerasTensor((None, 2))
        >>> f = Function(x, ops.exp(x) + 1.0)
        >>> f(np.zeros((1, 2)))
    """

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None) -> None:
        super().__init__(name=name)
        self._inputs_struct = inputs
        self._outputs_struct = outputs
        self._inputs = tree.flatten(inputs)
        self._outputs = tree.flatten(outputs)
        for what, tensors in (("inputs", self._inputs), ("outputs", self._outputs)):
            for x in tensors:
                if not isinstance(x, KerasTensor):
                    raise ValueError(
                        f"The {what} of a graph are symbolic tensors (from keras.Input and calls on it), "
                        f"not {type(x).__name__}: {x!r}."
                    )
        if not self._outputs:
            raise ValueError("A graph needs at least one output.")
        self._nodes = _nodes_between(self._inputs, self._outputs)
        self._operations = list(dict.fromkeys(node.operation for node in self._nodes))
        self.pack_outputs = tree.packer(outputs)
        self._steps, self._width = self._compile()

    @property
    def inputs(self) -> list[KerasTensor]:
        """The symbolic inputs, flat."""
        return self._inputs

    @property
    def outputs(self) -> list[KerasTensor]:
        """The symbolic outputs, flat."""
        return self._outputs

    @property
    def operations(self) -> list[Operation]:
        """The distinct operations, each after those it depends on."""
        return self._operations[:]

    @property
    def nodes(self) -> list[Node]:
        """The calls, each after those it depends on."""
        return self._nodes

    def _compile(self) -> tuple[list[Any], int]:
        """The calls as steps over a list of values: no dictionary or tree is walked at run time where avoidable."""
        slots: dict[int, int] = {}
        for x in self._inputs:
            slots.setdefault(id(x), len(slots))
        self._input_slots = [slots[id(x)] for x in self._inputs]
        steps = []
        for node in self._nodes:
            if node.is_input and all(id(x) in slots for x in node.outputs):
                continue
            args, kwargs = node.args, node.kwargs
            if not kwargs and all(isinstance(a, KerasTensor) for a in args):
                fill: Any = tuple(slots[id(a)] for a in args)
            else:
                fill = _Filler(args, kwargs, slots)
            for x in node.outputs:
                slots.setdefault(id(x), len(slots))
            out = tuple(slots[id(x)] for x in node.outputs)
            steps.append((node.operation, fill, out[0] if len(out) == 1 else None, out))
        self._output_slots = [slots[id(x)] for x in self._outputs]
        return steps, len(slots)

    def run(self, flat_inputs: list[Any], call: Any = None) -> list[Any]:
        """Flat outputs for flat inputs.

        Args:
            call: how to call an operation, `(operation, args, kwargs) -> outputs`; default
                `operation(*args, **kwargs)`.
        """
        values: list[Any] = [None] * self._width
        for slot, x in zip(self._input_slots, flat_inputs):
            values[slot] = x
        for operation, fill, single, out in self._steps:
            if type(fill) is tuple:
                args, kwargs = [values[i] for i in fill], _NOTHING
            else:
                args, kwargs = fill(values)
            result = operation(*args, **kwargs) if call is None else call(operation, args, kwargs)
            if single is not None and not isinstance(result, (list, tuple, dict)):
                values[single] = result
            else:
                for slot, x in zip(out, tree.flatten(result)):
                    values[slot] = x
        return [values[i] for i in self._output_slots]

    def call(self, inputs: Any) -> Any:
        """Run the graph on a structure like `inputs` of the constructor."""
        flat = self._flatten_inputs(inputs)
        e = engine()
        flat = [x if x is None or e.is_tensor(x) or isinstance(x, KerasTensor) else e.convert(x, None) for x in flat]
        return self.pack_outputs(self.run(flat))

    def _flatten_inputs(self, inputs: Any) -> list[Any]:
        flat = tree.flatten(inputs)
        if len(flat) != len(self._inputs):
            raise ValueError(
                f"{type(self).__name__} {self.name!r} has {len(self._inputs)} inputs but was called with {len(flat)}: "
                f"expected a structure like {tree.map_structure(lambda x: x.name, self._inputs_struct)}."
            )
        return flat

    def compute_output_spec(self, inputs: Any) -> Any:
        flat = self._flatten_inputs(inputs)
        if all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(flat, self._inputs) if hasattr(a, "shape")):
            outputs: Any = self._outputs
        else:
            pairs = zip(flat, self._inputs)
            specs = [KerasTensor(a.shape, getattr(a, "dtype", b.dtype), record_history=False) for a, b in pairs]
            with NoRecording():
                outputs = self.run(specs)
        return self.pack_outputs([fresh(x) for x in outputs])

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The output shape(s) for input shape(s) in the inputs' structure."""
        specs = tree.map_shape_structure(lambda s: KerasTensor(s, record_history=False), input_shape)
        for spec, x in zip(tree.flatten(specs), self._inputs):
            spec.dtype = x.dtype
        return tree.map_structure(lambda x: x.shape, self.compute_output_spec(specs))


_NOTHING: dict[str, Any] = {}


class _Filler:
    """Puts values in the places of symbolic tensors in a call's arguments."""

    def __init__(self, args: Any, kwargs: Any, slots: dict[int, int]) -> None:
        leaves = tree.flatten((args, kwargs))
        self._leaves = leaves
        self._places = [(i, slots[id(x)]) for i, x in enumerate(leaves) if isinstance(x, KerasTensor)]
        self._pack = tree.packer((args, kwargs))

    def __call__(self, values: list[Any]) -> Any:
        leaves = self._leaves[:]
        for i, slot in self._places:
            leaves[i] = values[slot]
        return self._pack(leaves)


def _nodes_between(inputs: list[KerasTensor], outputs: list[KerasTensor]) -> list[Node]:
    """The nodes from inputs to outputs in the order they were called, checked for connection."""
    given = {id(x) for x in inputs}
    order: list[Node] = []
    state: dict[int, int] = {}

    def node_of(x: KerasTensor) -> Node | None:
        history = getattr(x, "_keras_history", None)
        return history.operation._inbound_nodes[history.node_index] if history else None

    def need(x: KerasTensor, wanted: KerasTensor, user: Any) -> Node | None:
        node = node_of(x)
        if id(x) in given:
            return None
        if node is None or node.is_input:
            where = f" (needed by {user.name!r})" if user is not None else ""
            raise ValueError(
                f"The graph is disconnected: output {wanted.name!r} depends on {x!r}{where}, which is not among the "
                f"inputs {[i.name for i in inputs]}."
            )
        return node

    for output in outputs:
        start = need(output, output, None)
        stack: list[Any] = [start] if start is not None else []
        while stack:  # iterative: models may be thousands of layers deep
            node = stack[-1]
            if state.get(id(node)) == 2:
                stack.pop()
                continue
            if state.get(id(node)) == 1:
                state[id(node)] = 2
                order.append(node)
                stack.pop()
                continue
            state[id(node)] = 1
            for x in reversed(node.inputs):
                parent = need(x, output, node.operation)
                if parent is not None and state.get(id(parent)) != 2:
                    stack.append(parent)
    starts = []
    for x in inputs:
        node = node_of(x)
        if node is not None and node.is_input and node not in starts:
            starts.append(node)
    return starts + order
