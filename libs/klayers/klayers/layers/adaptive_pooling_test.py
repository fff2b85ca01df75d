from __future__ import annotations

import itertools

import numpy as np
import pytest

from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers import adaptive_pooling

X = {
    1: np.random.default_rng(1).normal(size=(2, 7, 3)).astype("float32"),
    2: np.random.default_rng(2).normal(size=(2, 7, 5, 3)).astype("float32"),
    3: np.random.default_rng(3).normal(size=(2, 3, 4, 5, 2)).astype("float32"),
}


def pooled(x, sizes, reduce):
    y = np.zeros((x.shape[0], *sizes, x.shape[-1]))
    for place in itertools.product(*(range(s) for s in sizes)):
        cut = tuple(slice(p * n // m, -(-(p + 1) * n // m)) for p, n, m in zip(place, x.shape[1:-1], sizes))
        y[(slice(None), *place)] = reduce(x[(slice(None), *cut)], axis=tuple(range(1, len(sizes) + 1)))
    return y


@pytest.mark.parametrize(("rank", "size"), [(1, 3), (1, 7), (2, (3, 2)), (3, 2)])
@pytest.mark.parametrize(("kind", "reduce"), [("Average", np.mean), ("Max", np.max)])
def test_value(kind, reduce, rank, size):
    cls = getattr(adaptive_pooling, f"Adaptive{kind}Pooling{rank}D")
    sizes = size if isinstance(size, tuple) else (size,) * rank
    check_layer(lambda **k: cls(size, **k), X[rank], pooled(X[rank], sizes, reduce), rtol=1e-4, atol=1e-5)


def test_channels_first():
    x = np.ascontiguousarray(X[2].transpose(0, 3, 1, 2))
    y = adaptive_pooling.AdaptiveMaxPooling2D(2, data_format="channels_first")(x)
    np.testing.assert_allclose(as_array(y).transpose(0, 2, 3, 1), pooled(X[2], (2, 2), np.max), rtol=1e-6)


def test_errors_teach():
    with pytest.raises(TypeError, match="output_size must be an integer"):
        adaptive_pooling.AdaptiveMaxPooling2D("a")
    with pytest.raises(ValueError, match="output_size"):
        adaptive_pooling.AdaptiveMaxPooling2D(0)
    with pytest.raises(ValueError, match="4 axes, not 3"):
        adaptive_pooling.AdaptiveMaxPooling2D(2)(X[1])
