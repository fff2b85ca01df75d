"""Composites compiled as a whole: called eagerly, JAX would dispatch every op of their formula by itself.

The functions are traced once per shape and set of static arguments; settings that formulas read are part of the key.
"""

from __future__ import annotations

from typing import Any, Callable

import jax

from kops import config
from kops.declare import OPS

_NAMES = [
    "celu",
    "log_sigmoid",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "hard_shrink",
    "soft_shrink",
    "tanh_shrink",
    "softsign",
    "squareplus",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "glu",
    "threshold",
    "batch_normalization",
    "rms_normalization",
    "binary_crossentropy",
    "categorical_crossentropy",
    "sparse_categorical_crossentropy",
    "psnr",
    "adaptive_max_pool",
    "adaptive_average_pool",
    "space_to_depth",
    "depth_to_space",
    "unfold",
    "fold",
    "resize",
    "map_coordinates",
    "affine_transform",
    "perspective_transform",
    "gaussian_blur",
    "sobel_edges",
    "ssim",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "hsv_to_rgb",
    "extract_patches",
    "extract_patches_3d",
]


def _frozen(x: Any) -> Any:
    return tuple(map(_frozen, x)) if isinstance(x, (list, tuple)) else x


def jitted(name: str) -> Callable[..., Any]:
    """A kernel that runs the formula of a composite compiled."""
    compiled: Any = None
    static: tuple[int, ...] = ()

    def kernel(*args: Any) -> Any:
        nonlocal compiled, static
        if compiled is None:
            op = OPS[name]
            static = tuple(i for i, p in enumerate(op.parameters) if p.kind == "static")
            compiled = jax.jit(lambda settings, *a: op.body(*a), static_argnums=(0, *(i + 1 for i in static)))
        settings = (config.epsilon(), config.floatx(), config.image_data_format())
        ready = list(args)
        for i in static:
            ready[i] = _frozen(args[i])
        return compiled(settings, *ready)

    return kernel


def layer_normalization(x: Any, gamma: Any, beta: Any, axis: Any, epsilon: Any, kwargs: Any) -> Any:
    epsilon = config.epsilon() if epsilon is None else epsilon
    return _layer_normalization(x, gamma, beta, _frozen(axis), epsilon, tuple(sorted(kwargs.items())))


def _normalized(x: Any, gamma: Any, beta: Any, axis: Any, epsilon: Any, kwargs: Any) -> Any:
    return OPS["layer_normalization"].body(x, gamma, beta, axis, epsilon, **dict(kwargs))


_layer_normalization = jax.jit(_normalized, static_argnums=(3, 4, 5))

TABLE = {name: jitted(name) for name in _NAMES}
TABLE["layer_normalization"] = layer_normalization
