"""Calls of TensorFlow functions in graphs of tf.keras, as nodes of the ops that do the same."""

from __future__ import annotations

from typing import Any, Callable

from ksave.lookup import UnknownObjectError

Convert = Callable[[Any], Any]

# Function of TensorFlow -> node class, with the arguments that are tensors (or numbers) after the first, and then
# `old=new` for those that stand in the config.
_OPS = {
    "numpy.Absolute": "abs", "numpy.Add": "add add_v2 | y", "numpy.Subtract": "subtract sub | y",
    "numpy.Multiply": "multiply mul | y", "numpy.TrueDivide": "truediv divide | y", "numpy.Power": "pow | y",
    "numpy.FloorDivide": "floordiv | y", "numpy.Mod": "floormod mod | y", "numpy.Negative": "negative neg",
    "numpy.Maximum": "maximum | y", "numpy.Minimum": "minimum | y", "numpy.Greater": "greater | y",
    "numpy.GreaterEqual": "greater_equal | y", "numpy.Less": "less | y", "numpy.LessEqual": "less_equal | y",
    "numpy.Equal": "equal | y", "numpy.NotEqual": "not_equal | y", "numpy.LogicalAnd": "logical_and | y",
    "numpy.LogicalOr": "logical_or | y", "numpy.LogicalNot": "logical_not", "numpy.Exp": "exp", "numpy.Log": "log",
    "numpy.Log1p": "log1p", "numpy.Expm1": "expm1", "numpy.Sqrt": "sqrt", "numpy.Square": "square",
    "math.Rsqrt": "rsqrt", "math.Erf": "erf", "numpy.Sin": "sin", "numpy.Cos": "cos", "numpy.Tan": "tan",
    "numpy.Tanh": "tanh", "numpy.Floor": "floor", "numpy.Ceil": "ceil", "numpy.Round": "round",
    "numpy.Sign": "sign", "numpy.Copy": "identity", "numpy.ZerosLike": "zeros_like", "numpy.OnesLike": "ones_like",
    "nn.Sigmoid": "sigmoid", "nn.Relu": "relu", "nn.Relu6": "relu6", "nn.Elu": "elu", "nn.Selu": "selu",
    "nn.Silu": "silu swish", "nn.Softplus": "softplus", "nn.Softsign": "softsign",
    "nn.Gelu": "gelu | approximate=approximate", "nn.LeakyRelu": "leaky_relu | alpha=negative_slope",
    "nn.Softmax": "softmax | axis=axis", "nn.LogSoftmax": "log_softmax | axis=axis",
    "nn.Normalize": "l2_normalize | axis=axis",
    "numpy.Clip": "clip_by_value | clip_value_min=x_min clip_value_max=x_max",
    "numpy.Where": "where | x y", "core:Cast": "cast | dtype=dtype",
    "numpy.Mean": "reduce_mean | axis=axis keepdims=keepdims", "numpy.Sum": "reduce_sum | axis=axis keepdims=keepdims",
    "numpy.Max": "reduce_max | axis=axis keepdims=keepdims", "numpy.Min": "reduce_min | axis=axis keepdims=keepdims",
    "numpy.Prod": "reduce_prod | axis=axis keepdims=keepdims", "numpy.Std": "reduce_std | axis=axis keepdims=keepdims",
    "numpy.Var": "reduce_variance | axis=axis keepdims=keepdims",
    "numpy.Cumsum": "cumsum | axis=axis", "numpy.Argmax": "argmax | axis=axis", "numpy.Argmin": "argmin | axis=axis",
    "linalg.Norm": "norm | ord=ord axis=axis keepdims=keepdims", "numpy.Matmul": "matmul | b",
    "numpy.Tensordot": "tensordot | b axes=axes", "numpy.ExpandDims": "expand_dims | axis=axis",
    "numpy.Squeeze": "squeeze | axis=axis", "numpy.Reshape": "reshape | shape=newshape",
    "numpy.Transpose": "transpose | perm=axes", "numpy.Concatenate": "concat | axis=axis",
    "numpy.Stack": "stack | axis=axis", "core:Unstack": "unstack | num=num axis=axis",
    "numpy.Tile": "tile | multiples=repeats", "numpy.Split": "split | num_or_size_splits=indices_or_sections axis=axis",
    "numpy.Pad": "pad | paddings=pad_width mode=mode constant_values=constant_values",
    "numpy.Take": "gather | indices axis=axis", "numpy.GetItem": "getitem | slice_spec",
}  # fmt: skip
_BY_FUNCTION = {
    function: (node, rule.partition("|")[2].split())
    for node, rule in _OPS.items()
    for function in rule.partition("|")[0].split()
}
# What may stand beside, if it has this value (names and checks choose nothing).
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "name": (), "validate_indices": (), "validate_shape": (), "conjugate": (False,), "batch_dims": (0,),
    "transpose_a": (False,), "transpose_b": (False,), "adjoint_a": (False,), "adjoint_b": (False,),
    "a_is_sparse": (False,), "b_is_sparse": (False,), "output_type": ("int64", "int32"), "num": (None,),
    "features": (), "exclusive": (False,), "reverse": (False,), "epsilon": (1e-12,),
}  # fmt: skip


