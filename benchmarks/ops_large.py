"""Ops on tensors of a few megabytes, where what counts is the kernel: its choice, and copies around it."""

import functools
import time

import numpy as np
import rows

_RNG = np.random.default_rng(0)


def _floats(*shape):
    return _RNG.normal(size=shape).astype("float32")


_SQUARE = (1024, 1024)
_HEADS = (4, 256, 8, 64)
# Name: arguments, the call on `keras.ops`, then natively. Images have channels last everywhere.
CASES = {
    "add": ((_floats(*_SQUARE), _floats(*_SQUARE)), lambda k, x, y: k.add(x, y)),
    "exp": ((_floats(*_SQUARE),), lambda k, x: k.exp(x)),
    "gelu": ((_floats(*_SQUARE),), lambda k, x: k.gelu(x, approximate=False)),
    "sum": ((_floats(*_SQUARE),), lambda k, x: k.sum(x, axis=-1)),
    "mean_first_axis": ((_floats(*_SQUARE),), lambda k, x: k.mean(x, axis=0)),
    "softmax": ((_floats(*_SQUARE),), lambda k, x: k.softmax(x, axis=-1)),
    "matmul": ((_floats(512, 512), _floats(512, 512)), lambda k, x, y: k.matmul(x, y)),
    "einsum": ((_floats(16, 128, 64), _floats(16, 64, 128)), lambda k, x, y: k.einsum("bij,bjk->bik", x, y)),
    "transpose_copy": ((_floats(*_SQUARE),), lambda k, x: k.add(k.transpose(x), 1.0)),
    "conv": ((_floats(8, 64, 64, 16), _floats(3, 3, 16, 32)), lambda k, x, w: k.conv(x, w, padding="same")),
    "depthwise_conv": (
        (_floats(8, 64, 64, 32), _floats(3, 3, 32, 1)), lambda k, x, w: k.depthwise_conv(x, w, padding="same")
    ),
    "max_pool": ((_floats(8, 64, 64, 32),), lambda k, x: k.max_pool(x, 2, 2)),
    "attention": ((_floats(*_HEADS),) * 3, lambda k, q, x, v: k.dot_product_attention(q, x, v)),
    "resize": ((_floats(4, 128, 128, 16),), lambda k, x: k.image.resize(x, (256, 256))),
    "sort": ((_floats(*_SQUARE),), lambda k, x: k.sort(x, axis=-1)),
    "layer_norm": ((_floats(*_SQUARE),), lambda k, x: k.layer_normalization(x, axis=-1, epsilon=1e-5)),
}  # fmt: skip


def _torch():
    import torch
    import torch.nn.functional as F

    def first(x):
        return x.permute(0, 3, 1, 2)

    def weight(w):
        return w.permute(3, 2, 0, 1)

    return {
        "add": torch.add,
        "exp": torch.exp,
        "gelu": F.gelu,
        "sum": lambda x: torch.sum(x, -1),
        "mean_first_axis": lambda x: torch.mean(x, 0),
        "softmax": lambda x: torch.softmax(x, -1),
        "matmul": torch.matmul,
        "einsum": lambda x, y: torch.einsum("bij,bjk->bik", x, y),
        "transpose_copy": lambda x: x.T + 1.0,
        "conv": lambda x, w: F.conv2d(first(x), weight(w), padding=1),
        "depthwise_conv": lambda x, w: F.conv2d(first(x), w.permute(2, 3, 0, 1), padding=1, groups=x.shape[-1]),
        "max_pool": lambda x: F.max_pool2d(first(x), 2, 2),
        "attention": lambda q, k, v: F.scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v))),
        "resize": lambda x: F.interpolate(first(x), size=(256, 256), mode="bilinear"),
        "sort": lambda x: torch.sort(x, -1).values,
        "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    }


