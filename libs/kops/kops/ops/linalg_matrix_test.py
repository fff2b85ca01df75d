"""Decompositions that are unique up to signs, by what their factors multiply to; norms at 0."""

from __future__ import annotations

import numpy as np
import pytest

from kops.engine import engine
from kops.ops import linalg_matrix as la
from kops.ops.core import convert_to_numpy, convert_to_tensor
from kops.ops.linalg_norm import norm

RNG = np.random.default_rng(1)


def _numpy(values):
    return [convert_to_numpy(v) for v in values]


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(shape, mode):
    x = RNG.normal(size=shape).astype("float32")
    q, r = _numpy(la.qr(x, mode=mode))
    np.testing.assert_allclose(q @ r, x, atol=1e-5)
    np.testing.assert_allclose(
        np.swapaxes(q, -1, -2) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *[q.shape[-1]] * 2)), atol=1e-5
    )
    np.testing.assert_allclose(r, np.triu(r), atol=1e-6)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 4)])
def test_svd(shape, full):
    x = RNG.normal(size=shape).astype("float32")
    u, s, vh = _numpy(la.svd(x, full_matrices=full))
    k = s.shape[-1]
    np.testing.assert_allclose(u[..., :k] * s[..., None, :] @ vh[..., :k, :], x, atol=1e-5)
    assert (np.diff(s) <= 0).all()
    assert u.shape[-1] == (shape[-2] if full else k)


def test_eigenvectors():
    x = RNG.normal(size=(2, 3, 3)).astype("float32")
    w, v = _numpy(la.eig(x))
    np.testing.assert_allclose(x @ v, v * w[..., None, :], atol=1e-4)
    symmetric = x + np.swapaxes(x, -1, -2)
    w, v = _numpy(la.eigh(symmetric))
    np.testing.assert_allclose(symmetric @ v, v * w[..., None, :], atol=1e-4)
    assert (np.diff(w) >= 0).all()


def test_half_floats_are_decomposed_in_32_bits():
    x = np.diag([4.0, 9.0]).astype("float16")
    factor = la.cholesky(x)
    assert engine().dtype_name(factor) == "float16"
    np.testing.assert_array_equal(convert_to_numpy(factor), np.diag([2.0, 3.0]))


def test_gradient_of_the_norm_at_zero_is_zero():
    zero = convert_to_tensor(np.zeros(3, "float32"))
    if engine().NAME == "jax":
        import jax

        gradient = jax.grad(norm)(zero)
    elif engine().NAME == "torch":
        zero.requires_grad_()
        norm(zero).backward()
        gradient = zero.grad
    elif engine().NAME == "tensorflow":
        import tensorflow as tf

        with tf.GradientTape() as tape:
            tape.watch(zero)
            y = norm(zero)
        gradient = tape.gradient(y, zero)
    else:
        pytest.skip("no gradients on this engine")
    np.testing.assert_array_equal(convert_to_numpy(gradient), np.zeros(3))
