"""How tensors, symbolic tensors, dtypes and graph nodes stand in configs: what ksave, which has no engine, is told."""

from __future__ import annotations

from typing import Any

import ksave
from klayers.functional import Functional
from kops import op_node
from kops.dtypes import standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kspec import plugin


class _NodeClass:
    """Stands for the class that files name for an op; makes the generic node."""

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name

    def from_config(self, config: dict[str, Any]) -> Any:
        return op_node.from_config(self.class_name, config)


def _find_node_class(module: str, class_name: str) -> Any:
    return None if op_node.find(class_name) is None else _NodeClass(class_name)


def encode_node(node: Any) -> dict[str, Any]:
    """A graph node as files of Keras have it."""
    module, class_name = node.class_path
    return {
        "module": module,
        "class_name": class_name,
        "config": ksave.serialize_keras_object(node.get_config()),
        "registered_name": class_name,
    }


def _encode_tensor(x: Any) -> dict[str, Any]:
    e = engine()
    return {"value": e.to_numpy(x).tolist(), "dtype": e.dtype_name(x)}


def _encode_symbolic(x: KerasTensor) -> dict[str, Any]:
    history = getattr(x, "_keras_history", None)
    place = None if history is None else [history.operation.name, history.node_index, history.tensor_index]
    return {"shape": list(x.shape), "dtype": x.dtype, "keras_history": place}


@plugin("serialization", "klayers")
def register() -> None:
    """Make the registrations; called once by whatever needs them first."""
    e = engine()
    ksave.register_codec(
        "__tensor__",
        lambda x: e.is_tensor(x) and e.NAME not in ("numpy", "openvino"),
        encode=_encode_tensor,
        decode=lambda config: e.convert(config["value"], standardize_dtype(config["dtype"])),
    )
    ksave.register_codec(
        "__keras_tensor__",
        KerasTensor,
        encode=_encode_symbolic,
        decode=lambda config: KerasTensor(config["shape"], config["dtype"]),
    )
    ksave.register_codec(None, op_node.OpNode, encode=encode_node)
    ksave.register_class_resolver("keras.src.ops", _find_node_class)
    ksave.register_internal_class("keras.src.models.functional", "Functional", Functional)