def _jax():
    import jax
    import jax.numpy as jnp
    from jax import lax

    convolve = functools.partial(lax.conv_general_dilated, padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    @jax.jit
    def layer_norm(x):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    return {
        "add": jnp.add,
        "exp": jnp.exp,
        "gelu": functools.partial(jax.nn.gelu, approximate=False),
        "sum": lambda x: jnp.sum(x, -1),
        "mean_first_axis": lambda x: jnp.mean(x, 0),
        "softmax": jax.nn.softmax,
        "matmul": jnp.matmul,
        "einsum": lambda x, y: jnp.einsum("bij,bjk->bik", x, y),
        "transpose_copy": lambda x: x.T + 1.0,
        "conv": lambda x, w: convolve(x, w, (1, 1)),
        "depthwise_conv": lambda x, w: convolve(x, w.reshape(3, 3, 1, -1), (1, 1), feature_group_count=x.shape[-1]),
        "max_pool": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        "attention": jax.nn.dot_product_attention,
        "resize": lambda x: jax.image.resize(x, (4, 256, 256, 16), "bilinear"),
        "sort": jnp.sort,
        "layer_norm": layer_norm,
    }


def _tensorflow():
    import tensorflow as tf

    def attention(q, k, v):
        weights = tf.nn.softmax(tf.einsum("bqhd,bkhd->bhqk", q * q.shape[-1] ** -0.5, k))
        return tf.einsum("bhqk,bkhd->bqhd", weights, v)

    return {
        "add": tf.add,
        "exp": tf.exp,
        "gelu": tf.nn.gelu,
        "sum": lambda x: tf.reduce_sum(x, -1),
        "mean_first_axis": lambda x: tf.reduce_mean(x, 0),
        "softmax": tf.nn.softmax,
        "matmul": tf.matmul,
        "einsum": lambda x, y: tf.einsum("bij,bjk->bik", x, y),
        "transpose_copy": lambda x: tf.transpose(x) + 1.0,
        "conv": lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"),
        "depthwise_conv": lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
        "max_pool": lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
        "attention": attention,
        "resize": lambda x: tf.image.resize(x, (256, 256)),
        "sort": tf.sort,
    }


def _numpy():
    def softmax(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def attention(q, k, v):
        q, k, v = (x.transpose(0, 2, 1, 3) for x in (q, k, v))
        return (softmax((q * q.shape[-1] ** -0.5) @ k.swapaxes(-1, -2)) @ v).transpose(0, 2, 1, 3)

    def layer_norm(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    return {
        "add": np.add,
        "exp": np.exp,
        "sum": lambda x: np.sum(x, -1),
        "mean_first_axis": lambda x: np.mean(x, 0),
        "softmax": softmax,
        "matmul": np.matmul,
        "einsum": lambda x, y: np.einsum("bij,bjk->bik", x, y, optimize=True),
        "transpose_copy": lambda x: x.T + 1.0,
        "attention": attention,
        "sort": lambda x: np.sort(x, -1),
        "layer_norm": layer_norm,
    }


_NATIVE = {"torch": _torch, "jax": _jax, "tensorflow": _tensorflow, "numpy": _numpy, "openvino": _numpy}


def _waited(function, args, count):
    start = time.process_time()
    for _ in range(count):
        out = function(*args)
        if hasattr(out, "block_until_ready"):
            out.block_until_ready()
    return (time.process_time() - start) / count


def prepare(side, engine):
    if side == "native":
        calls = _NATIVE[engine]()
    else:
        import keras

        calls = {name: functools.partial(call, keras.ops) for name, (_, call) in CASES.items()}
    ready = {}
    for name, (arrays, _) in CASES.items():
        if name in calls:
            args = [rows.native_tensor(engine, x) for x in arrays]
            try:
                once = min(_waited(calls[name], args, 1) for _ in range(3))
            except Exception as error:
                print(f"{side} {name}: {type(error).__name__} {str(error)[:100]}", file=rows.LOG, flush=True)
                continue
            ready[name] = (calls[name], args, max(1, int(0.01 / max(once, 1e-6))))

    def run():
        return {name: _waited(*call) for name, call in ready.items()}

    return run
