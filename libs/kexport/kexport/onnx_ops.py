"""How each op is said in ONNX: op name -> function of the graph, the arguments, and the recorded outputs."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from kexport.onnx_graph import Graph

Emit = Callable[..., Any]
OPS: dict[str, Emit] = {}

_SAME_NAME = {
    "negative": "Neg",
    "absolute": "Abs",
    "sign": "Sign",
    "sqrt": "Sqrt",
    "reciprocal": "Reciprocal",
    "floor": "Floor",
    "ceil": "Ceil",
    "exp": "Exp",
    "log": "Log",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "erf": "Erf",
    "isnan": "IsNaN",
    "isinf": "IsInf",
    "logical_not": "Not",
    "relu": "Relu",
    "selu": "Selu",
    "sigmoid": "Sigmoid",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "copy": "Identity",
    "bitwise_not": "BitwiseNot",
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "power": "Pow",
    "matmul": "MatMul",
    "maximum": "Max",
    "minimum": "Min",
    "equal": "Equal",
    "less": "Less",
    "less_equal": "LessOrEqual",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "logical_and": "And",
    "logical_or": "Or",
    "logical_xor": "Xor",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
}
for _op, _type in _SAME_NAME.items():
    OPS[_op] = lambda g, *xs, out, _type=_type: g.add(_type, *xs)


def emit(name: str) -> Callable[[Emit], Emit]:
    def keep(function: Emit) -> Emit:
        OPS[name] = function
        return function

    return keep


@emit("cast")
def _cast(g: Graph, x: Any, dtype: Any, out: Any) -> str:
    return g.cast(x, out.dtype)


@emit("dimension")
def _dimension(g: Graph, x: Any, axis: int, out: Any) -> str:
    size = g.add("Gather", g.add("Shape", x), g.constant(np.int64(axis)))
    return g.cast(size, out.dtype)


@emit("square")
def _square(g: Graph, x: Any, out: Any) -> str:
    return g.add("Mul", x, x)


@emit("rsqrt")
def _rsqrt(g: Graph, x: Any, out: Any) -> str:
    return g.add("Reciprocal", g.add("Sqrt", x))


@emit("not_equal")
def _not_equal(g: Graph, a: Any, b: Any, out: Any) -> str:
    return g.add("Not", g.add("Equal", a, b))


@emit("floor_divide")
def _floor_divide(g: Graph, a: Any, b: Any, out: Any) -> str:
    if out.dtype.startswith("float"):
        return g.add("Floor", g.add("Div", a, b))
    # Integer Div truncates: take what Mod (sign of the divisor) leaves away first, then the division is exact.
    return g.add("Div", g.add("Sub", a, g.add("Mod", a, b)), b)


@emit("mod")
def _mod(g: Graph, a: Any, b: Any, out: Any) -> str:
    if not out.dtype.startswith("float"):
        return g.add("Mod", a, b)
    return g.add("Sub", a, g.add("Mul", g.add("Floor", g.add("Div", a, b)), b))


@emit("where")
def _where(g: Graph, condition: Any, x1: Any, x2: Any, out: Any) -> str:
    return g.add("Where", condition, x1, x2)


@emit("clip")
def _clip(g: Graph, x: Any, low: Any, high: Any, out: Any) -> str:
    x = g.add("Max", x, low) if low is not None else x
    return g.add("Min", x, high) if high is not None else g.add("Identity", x)


def _number(g: Graph, value: float, out: Any) -> str:
    return g.constant(np.asarray(value, "float32" if out.dtype == "bfloat16" else out.dtype))


@emit("log1p")
def _log1p(g: Graph, x: Any, out: Any) -> str:
    return g.add("Log", g.add("Add", x, _number(g, 1, out)))


@emit("expm1")
def _expm1(g: Graph, x: Any, out: Any) -> str:
    return g.add("Sub", g.add("Exp", x), _number(g, 1, out))


@emit("relu6")
def _relu6(g: Graph, x: Any, out: Any) -> str:
    return g.add("Clip", x, _number(g, 0, out), _number(g, 6, out))


@emit("silu")
def _silu(g: Graph, x: Any, out: Any) -> str:
    return g.add("Mul", x, g.add("Sigmoid", x))


@emit("leaky_relu")
def _leaky_relu(g: Graph, x: Any, slope: float, out: Any) -> str:
    return g.add("LeakyRelu", x, alpha=float(slope))


@emit("elu")
def _elu(g: Graph, x: Any, alpha: float, out: Any) -> str:
    return g.add("Elu", x, alpha=float(alpha))


@emit("gelu")
def _gelu(g: Graph, x: Any, approximate: bool, out: Any) -> str:
    half = g.add("Mul", x, _number(g, 0.5, out))
    if approximate:
        cubic = g.add("Mul", g.add("Mul", g.add("Mul", x, x), x), _number(g, 0.044715, out))
        inner = g.add("Mul", g.add("Add", x, cubic), _number(g, np.sqrt(2 / np.pi), out))
        bell = g.add("Tanh", inner)
    else:
        bell = g.add("Erf", g.add("Mul", x, _number(g, np.sqrt(0.5), out)))
    return g.add("Mul", half, g.add("Add", bell, _number(g, 1, out)))


def _along(op_type: str) -> Emit:
    def function(g: Graph, x: Any, axis: Any, out: Any) -> str:
        if isinstance(axis, int):
            return g.add(op_type, x, axis=axis)
        raise NotImplementedError(f"{op_type} over several axes has no ONNX form here.")

    return function


OPS["softmax"] = _along("Softmax")
OPS["log_softmax"] = _along("LogSoftmax")


# Shapes


@emit("reshape")
def _reshape(g: Graph, x: Any, newshape: Any, out: Any) -> str:
    return g.add("Reshape", x, _shape(g, newshape), allowzero=1 if 0 in out.shape else 0)


def _shape(g: Graph, shape: Any) -> str:
    """A target shape, whose entries may be computed."""
    shape = shape if isinstance(shape, (list, tuple)) else (shape,)
    if all(isinstance(d, (int, np.integer)) or d is None for d in shape):
        return g.ints(*(-1 if d is None else int(d) for d in shape))
    parts = [
        g.ints(int(d)) if isinstance(d, (int, np.integer)) else g.add("Reshape", g.cast(d, "int64"), g.ints(1))
        for d in shape
    ]
    return g.add("Concat", *parts, axis=0)


@emit("transpose")
def _transpose(g: Graph, x: Any, axes: Any, out: Any) -> str:
    axes = list(range(x.ndim))[::-1] if axes is None else [a % x.ndim for a in axes]
    return g.add("Transpose", x, perm=axes)


@emit("expand_dims")
def _expand_dims(g: Graph, x: Any, axis: Any, out: Any) -> str:
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    return g.add("Unsqueeze", x, g.ints(*(a % out.ndim for a in axes)))


@emit("squeeze")
def _squeeze(g: Graph, x: Any, axis: Any, out: Any) -> str:
    if axis is None:
        axis = [i for i, d in enumerate(x.shape) if d == 1]
    return g.add("Squeeze", x, g.ints(*(axis if isinstance(axis, (list, tuple)) else [axis])))


@emit("broadcast_to")
def _broadcast_to(g: Graph, x: Any, shape: Any, out: Any) -> str:
    return g.add("Expand", x, _shape(g, shape))


@emit("concatenate")
def _concatenate(g: Graph, xs: Any, axis: int, out: Any) -> str:
    return g.add("Concat", *xs, axis=axis % out.ndim)


@emit("stack")
def _stack(g: Graph, xs: Any, axis: int, out: Any) -> str:
    at = g.ints(axis % out.ndim)
    return g.add("Concat", *(g.add("Unsqueeze", x, at) for x in xs), axis=axis % out.ndim)


@emit("split")
def _split(g: Graph, x: Any, sections: Any, axis: int, out: Any) -> Any:
    axis %= x.ndim
    sizes = [o.shape[axis] for o in out]
    names = g.add("Split", x, g.ints(*sizes), outputs=len(sizes), axis=axis)
    return [names] if len(sizes) == 1 else names


@emit("unstack")
def _unstack(g: Graph, x: Any, num: Any, axis: int, out: Any) -> list[str]:
    return [g.add("Gather", x, g.constant(np.int64(i)), axis=axis % x.ndim) for i in range(len(out))]


@emit("tile")
def _tile(g: Graph, x: Any, repeats: Any, out: Any) -> str:
    repeats = list(repeats) if isinstance(repeats, (list, tuple)) else [repeats]
    if len(repeats) > x.ndim:
        x = g.add("Unsqueeze", x, g.ints(*range(len(repeats) - x.ndim)))
    return g.add("Tile", x, g.ints(*([1] * (out.ndim - len(repeats)) + repeats)))


@emit("pad")
def _pad(g: Graph, x: Any, width: Any, mode: str, value: Any, out: Any) -> str:
    if isinstance(width, int):
        width = [(width, width)] * x.ndim
    elif isinstance(width[0], int):
        width = [tuple(width)] * x.ndim
    if len(width) == 1:
        width = [width[0]] * x.ndim
    pads = g.ints(*(int(before) for before, _ in width), *(int(after) for _, after in width))
    if mode == "constant":
        return g.add("Pad", x, pads, g.constant(np.asarray(0 if value is None else value, out.dtype)))
    modes = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
    if mode not in modes:
        raise NotImplementedError(f"Padding mode {mode!r} has no ONNX form.")
    return g.add("Pad", x, pads, mode=modes[mode])


@emit("take")
def _take(g: Graph, x: Any, indices: Any, axis: Any, out: Any) -> str:
    if axis is None:
        x, axis = g.add("Reshape", x, g.ints(-1)), 0
    return g.add("Gather", x, g.cast(indices, "int64"), axis=int(axis) % max(getattr(x, "ndim", 1), 1))


@emit("get_item")
def _get_item(g: Graph, x: Any, key: Any, out: Any) -> str:
    key = list(key) if isinstance(key, tuple) else [key]
    if not all(k is None or k is Ellipsis or isinstance(k, (int, slice)) for k in key):
        raise NotImplementedError("Indexing with tensors has no ONNX form here; use ops.take.")
    used = sum(k is not None and k is not Ellipsis for k in key)
    if Ellipsis in key:
        at = key.index(Ellipsis)
        key[at : at + 1] = [slice(None)] * (x.ndim - used)
    starts, ends, steps, axes, drop, insert = [], [], [], [], [], []
    axis = place = 0
    for k in key:
        if k is None:
            insert.append(place)
            place += 1
            continue
        if isinstance(k, int):
            starts.append(k)
            ends.append(k + 1 if k != -1 else np.iinfo(np.int64).max)
            steps.append(1)
            axes.append(axis)
            drop.append(axis)
        else:
            place += 1
            if k != slice(None):
                step = 1 if k.step is None else k.step
                big = np.iinfo(np.int64).max
                starts.append(k.start if k.start is not None else (0 if step > 0 else big))
                ends.append(k.stop if k.stop is not None else (big if step > 0 else -big))
                steps.append(step)
                axes.append(axis)
        axis += 1
    if axes:
        x = g.add("Slice", x, g.ints(*starts), g.ints(*ends), g.ints(*axes), g.ints(*steps))
    if drop:
        x = g.add("Squeeze", x, g.ints(*drop))
    return g.add("Unsqueeze", x, g.ints(*insert)) if insert else g.add("Identity", x)


# Reductions


def _reduction(op_type: str) -> Emit:
    def function(g: Graph, x: Any, axis: Any, keepdims: bool, *_: Any, out: Any) -> str:
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
        return g.add(op_type, x, g.ints(*axes), keepdims=int(keepdims))

    return function


for _op, _type in {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "max": "ReduceMax",
    "min": "ReduceMin",
    "prod": "ReduceProd",
}.items():
    OPS[_op] = _reduction(_type)


@emit("var")
def _var(g: Graph, x: Any, axis: Any, keepdims: bool, out: Any) -> str:
    axes = g.ints(*(range(x.ndim) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]))
    centred = g.add("Sub", x, g.add("ReduceMean", x, axes, keepdims=1))
    return g.add("ReduceMean", g.add("Mul", centred, centred), axes, keepdims=int(keepdims))


@emit("argmax")
def _argmax(g: Graph, x: Any, axis: Any, keepdims: bool, out: Any, op_type: str = "ArgMax") -> str:
    if axis is None:
        x, axis = g.add("Reshape", x, g.ints(-1)), 0
    return g.cast(g.add(op_type, x, axis=axis, keepdims=int(keepdims)), out.dtype)


@emit("argmin")
def _argmin(g: Graph, x: Any, axis: Any, keepdims: bool, out: Any) -> str:
    return _argmax(g, x, axis, keepdims, out, "ArgMin")


@emit("einsum")
def _einsum(g: Graph, subscripts: str, operands: Any, kwargs: Any, out: Any) -> str:
    return g.add("Einsum", *operands, equation=subscripts)


# Convolutions and pooling: ONNX wants channels first


def _first(g: Graph, x: Any, rank: int) -> str:
    return g.add("Transpose", x, perm=[0, rank - 1, *range(1, rank - 1)])


def _last(g: Graph, x: str, rank: int) -> str:
    return g.add("Transpose", x, perm=[0, *range(2, rank), 1])


def _each(value: Any, n: int) -> list[int]:
    return [int(v) for v in value] if isinstance(value, (list, tuple)) else [int(value)] * n


def _window(g: Graph, x: Any, data_format: Any, node: Callable[[Any], str]) -> str:
    rank = x.ndim
    if data_format == "channels_first":
        return node(x)
    return _last(g, node(_first(g, x, rank)), rank)


def _padding(padding: str) -> str:
    return {"same": "SAME_UPPER", "valid": "VALID"}[padding]


def _same_pads(x: Any, data_format: Any, sizes: list[int], strides: list[int], dilation: list[int]) -> list[int]:
    """Explicit pads of `padding="same"`, since automatic padding of ONNX ignores dilation."""
    spatial = x.shape[2:] if data_format == "channels_first" else x.shape[1:-1]
    before, after = [], []
    for d, k, s, r in zip(spatial, sizes, strides, dilation):
        if d is None:
            raise NotImplementedError("padding='same' with dilation needs known sizes for ONNX.")
        total = max((-(-d // s) - 1) * s + (k - 1) * r + 1 - d, 0)
        before.append(total // 2)
        after.append(total - total // 2)
    return before + after


def _convolve(
    g: Graph, x: Any, kernel: str, sizes: Any, group: int, strides: Any, padding: str, data_format: Any, dilation: Any
) -> str:
    n = x.ndim - 2
    strides, dilation = _each(strides, n), _each(dilation, n)
    options: dict[str, Any] = {"auto_pad": _padding(padding)}
    if padding == "same" and any(d > 1 for d in dilation):
        options = {"pads": _same_pads(x, data_format, list(sizes), strides, dilation)}
    return _window(
        g,
        x,
        data_format,
        lambda v: g.add("Conv", v, kernel, strides=strides, dilations=dilation, group=group, **options),
    )


@emit("conv")
def _conv(g: Graph, x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation: Any, out: Any) -> str:
    n = x.ndim - 2
    channels = x.shape[1] if data_format == "channels_first" else x.shape[-1]
    weights = g.add("Transpose", kernel, perm=[n + 1, n, *range(n)])
    return _convolve(
        g, x, weights, kernel.shape[:n], channels // kernel.shape[-2], strides, padding, data_format, dilation
    )


@emit("depthwise_conv")
def _depthwise(
    g: Graph, x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation: Any, out: Any
) -> str:
    n = x.ndim - 2
    channels, multiplier = kernel.shape[-2:]
    weights = g.add("Transpose", kernel, perm=[n, n + 1, *range(n)])
    weights = g.add("Reshape", weights, g.ints(channels * multiplier, 1, *kernel.shape[:n]))
    return _convolve(g, x, weights, kernel.shape[:n], channels, strides, padding, data_format, dilation)


def _pooling(op_type: str, **extra: Any) -> Emit:
    def function(g: Graph, x: Any, size: Any, strides: Any, padding: str, data_format: Any, out: Any) -> str:
        n = x.ndim - 2
        size = _each(size, n)
        strides = size if strides is None else _each(strides, n)
        return _window(
            g,
            x,
            data_format,
            lambda v: g.add(op_type, v, kernel_shape=size, strides=strides, auto_pad=_padding(padding), **extra),
        )

    return function


OPS["max_pool"] = _pooling("MaxPool")
OPS["average_pool"] = _pooling("AveragePool", count_include_pad=0)


@emit("batch_normalization")
def _batch_normalization(
    g: Graph, x: Any, mean: Any, variance: Any, axis: int, offset: Any, scale: Any, epsilon: float, out: Any
) -> str:
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]

    def spread(v: Any) -> str:
        return g.add("Reshape", v, g.ints(*shape))

    inverse = g.add("Reciprocal", g.add("Sqrt", g.add("Add", spread(variance), _number(g, epsilon, out))))
    if scale is not None:
        inverse = g.add("Mul", inverse, spread(scale))
    x = g.add("Mul", g.add("Sub", x, spread(mean)), inverse)
    return g.add("Add", x, spread(offset)) if offset is not None else x
