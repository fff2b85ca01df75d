"""Gradients where formulas have none: at 0, at ties, at bounds, beside NaN; one convention on every engine.

- `abs`, `sign`, norms, `std`, `l2` distances at 0: 0. A subgradient, and the one that leaves parameters where they are.
- `relu` and its family at their kinks: the slope of the left side. `clip`: 1 inside and at the bounds.
- `maximum` of equals: half to each (TensorFlow: all to the first). `max` of equals: shared in equal parts.
- `selu` at 0: the slope of one side or the other. Probabilities clipped by a loss: 0.
- What is not chosen (`where`, masked logits of -inf, padded sequences) gets 0, never NaN.
- `sqrt`, `log`, `power`, `arcsin` where the slope is infinite: infinite, as analysis has it; only the ops above that
  contain a root promise more.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import kops
from kops.conformance import collect
from kops.declare import OPS
from kops.engine import engine
from kops.op import clear_plans

collect.rows()  # declares the ops
harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
pytestmark = [
    pytest.mark.skipif(not engine().HAS_GRADIENTS, reason="no gradients on this engine"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]
INF, NAN = float("inf"), float("nan")
H = 0.5
TIE = 1.0 if engine().NAME == "tensorflow" else H


def op(name, *rest, **static):
    return lambda *xs: OPS[name].function(*xs, *rest, **static)


# name: (function, inputs, gradients of the sum of the output)
TRAPS = {
    "absolute at 0": (op("absolute"), [[0.0, -0.0, 2.0, -3.0]], [[0, 0, 1, -1]]),
    "sign at 0": (op("sign"), [[0.0, 2.0]], [[0, 0]]),
    "relu at 0": (op("relu"), [[0.0, -1.0, 1.0]], [[0, 0, 1]]),
    "relu6 at its bounds": (op("relu6"), [[0.0, 6.0, 3.0, 7.0]], [[0, 0, 1, 0]]),
    "leaky_relu at 0": (op("leaky_relu", 0.2), [[0.0, -1.0, 1.0]], [[0.2, 0.2, 1]]),
    "elu at 0": (op("elu"), [[0.0]], [[1]]),
    "hard_tanh at its bounds": (op("hard_tanh"), [[-1.0, 1.0, 0.0, 2.0]], [[1, 1, 1, 0]]),
    "clip at its bounds": (op("clip", -1.0, 1.0), [[-1.0, 1.0, 0.0, 2.0]], [[1, 1, 1, 0]]),
    "soft_shrink at its bounds": (op("soft_shrink"), [[-0.5, 0.5, 0.0, 1.0]], [[0, 0, 0, 1]]),
    "hard_shrink at its bounds": (op("hard_shrink"), [[-0.5, 0.5, 0.0, 1.0]], [[0, 0, 0, 1]]),
    "maximum of equals": (op("maximum"), [[1.0, 2.0], [1.0, 0.0]], [[TIE, 1], [1 - TIE, 0]]),
    "minimum of equals": (op("minimum"), [[1.0, 2.0], [1.0, 0.0]], [[TIE, 0], [1 - TIE, 1]]),
    "max of equals": (op("max", axis=1), [[[3.0, 1.0, 3.0], [2.0, 2.0, 2.0]]], [[[H, 0, H], [1 / 3] * 3]]),
    "min of equals": (op("min"), [[1.0, 1.0, 3.0]], [[H, H, 0]]),
    "amax of equals": (op("amax"), [[3.0, 3.0]], [[H, H]]),
    "sqrt at 0": (op("sqrt"), [[0.0, 4.0]], [[INF, 0.25]]),
    "norm at 0": (op("norm", axis=1), [[[0.0, 0.0], [3.0, 4.0]]], [[[0, 0], [0.6, 0.8]]]),
    "norm of order 1 at 0": (op("norm", ord=1), [[0.0, -2.0]], [[0, -1]]),
    "norm of order 3 at 0": (op("norm", ord=3), [[0.0, 0.0]], [[0, 0]]),
    "norm of order inf at 0": (op("norm", ord=np.inf), [[0.0, 0.0]], [[0, 0]]),
    "frobenius at 0": (op("norm", ord="fro", axis=(0, 1)), [[[0.0, 0.0], [0.0, 0.0]]], [[[0, 0], [0, 0]]]),
    "normalize at 0": (op("normalize"), [[[0.0, 0.0]]], [[[1e7, 1e7]]]),
    "cdist of equals": (op("cdist"), [[[1.0, 2.0]], [[1.0, 2.0]]], [[[0, 0]], [[0, 0]]]),
    "hypot at 0": (op("hypot"), [[0.0], [0.0]], [[0], [0]]),
    "std of a constant": (op("std"), [[2.0, 2.0, 2.0]], [[0, 0, 0]]),
    "var of a constant": (op("var"), [[2.0, 2.0, 2.0]], [[0, 0, 0]]),
    "nanstd of a constant": (op("nanstd"), [[2.0, NAN, 2.0]], [[0, 0, 0]]),
    "nansum beside NaN": (op("nansum"), [[2.0, NAN]], [[1, 0]]),
    "nanmean beside NaN": (op("nanmean"), [[2.0, NAN, 3.0]], [[H, 0, H]]),
    "nanvar beside NaN": (op("nanvar"), [[2.0, NAN, 4.0]], [[-1, 0, 1]]),
    "nanprod beside NaN": (op("nanprod"), [[2.0, NAN, 3.0]], [[3, 0, 2]]),
    "nanmax beside NaN": (op("nanmax"), [[2.0, NAN, 3.0]], [[0, 0, 1]]),
    "nan_to_num beside NaN": (op("nan_to_num"), [[2.0, NAN, INF]], [[1, 0, 0]]),
    "where beside NaN": (
        lambda x: kops.where(x > 0, kops.log(kops.where(x > 0, x, 1.0)), 0.0), [[-1.0, 2.0, 0.0]], [[0, H, 0]],
    ),
    "divide_no_nan at 0": (op("divide_no_nan"), [[1.0, 3.0], [0.0, 2.0]], [[0, H], [0, -0.75]]),
    "logsumexp with -inf": (op("logsumexp"), [[0.0, -INF, 0.0]], [[H, 0, H]]),
    "logsumexp of -inf": (op("logsumexp"), [[-INF, -INF]], [[0, 0]]),
    "logaddexp with -inf": (op("logaddexp"), [[0.0, -INF], [-INF, 0.0]], [[1, 0], [0, 1]]),
    "logaddexp of -inf": (op("logaddexp"), [[-INF], [-INF]], [[H], [H]]),
    "logaddexp of equals": (op("logaddexp"), [[1.0], [1.0]], [[H], [H]]),
    "softmax with -inf": (lambda x: kops.softmax(x)[0], [[0.0, -INF, 0.0]], [[0.25, 0, -0.25]]),
    "log_softmax with -inf": (lambda x: kops.log_softmax(x)[0], [[0.0, -INF, 0.0]], [[H, 0, -H]]),
    "softplus far out": (op("softplus"), [[-1000.0, 1000.0, 0.0]], [[0, 1, H]]),
    "log_sigmoid far out": (op("log_sigmoid"), [[-1000.0, 1000.0, 0.0]], [[1, 0, H]]),
    "sigmoid far out": (op("sigmoid"), [[-1000.0, 1000.0]], [[0, 0]]),
    "tanh far out": (op("tanh"), [[-1000.0, 1000.0]], [[0, 0]]),
    "silu far out": (op("silu"), [[-1000.0, 1000.0]], [[0, 1]]),
    "gelu far out": (op("gelu"), [[-1000.0, 1000.0]], [[0, 1]]),
    "exact gelu far out": (op("gelu", False), [[-1000.0, 1000.0]], [[0, 1]]),
    "elu far out": (op("elu"), [[-1000.0, 1000.0]], [[0, 1]]),
    "celu far out": (op("celu"), [[-1000.0, 1000.0]], [[0, 1]]),
    "squareplus far out": (op("squareplus"), [[-1e6, 1e6]], [[0, 1]]),
    "power of 0": (
        lambda x: kops.power(x, kops.convert_to_tensor([0.0, 1.0, 2.0, 3.0], dtype="float64")),
        [[0.0, 0.0, 0.0, 0.0]], [[0, 1, 0, 0]],
    ),
    "power of 0 by exponent": (
        lambda y: kops.power(kops.convert_to_tensor([0.0, 0.0], dtype="float64"), y), [[1.0, 2.0]], [[0, 0]],
    ),
    "power of 0 to a number": (op("power", 2), [[0.0, 3.0]], [[0, 6]]),
    "power of 0 to 1.0": (op("power", 1.0), [[0.0, 3.0]], [[1, 1]]),
    "square at 0": (op("square"), [[0.0]], [[0]]),
    "sinc at 0": (op("sinc"), [[0.0]], [[0]]),
    "cbrt at 0": (op("cbrt"), [[0.0, 8.0]], [[INF, 1 / 12]]),
    "arcsin at its bounds": (op("arcsin"), [[1.0, -1.0, 0.0]], [[INF, INF, 1]]),
    "arccos at its bounds": (op("arccos"), [[1.0, -1.0, 0.0]], [[-INF, -INF, -1]]),
    "arctan2 at 0": (op("arctan2"), [[0.0, 1.0], [1.0, 0.0]], [[1, 0], [0, -1]]),
    "prod with 0": (op("prod"), [[2.0, 0.0, 3.0]], [[0, 6, 0]]),
    "prod with zeros": (op("prod"), [[2.0, 0.0, 0.0]], [[0, 0, 0]]),
    "cumprod with 0": (op("cumprod", axis=0), [[2.0, 0.0, 3.0]], [[1, 8, 0]]),
    "sort of equals": (lambda x: kops.sort(x)[0], [[2.0, 1.0, 3.0]], [[0, 1, 0]]),
    "median": (op("median"), [[2.0, 1.0, 3.0, 4.0]], [[H, 0, H, 0]]),
    "ptp": (op("ptp"), [[2.0, 1.0, 3.0]], [[0, -1, 1]]),
    "floor": (op("floor"), [[1.5]], [[0]]),
    "round": (op("round"), [[1.4]], [[0]]),
    "mod": (op("mod"), [[7.5], [2.0]], [[1], [-3]]),
    "fmod": (op("fmod"), [[-7.5], [2.0]], [[1], [3]]),
    "segment_max of equals": (
        lambda x: kops.segment_max(x, kops.convert_to_tensor([0, 0, 1], dtype="int32"), num_segments=3)[:2],
        [[2.0, 2.0, 1.0]], [[H, H, 1]],
    ),
    "layer_normalization of a constant": (
        lambda x: kops.layer_normalization(x, epsilon=1e-3)[0, 0], [[[2.0, 2.0]]], [[[H / 1e-3**H, -H / 1e-3**H]]],
    ),
    "rms_normalization of 0": (op("rms_normalization", epsilon=1e-4), [[[0.0, 0.0]]], [[[100, 100]]]),
    "binary_crossentropy at the bounds": (
        lambda p: kops.binary_crossentropy(kops.convert_to_tensor([0.0, 1.0], dtype="float64"), p),
        [[0.0, 1.0]], [[0, 0]],
    ),
    "categorical_crossentropy from far logits": (
        lambda x: kops.categorical_crossentropy(
            kops.convert_to_tensor([0.0, 1.0], dtype="float64"), x, from_logits=True
        ),
        [[1000.0, -1000.0]], [[1, -1]],
    ),
    "cholesky": (
        lambda x: kops.cholesky(x)[1, 0], [[[4.0, 2.0], [2.0, 3.0]]], [[[-0.125, 0.25], [0.25, 0]]],
    ),
    "attention of a masked row": (
        lambda q: kops.dot_product_attention(
            q, kops.ones((1, 2, 1, 2), dtype="float64"), kops.ones((1, 2, 1, 2), dtype="float64"),
            mask=kops.zeros((1, 1, 1, 2), dtype="bool"),
        ),
        [[[[[1.0, 2.0]]]]], [[[[[0, 0]]]]],
    ),
    "max_pool of equals": (
        lambda x: kops.max_pool(x, 2, 2), [[[[1.0], [1.0]]]], [None],
    ),
}  # fmt: skip


def _compiled(function):
    """On JAX: one compilation instead of one of each small step."""
    if engine().NAME != "jax":
        return function
    import jax

    return jax.jit(function)


@pytest.mark.parametrize("name", TRAPS)
def test_trap(name):
    function, inputs, want = TRAPS[name]
    e = engine()
    with harness.wide():
        clear_plans()  # JAX: plans made for 32 bits stay out, and these stay in
        try:
            arrays = [e.convert(np.asarray(x, np.float64), "float64") for x in inputs]
            total = _compiled(lambda *xs: kops.sum(function(*xs)))
            found = harness.gradients(total, arrays, list(range(len(arrays))))
        finally:
            clear_plans()
    for got, expected in zip(found, want):
        if expected is None:  # any subgradient: the engines choose one of the equals
            assert np.isclose(got.sum(), 1) and (got >= 0).all(), got
        else:
            np.testing.assert_allclose(got, np.asarray(expected, float), rtol=1e-6, atol=1e-12)
