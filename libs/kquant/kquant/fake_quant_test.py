from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.config import settings
from kops.engine import engine
from kquant.fake_quant import fake_quant_with_min_max_vars

V = np.array([-2.0, -1.0, 0.0, 0.3, 0.55, 1.0, 5.0], "float32")


@pytest.mark.parametrize(
    ("low", "high", "options", "expected"),
    [
        (-1.0, 1.0, {}, [-0.9960785, -0.9960785, 0, 0.29803923, 0.5490196, 1.0039216, 1.0039216]),
        (-1.0, 1.0, {"num_bits": 4, "narrow_range": True}, [-1, -1, 0, 2 / 7, 4 / 7, 1, 1]),
        (0.5, 2.0, {"num_bits": 3}, [0, 0, 0, 1.5 / 7, 4.5 / 7, 7.5 / 7, 1.5]),
        (-2.0, -0.5, {"num_bits": 3}, [-1.5, -7.5 / 7, 0, 0, 0, 0, 0]),
    ],
)
def test_values(low, high, options, expected):
    found = engine().to_numpy(kops.stop_gradient(fake_quant_with_min_max_vars(V, low, high, **options)))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_ends_along_an_axis():
    both = np.stack([V, V], -1)
    found = fake_quant_with_min_max_vars(both, np.array([-1.0, 0.1]), np.array([1.0, 2.0]), axis=1)
    expected = [0.0, 0.0, 0.0, 0.2980392, 0.5513725, 0.9984313, 1.9]
    np.testing.assert_allclose(engine().to_numpy(kops.stop_gradient(found))[:, 1], expected, rtol=1e-5)


def test_too_few_bits():
    with pytest.raises(ValueError, match="num_bits"):
        fake_quant_with_min_max_vars(V, -1.0, 1.0, num_bits=1)


@pytest.mark.skipif(settings.backend != "jax", reason="gradients by jax.grad")
def test_gradients_are_those_of_clipping():
    import jax

    def loss(x, low, high):
        return kops.sum(fake_quant_with_min_max_vars(x, low, high, num_bits=4, narrow_range=True))

    dx, low, high = jax.grad(loss, (0, 1, 2))(V, -1.0, 1.0)
    np.testing.assert_array_equal(dx, [0, 1, 1, 1, 1, 1, 0])
    assert float(low) == 1.0 and float(high) == 1.0
