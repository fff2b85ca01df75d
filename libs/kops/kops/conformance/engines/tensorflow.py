"""`tf.function`, with unknown leading dimensions where the op allows them, or by XLA, and `tf.GradientTape`."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import tensorflow as tf


def compiled(function: Any, arrays: list[Any], dynamic: bool | str) -> Any:
    def spec(place: int, x: Any) -> Any:
        shape = x.shape.as_list()
        unknown = dynamic and not (dynamic == "first" and place)
        return tf.TensorSpec([None if unknown and i == 0 and d > 1 else d for i, d in enumerate(shape)], x.dtype)

    traced = tf.function(function, input_signature=[spec(i, x) for i, x in enumerate(arrays)], autograph=False)
    return traced(*arrays)


def gradients(function: Any, arrays: list[Any], wanted: list[int]) -> list[np.ndarray]:
    with tf.GradientTape() as tape:
        for i in wanted:
            tape.watch(arrays[i])
        value = function(*arrays)
    found = tape.gradient(value, [arrays[i] for i in wanted], unconnected_gradients="zero")
    return [tf.convert_to_tensor(g).numpy() for g in found]


def wide() -> Any:
    return contextlib.nullcontext()


def _xla(function: Any, arrays: list[Any], diff: bool) -> Any:
    traced = tf.function(function, jit_compile=True, autograph=False)
    yield traced(*arrays), function(*arrays)


COMPOSITIONS = {"tf.function(jit_compile=True)": _xla}


def native_names(function: Any, arrays: list[Any]) -> set[str]:
    """Of the operations in the graph."""
    graph = tf.function(function, autograph=False).get_concrete_function(*arrays).graph.as_graph_def()
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    return {n.op.replace("Stateless", "") for n in nodes}
