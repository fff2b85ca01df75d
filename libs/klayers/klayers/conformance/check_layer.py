"""The promises every layer keeps, as one check to be used in the tests of layers, ours and others'.

check_layer(lambda **k: Dense(3, **k), x, lambda x, kernel, bias: x @ kernel + bias)
"""

from __future__ import annotations

import json
from typing import Any, Callable

import numpy as np

import kops
import ksave
from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor

# torch.compile takes seconds for each case; ops pass through it in kops's own tests.
_JITS = ("jax", "tensorflow", "openvino")


def as_array(x: Any) -> np.ndarray:
    """A tensor as a NumPy array; bfloat16 as float32."""
    return np.asarray(kops.convert_to_numpy(kops.cast(x, "float32") if _half(x) else x))


def _half(x: Any) -> bool:
    return kops.standardize_dtype(x.dtype) in ("bfloat16", "float16")


def check_layer(
    make: Callable[..., Any],
    inputs: Any,
    expected: Any = None,
    *,
    rtol: float = 2e-5,
    atol: float = 2e-6,
    low_precision: bool = True,
    jit: bool = True,
    empty: bool = True,
    seed: int = 0,
) -> Any:
    """Check a layer on one input.

    Compared with each other and with `expected`: the eager call, the symbolic call with an unknown batch (shape and
    dtype), `compute_output_shape`, the layer made again from its JSON config, the compiled call, an empty batch, and
    the call in mixed precision.

    Args:
        make: makes the layer; takes `dtype` and `name`.
        inputs: a NumPy array or a list of them, the batch first.
        expected: an array, or a function of the inputs (as one argument) and the weights' arrays that returns one.
        rtol, atol: tolerances of `expected`.
        low_precision, jit, empty: leave these checks out where they make no sense.
        seed: of the values that the weights are given.

    Returns:
        The layer.
    """
    layer = make(name="checked")
    outputs = layer(inputs)
    rng = np.random.default_rng(seed)
    if layer.weights:
        layer.set_weights([_value(rng, v) for v in layer.weights])
        outputs = layer(inputs)
    weights = [v.numpy() for v in layer.weights]
    found = as_array(outputs)
    if expected is not None:
        wanted = expected(inputs, *weights) if callable(expected) else expected
        assert found.shape == np.shape(wanted), f"shape {found.shape}, expected {np.shape(wanted)}"
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol)
    _check_symbolic(make, layer, inputs, outputs)
    _check_config(layer, inputs, weights, found)
    if jit and engine().NAME in _JITS:
        np.testing.assert_allclose(as_array(_compiled(layer, inputs)), found, rtol=1e-4, atol=1e-5)
    if empty:
        nothing = layer(tree.map_structure(lambda x: x[:0], inputs))
        assert tuple(nothing.shape) == (0, *found.shape[1:]), f"empty batch gives {tuple(nothing.shape)}"
    if low_precision:
        _check_low_precision(make, inputs, weights, found)
    return layer


def _value(rng: Any, v: Any) -> np.ndarray:
    # Positive and around one, since some weights are variances.
    return rng.uniform(0.5, 1.5, size=v.shape).astype("float32")


def _spec(x: Any, batch: int | None) -> KerasTensor:
    return KerasTensor((batch, *x.shape[1:]), dtype=str(x.dtype))


def _check_symbolic(make: Any, layer: Any, inputs: Any, outputs: Any) -> None:
    dtype = kops.standardize_dtype(outputs.dtype)
    for batch in (None, len(tree.flatten(inputs)[0])):
        symbolic = make()(tree.map_structure(lambda x, batch=batch: _spec(x, batch), inputs))
        wanted = (batch, *outputs.shape[1:])
        assert symbolic.shape == wanted, f"symbolic shape {symbolic.shape}, eager {wanted}"
        assert symbolic.dtype == dtype, f"symbolic dtype {symbolic.dtype}, eager {dtype}"
    shapes = tree.map_structure(lambda x: (None, *x.shape[1:]), inputs)
    assert tuple(layer.compute_output_shape(shapes)) == (None, *outputs.shape[1:])


def _check_config(layer: Any, inputs: Any, weights: Any, found: np.ndarray) -> None:
    record = ksave.serialize_keras_object(layer)
    again = ksave.deserialize_keras_object(json.loads(json.dumps(record)))
    assert again.get_config() == layer.get_config()
    again(inputs)
    again.set_weights(weights)
    np.testing.assert_allclose(as_array(again(inputs)), found, rtol=1e-6, atol=1e-6)


def _compiled(layer: Any, inputs: Any) -> Any:
    flat = [engine().convert(x, None) for x in tree.flatten(inputs)]
    structure = inputs if isinstance(inputs, (list, tuple)) else None
    call = engine().jit(lambda *xs: layer(list(xs) if structure is not None else xs[0]))
    return call(*flat)


def _check_low_precision(make: Any, inputs: Any, weights: Any, found: np.ndarray) -> None:
    layer = make(dtype="mixed_bfloat16")
    outputs = layer(inputs)
    layer.set_weights(weights)
    outputs = layer(inputs)
    floats = all(np.issubdtype(x.dtype, np.floating) for x in tree.flatten(inputs))
    if floats or layer.weights:
        assert kops.standardize_dtype(outputs.dtype) == "bfloat16"
    assert all(kops.standardize_dtype(v.dtype) == "float32" for v in layer.weights)
    scale = np.abs(found).max() if found.size else 1.0
    np.testing.assert_allclose(as_array(outputs), found, rtol=0.05, atol=0.03 * max(scale, 1e-3))
