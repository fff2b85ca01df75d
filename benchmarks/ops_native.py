"""The native counterpart of an op: what one would call without Keras.

A function of the engine's namespaces counts as the counterpart if it has the op's name (or the engine's own name for
it, below) and gives, with the op's arguments, the op's values.
"""

import importlib
import itertools

import numpy as np

_NAMESPACES = {
    "numpy": ("numpy", "numpy.linalg", "numpy.fft", "scipy.special"),
    "openvino": ("numpy", "numpy.linalg", "numpy.fft", "scipy.special"),
    "jax": ("jax.numpy", "jax.nn", "jax.lax", "jax.numpy.linalg", "jax.scipy.special", "jax.scipy.linalg", "jax.ops"),
    "torch": ("torch", "torch.nn.functional", "torch.linalg", "torch.special"),
    "tensorflow": (
        "tensorflow", "tensorflow.math", "tensorflow.nn", "tensorflow.linalg", "tensorflow.signal",
        "tensorflow.bitwise", "tensorflow.image",
    ),
}  # fmt: skip
_OWN_NAMES = {
    "torch": {
        "absolute": "abs", "concatenate": "cat", "expand_dims": "unsqueeze", "transpose": "permute", "power": "pow",
        "mod": "remainder", "max": "amax", "min": "amin", "equal": "eq", "not_equal": "ne", "clip": "clamp",
        "conjugate": "conj", "repeat": "repeat_interleave", "divide": "div", "true_divide": "div", "tri": "tril",
        "floor_divide": "floor_divide", "arctan2": "atan2", "less": "lt", "greater": "gt", "segment_sum": "index_add",
        "solve_triangular": "solve_triangular", "copy": "clone", "in_top_k": "topk", "cast": "to", "top_k": "topk",
    },
    "tensorflow": {
        "absolute": "abs", "concatenate": "concat", "power": "pow", "mod": "floormod", "max": "reduce_max",
        "min": "reduce_min", "amax": "reduce_max", "amin": "reduce_min", "sum": "reduce_sum", "mean": "reduce_mean",
        "prod": "reduce_prod", "all": "reduce_all", "any": "reduce_any", "var": "reduce_variance",
        "std": "reduce_std", "logsumexp": "reduce_logsumexp", "arccos": "acos", "arcsin": "asin", "arctan": "atan",
        "arctan2": "atan2", "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh", "isnan": "is_nan",
        "isinf": "is_inf", "isfinite": "is_finite", "conjugate": "conj", "take": "gather", "inv": "inv",
        "bitwise_not": "invert", "copy": "identity", "invert": "invert", "solve": "solve",
    },
}  # fmt: skip
_OWN_WORDS = {"torch": {"axis": "dim", "keepdims": "keepdim"}}


def find(engine, name, args, static, expected):
    """`(function, args, keywords)` of the counterpart, or None."""
    if expected is None:
        return None
    words = {_OWN_WORDS.get(engine, {}).get(k, k): v for k, v in static.items()}
    names = dict.fromkeys([name, _OWN_NAMES.get(engine, {}).get(name, name)])
    for module, own in itertools.product(_NAMESPACES[engine], names):
        function = getattr(importlib.import_module(module), own, None)
        for positional, keywords in ((args, words), ((*args, *static.values()), {})):
            if callable(function) and _agrees(function, positional, keywords, expected):
                return function, positional, keywords
    return None


def _agrees(function, args, keywords, expected):
    try:
        got = function(*args, **keywords)
        got = got if isinstance(got, (list, tuple)) else [got]
        got = [np.asarray(x.detach() if hasattr(x, "detach") else x) for x in got]
        return len(got) == len(expected) and all(
            g.shape == w.shape and np.allclose(g, w, 1e-3, 1e-3, equal_nan=True) for g, w in zip(got, expected)
        )
    except Exception:  # not a counterpart, whatever it objects to
        return False
