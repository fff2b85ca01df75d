"""JAX's transformations go through dispatched ops."""

from __future__ import annotations

import numpy as np
import pytest

from kops import config

if config.backend() != "jax":
    pytest.skip("needs the JAX engine", allow_module_level=True)

import jax
import jax.numpy as jnp

from kops import add, exp, less, subtract
from kops.scopes import StatelessScope
from kops.variable import Variable

X = jnp.array([0.0, 1.0, 2.0])


def f(x):
    return add(exp(x), 1.0)


def test_jit():
    assert np.allclose(jax.jit(f)(X), np.exp(X) + 1)


def test_grad():
    assert np.allclose(jax.grad(lambda x: f(x).sum())(X), np.exp(X))


def test_vmap_sees_single_rows():
    def row(x, y):
        assert x.shape == (3,)
        return subtract(x, y)

    out = jax.vmap(row, in_axes=(0, None))(jnp.stack([X, X + 1]), X)
    assert np.allclose(out, [[0] * 3, [1] * 3])


def test_jit_of_grad_of_vmap():
    g = jax.jit(jax.grad(lambda x: jax.vmap(f)(x).sum()))
    assert np.allclose(g(X), np.exp(X))


def test_jvp_and_hessian():
    _, tangent = jax.jvp(f, (X,), (jnp.ones(3),))
    assert np.allclose(tangent, np.exp(X))
    assert np.allclose(jax.hessian(lambda x: f(x).sum())(X), np.diag(np.exp(X)))


def test_weak_tracers_and_numpy_arguments():
    assert jax.jit(lambda x: add(x, 1))(np.float16([1.0])).dtype == "float16"
    assert jax.jit(lambda s: add(X.astype("bfloat16"), s))(jnp.bfloat16(1)).dtype == "bfloat16"


def test_errors_under_jit_have_the_op_s_words():
    with pytest.raises(ValueError, match=r"^add: shapes \(3,\) and \(2,\) do not broadcast"):
        jax.jit(add)(X, X[:2])


def test_variables_through_a_stateless_scope():
    v = Variable([1.0, 2.0, 3.0])

    @jax.jit
    def step(value):
        with StatelessScope([(v, value)]) as scope:
            v.assign_add(exp(v))
            return scope.get_current_value(v)

    assert np.allclose(step(X), X + np.exp(X))
    assert np.allclose(v.numpy(), [1.0, 2.0, 3.0])
    assert np.allclose(jax.grad(lambda value: step(value).sum())(X), 1 + np.exp(X))


def test_eval_shape():
    out = jax.eval_shape(less, jax.ShapeDtypeStruct((2, 3), "float32"), jax.ShapeDtypeStruct((3,), "int32"))
    assert out.shape == (2, 3) and out.dtype == bool