def node_record(layer: dict[str, Any], tensor: Convert) -> dict[str, Any]:
    """The record of an op for a layer of class `TFOpLambda` or `SlicingOpLambda`.

    Args:
        layer: its record, with `inbound_nodes`.
        tensor: from a place `[layer, node, tensor]` to a tensor's record.

    Raises:
        UnknownObjectError: no op does the same.
    """
    function = str(layer["config"].get("function"))
    found = _BY_FUNCTION.get(function.rpartition(".")[2])
    calls = layer["inbound_nodes"]
    if found is None or len(calls) != 1:
        raise _unsupported(layer, function)
    node, arguments = found
    tensors, names = [a for a in arguments if "=" not in a], dict(a.split("=") for a in arguments if "=" in a)
    first, given = _first(calls[0], tensor)
    if first is None:
        raise _unsupported(layer, function)
    given = dict(given)
    operands = [first, *(_argument(given.pop(name), name, tensor) for name in tensors if name in given)]
    static = {new: given.pop(old) for old, new in names.items() if given.get(old) is not None}
    if not all(value is None or _is_neutral(key, value) for key, value in given.items()):
        raise _unsupported(layer, f"{function} with {given}")
    module, _, class_name = node.replace(":", ".").rpartition(".")
    return {
        "module": f"keras.src.ops.{module}",
        "class_name": class_name,
        "config": {"name": layer["config"]["name"], **_static(class_name, static)},
        "registered_name": class_name,
        "name": layer.get("name") or layer["config"]["name"],
        "inbound_nodes": [{"args": operands, "kwargs": {}}],
    }


def _is_neutral(key: str, value: Any) -> bool:
    return key in _NEUTRAL and (not _NEUTRAL[key] or value in _NEUTRAL[key])


def _first(call: Any, tensor: Convert) -> tuple[Any, dict[str, Any]]:
    """The first argument, which may be a list of tensors, and the others by name."""
    if isinstance(call[0], list):
        return [tensor(place) for place in call], call[0][3] if len(call[0]) > 3 else {}
    if call[0] == "_CONSTANT_VALUE":
        value = call[2]
        return (value if isinstance(value, (int, float)) else None), call[3]
    return tensor(call), call[3] if len(call) > 3 else {}


def _argument(value: Any, name: str, tensor: Convert) -> Any:
    if name == "slice_spec":
        parts = [_part(part) for part in (value if isinstance(value, list) else [value])]
        return parts[0] if len(parts) == 1 else parts
    if isinstance(value, list) and len(value) == 3 and isinstance(value[0], str):
        return tensor(value)
    if isinstance(value, list):
        return {"class_name": "__numpy__", "config": {"value": value, "dtype": "int32"}}
    return value


def _part(part: Any) -> Any:
    if isinstance(part, dict):
        return {"class_name": "__slice__", "config": {key: part.get(key) for key in ("start", "stop", "step")}}
    return part


def _static(class_name: str, static: dict[str, Any]) -> dict[str, Any]:
    if isinstance(static.get("axis"), list) and len(static["axis"]) == 1:
        static = {**static, "axis": static["axis"][0]}
    if class_name == "Split" and isinstance(static["indices_or_sections"], list):
        ends = [sum(static["indices_or_sections"][: i + 1]) for i in range(len(static["indices_or_sections"]) - 1)]
        return {**static, "indices_or_sections": ends}
    if class_name == "Gelu":
        return {"approximate": False, **static}
    if class_name == "Pad":
        return {**static, "mode": static.get("mode", "CONSTANT").lower()}
    if class_name == "Norm" and static.get("ord") == "euclidean":
        return {key: value for key, value in static.items() if key != "ord"}
    return static


def _unsupported(layer: dict[str, Any], function: str) -> UnknownObjectError:
    return UnknownObjectError(
        f"The graph in the file calls the TensorFlow function tf.{function} (at {layer['config'].get('name')!r}), for "
        "which there is no op. Build the model again with keras.ops in its place, and read the weights of the file "
        "with load_weights()."
    )
