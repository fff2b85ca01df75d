"""Control flow: eager, compiled, differentiated, nested and symbolic."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from kops import add, exp, less, log, maximum, multiply, subtract
from kops.engine import engine
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.ops.control import cond, fori_loop, scan, switch, while_loop
from kops.ops.control_gradients import custom_gradient, jvp, stop_gradient
from kops.ops.control_mapping import associative_scan, map, vectorize, vectorized_map
from kops.ops.reduction import sum as total
from kops.variable import Variable

harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
differentiable = pytest.mark.skipif(not engine().HAS_GRADIENTS, reason="no gradients on this engine")


def host(x):
    return np.asarray(engine().to_numpy(x))


def tensor(x, dtype=None):
    return engine().convert(np.asarray(x, "float32" if dtype is None else dtype), None)


def everywhere(function, *arrays, want=None, dynamic=False):
    """Eager and compiled give the same, and what is wanted."""
    arrays = [tensor(a, getattr(a, "dtype", None)) for a in arrays]
    eager = function(*arrays)
    if want is not None:
        assert np.allclose(host(eager), want), (host(eager), want)
    compiled = harness.compiled(function, arrays, dynamic)
    if compiled is not None:
        assert np.allclose(host(compiled), host(eager), atol=1e-6)


def gradient(function, x):
    return harness.gradients(function, [tensor(x)], [0])[0]


X = np.array([1.0, 2.0, 3.0], "float32")
ZERO, ONE, XT = tensor(0.0), tensor(1.0), tensor(X)  # torch.compile makes no tensors of NumPy arrays


# cond and switch


@pytest.mark.parametrize("x, want", [(X, X + 1), (-X, -X - 1)])
def test_cond(x, want):
    everywhere(lambda x: cond(less(0.0, total(x)), lambda: add(x, 1.0), lambda: subtract(x, 1.0)), x, want=want)


def test_cond_of_numbers_and_none():
    assert cond(True, lambda: 1, lambda: 2) == 1
    assert cond(tensor(0.0), lambda: None, lambda: None) is None
    with pytest.raises(TypeError, match="must be callable"):
        cond(True, 1, 2)


def test_cond_of_trees():
    out = cond(tensor(True, "bool"), lambda: {"a": tensor(1.0), "b": [tensor(2.0)]}, lambda: {"a": 0.0, "b": [0.0]})
    assert float(host(out["b"][0])) == 2.0


def test_nested_cond():
    def f(x):
        return cond(
            less(total(x), 0.0),
            lambda: multiply(x, -1.0),
            lambda: cond(less(total(x), 10.0), lambda: add(x, 10.0), lambda: add(x, 20.0)),
        )

    for x, want in ((-X, X), (X, X + 10), (X * 5, X * 5 + 20)):
        everywhere(f, x, want=want)


def test_symbolic_cond():
    x = KerasTensor((None, 3))
    y = cond(less(total(x), 0.0), lambda: multiply(x, -1.0), lambda: {"no": x}["no"] + 1.0)
    assert y.shape == (None, 3)
    f = Function(x, y)
    assert np.allclose(host(f(-X[None])), X[None]) and np.allclose(host(f(X[None])), X[None] + 1)
    with pytest.raises(ValueError, match="same structure, shapes and dtypes"):
        cond(less(total(x), 0.0), lambda: x, lambda: total(x))


@pytest.mark.parametrize("index, want", [(0, 2.0), (1, 9.0), (2, 4.0), (7, 4.0), (-7, 2.0)])
def test_switch(index, want):
    branches = [lambda a, b: add(a, b), lambda a, b: multiply(add(a, 2.0), add(b, 2.0)), lambda a, b: exp(a) * 0 + 4.0]
    assert float(host(switch(index, branches, 1.0, 1.0))) == want
    everywhere(lambda i: switch(i, branches, ONE, ONE), np.int32(index), want=want)


def test_symbolic_switch():
    y = switch(KerasTensor((), "int32"), [lambda x: add(x, 1.0), lambda x: exp(x)], KerasTensor((None, 2)))
    assert y.shape == (None, 2)
    with pytest.raises(ValueError, match="all branches"):
        switch(KerasTensor((), "int32"), [lambda x: x, lambda x: total(x)], KerasTensor((2,)))


# Loops


def test_while_loop():
    def f(x):
        return while_loop(lambda i, v: less(total(v), 100.0), lambda i, v: (i + 1, multiply(v, 2.0)), (0, x))[1]

    everywhere(f, X, want=X * 32)


def test_while_loop_forms():
    assert int(host(while_loop(lambda i: less(i, 5), lambda i: i + 1, 0))) == 5
    i, j = while_loop(lambda i, j: less(i, 5), lambda i, j: [i + 1, j * 2], [0, 1])
    assert (int(host(i)), int(host(j))) == (5, 32)
    (d,) = while_loop(lambda d: less(d["i"], 5), lambda d: ({"i": d["i"] + 1},), ({"i": 0},))
    assert int(host(d["i"])) == 5
    (k,) = while_loop(lambda i: less(i, 50), lambda i: (i + 1,), (0,), maximum_iterations=3)
    assert int(host(k)) == 3
    (never,) = while_loop(lambda i: less(i, 0), lambda i: (i + 1,), (7,))
    assert int(host(never)) == 7


def test_symbolic_while_loop():
    (y,) = while_loop(lambda x: less(total(x), 50.0), lambda x: (x + 1.0,), (KerasTensor((None, 3)),))
    assert y.shape == (None, 3)
    with pytest.raises(ValueError, match="body must return what it gets"):
        while_loop(lambda x: True, lambda x: (total(x),), (KerasTensor((2,)),))


def test_fori_loop():
    everywhere(lambda x: fori_loop(1, 4, lambda i, v: add(multiply(v, 2.0), i), x), X, want=X * 8 + 11)
    assert int(host(fori_loop(0, 4, lambda i, t: t + i, 0))) == 6
    assert int(host(fori_loop(3, 3, lambda i, t: t + i, 9))) == 9
    assert fori_loop(0, KerasTensor((), "int32"), lambda i, v: v + 1.0, KerasTensor((None, 2))).shape == (None, 2)


def test_long_fori_loop_of_a_tree():
    def f(x):
        out = fori_loop(0, 50, lambda i, s: {"n": add(s["n"], i), "v": multiply(s["v"], 1.01)}, {"n": ZERO, "v": x})
        return add(out["v"], out["n"])

    everywhere(f, X, want=X * 1.01**50 + 1225)


@pytest.mark.skipif(engine().NAME in ("numpy", "openvino"), reason="sizes known at run time only: compiled engines")
def test_fori_loop_with_a_tensor_as_limit():
    everywhere(lambda n: fori_loop(0, n, lambda i, v: add(v, 2.0), XT), np.int32(3), want=X + 6)


@differentiable
def test_gradient_through_loops():
    assert np.allclose(gradient(lambda x: total(fori_loop(0, 3, lambda i, v: multiply(v, v), x)), X), 8 * X**7)
    assert np.allclose(gradient(lambda x: scan(lambda c, r: (c * r, c), 1.0, x)[0], X), [6.0, 3.0, 2.0])
    assert np.allclose(gradient(lambda x: cond(less(0.0, total(x)), lambda: total(x * x), lambda: total(x)), X), 2 * X)


# scan


def _running(x):
    return scan(lambda c, r: (add(c, r), multiply(c, r)), ZERO, x)


def test_scan():
    carry, ys = _running(tensor(X))
    assert float(host(carry)) == 6.0 and host(ys).tolist() == [0.0, 2.0, 9.0]
    everywhere(lambda x: _running(x)[1], X, want=[0.0, 2.0, 9.0])


def test_scan_reversed():
    carry, ys = scan(lambda c, r: (add(c, r), add(c, 0.0)), 0.0, X, reverse=True)
    assert float(host(carry)) == 6.0 and host(ys).tolist() == [5.0, 3.0, 0.0]
    everywhere(lambda x: scan(lambda c, r: (add(c, r), add(c, 0.0)), ZERO, x, reverse=True)[1], X)


def test_scan_of_trees():
    xs = {"a": np.ones((4, 2), "float32"), "b": np.arange(4, dtype="int32")}

    def f(carry, x):
        count, state = carry
        return (count + 1, add(state, x["a"])), {"state": state, "twice": x["b"] * 2}

    (count, state), ys = scan(f, (0, np.zeros(2, "float32")), xs)
    assert int(host(count)) == 4 and host(state).tolist() == [4.0, 4.0]
    assert host(ys["state"]).shape == (4, 2) and host(ys["twice"]).tolist() == [0, 2, 4, 6]


def test_scan_without_inputs_or_outputs():
    carry, ys = scan(lambda c, _: (c + 1, c), 0, length=4)
    assert int(host(carry)) == 4 and host(ys).tolist() == [0, 1, 2, 3]
    carry, ys = scan(lambda c, x: (c + x, None), 0.0, X)
    assert float(host(carry)) == 6.0 and ys is None


def test_scan_of_nothing():
    carry, ys = scan(lambda c, x: (c + total(x), x * 2.0), 5.0, np.zeros((0, 3), "float32"))
    assert float(host(carry)) == 5.0 and host(ys).shape == (0, 3)


@pytest.mark.parametrize("length", [-1, 2.0])
def test_scan_takes_a_number_of_steps(length):
    with pytest.raises(ValueError, match="an int of at least 0"):
        scan(lambda c, _: (c + 1, c), 0, length=length)


@pytest.mark.parametrize("bounds", [(0.0, 3.0), (0, np.float32(2.0)), (None, 3)])
def test_fori_loop_takes_integers(bounds):
    with pytest.raises(TypeError, match="lower and upper are integers"):
        fori_loop(*bounds, lambda i, x: x + 1, 0)


def test_slices_of_vectors_keep_their_dtype():
    x = engine().convert(np.array([1.5, 2.5]), "float64")
    wide = np.asarray(host(x)).dtype  # float32 on JAX without 64 bits
    assert host(map(lambda v: multiply(v, 2), x)).dtype == wide
    assert host(scan(lambda c, v: (c, v), 0, x)[1]).dtype == wide


def test_vectorize_takes_lists():
    assert host(vectorize(lambda v: v + 1)([1.0, 2.0])).tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda xs: scan(lambda c, x: (c, x), 0.0, xs, length=4), "length is 4, but axis 0"),
        (lambda xs: scan(lambda c, x: (c, x), 0.0), "pass xs or length"),
        (lambda xs: scan(lambda c, x: (c, x), 0.0, (xs, np.zeros(2, "float32"))), "different sizes"),
        (lambda xs: scan(lambda c, x: (c, x), 0.0, xs, unroll=0), "unroll must be a positive integer"),
        (lambda xs: map(lambda x: x, total(xs)), r"no axis 0"),
    ],
)
def test_wrong_scans(call, words):
    with pytest.raises(ValueError, match=words):
        call(X)


def test_symbolic_scan():
    carry, ys = scan(lambda c, x: (c + x, c * x), KerasTensor((3,)), KerasTensor((None, 3)))
    assert carry.shape == (3,) and ys.shape == (None, 3)
    f = Function(x := KerasTensor((None, 2)), scan(lambda c, r: (c + r, c), np.zeros(2, "float32"), x)[1])
    assert host(f(np.ones((3, 2), "float32"))).tolist() == [[0, 0], [1, 1], [2, 2]]
    with pytest.raises(ValueError, match="carry that f returns"):
        scan(lambda c, x: (total(c), x), KerasTensor((3,)), KerasTensor((5, 3)))


def test_symbolic_tensor_from_outside_is_refused():
    x, k = KerasTensor((4, 2)), KerasTensor((2,), name="outside")
    y = scan(lambda c, r: (add(c, multiply(r, k)), r), np.zeros(2, "float32"), x)[0]
    with pytest.raises(ValueError, match="refers to the symbolic tensor"):
        Function(x, y)(np.ones((4, 2), "float32"))
    y = scan(lambda c, r: ((add(c[0], multiply(r, c[1])), c[1]), r), (np.zeros(2, "float32"), k), x)[0][0]
    out = Function([x, k], y)([np.ones((4, 2), "float32"), np.full(2, 3.0, "float32")])
    assert host(out).tolist() == [12.0, 12.0]


def test_scan_in_scan():
    def rows(c, row):
        inner, ys = scan(lambda d, x: (add(d, x), add(d, x)), c, row)
        return inner, ys

    x = np.arange(6, dtype="float32").reshape(2, 3)
    everywhere(lambda x: scan(rows, ZERO, x)[1], x, want=np.cumsum(x).reshape(2, 3))


def test_a_variable_as_carry():
    v = Variable([1.0])
    carry, _ = scan(lambda c, x: (c + x, None), v, np.ones((3, 1), "float32"))
    assert host(carry).tolist() == [4.0]


# map


def test_map_and_vectorized_map():
    x = np.arange(6, dtype="float32").reshape(3, 2)
    for mapped in (map, vectorized_map):
        everywhere(lambda x, mapped=mapped: mapped(lambda r: total(exp(r)), x), x, want=np.exp(x).sum(1))
        a, b = mapped(lambda xs: (add(xs[0], xs[1]), {"k": xs[0]}), (x, x + 1))
        assert np.allclose(host(a), 2 * x + 1) and np.allclose(host(b["k"]), x)
        y = mapped(lambda r: total(r), KerasTensor((None, 2)))
        assert y.shape == (None,)
        assert host(mapped(lambda r: total(r), np.zeros((0, 2), "float32"))).shape == (0,)


@differentiable
def test_gradient_through_vectorized_map():
    x = np.arange(6, dtype="float32").reshape(3, 2)
    assert np.allclose(gradient(lambda x: total(vectorized_map(lambda r: r * r, x)), x), 2 * x)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(n, reverse):
    x = np.random.default_rng(n).normal(size=(2, n)).astype("float32")
    want = np.cumsum(x[:, ::-1], 1)[:, ::-1] if reverse else np.cumsum(x, 1)
    assert np.allclose(host(associative_scan(add, x, reverse=reverse, axis=1)), want, atol=1e-5)
    assert np.allclose(host(associative_scan(maximum, x, reverse=False, axis=-1)), np.maximum.accumulate(x, 1))


def test_associative_scan_of_trees():
    """The linear recurrence h = a * h + b, whose steps combine associatively but do not commute."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 7)).astype("float32")

    def combine(x, y):
        return multiply(x[0], y[0]), add(multiply(y[0], x[1]), y[1])

    _, h = associative_scan(combine, (a, b))
    want, state = [], 0.0
    for i in range(7):
        state = a[i] * state + b[i]
        want.append(state)
    assert np.allclose(host(h), want, atol=1e-5)
    everywhere(lambda a, b: associative_scan(combine, (a, b))[1], a, b, want=want)
    assert associative_scan(add, KerasTensor((None, 3)), axis=1).shape == (None, 3)


def test_vectorize():
    x = np.arange(12, dtype="float32").reshape(4, 3)
    assert np.allclose(host(vectorize(lambda a, b: add(a, b))(x, x[0])), x + x[0])
    dot = vectorize(lambda a, b: total(multiply(a, b)), signature="(n),(n)->()")
    assert np.allclose(host(dot(x, x[0])), x @ x[0])
    assert np.allclose(host(dot(x[:, None], x)), x @ x.T)
    outer = vectorize(lambda a, b: a[:, None] * b[None, :], signature="(m),(n)->(m,n)")
    assert host(outer(x, x[0, :2])).shape == (4, 3, 2)
    assert dot(KerasTensor((4, 3)), x[0]).shape == (4,)
    assert np.allclose(host(vectorize(lambda a, k: multiply(a, k), excluded={1})(x, 2)), 2 * x)
    with pytest.raises(ValueError, match="dimension 'n' is 3 and 2"):
        dot(x, x[0, :2])
    with pytest.raises(ValueError, match="not a signature"):
        vectorize(lambda a: a, signature="n->n")


# Gradients


@differentiable
def test_stop_gradient():
    assert np.allclose(gradient(lambda x: total(multiply(x, stop_gradient(x))), X), X)


def _log1pexp():
    @custom_gradient
    def log1pexp(x):
        e = exp(x)

        def grad(*args, upstream=None):
            return multiply(upstream, subtract(1.0, 1.0 / add(e, 1.0)))

        return log(add(e, 1.0)), grad

    return log1pexp


def test_custom_gradient_value():
    everywhere(_log1pexp(), X, want=np.log1p(np.exp(X)))
    assert _log1pexp()(KerasTensor((None, 3))).shape == (None, 3)


@differentiable
def test_custom_gradient():
    assert np.allclose(gradient(lambda x: total(_log1pexp()(x)), X), 1 / (1 + np.exp(-X)))

    @custom_gradient
    def product(a, b):
        return multiply(a, b), lambda up: (multiply(up, 10.0), multiply(up, 20.0))

    grads = harness.gradients(lambda a, b: total(product(a, b)), [tensor(X), tensor(X)], [0, 1])
    assert grads[0].tolist() == [10.0] * 3 and grads[1].tolist() == [20.0] * 3


def test_jvp():
    if not engine().HAS_GRADIENTS:
        with pytest.raises(NotImplementedError, match=f"jvp is not available on the {engine().NAME}"):
            jvp(exp, (X,), (X,))
        return
    out, tangent = jvp(lambda a, b: multiply(a, exp(b)), (X, X), (np.ones(3, "float32"), np.zeros(3, "float32")))
    assert np.allclose(host(out), X * np.exp(X)) and np.allclose(host(tangent), np.exp(X))
    out, tangent, aux = jvp(lambda x: (x * x, x + 1.0), (X,), (X,), has_aux=True)
    assert np.allclose(host(tangent), 2 * X * X) and np.allclose(host(aux), X + 1)
    with pytest.raises(ValueError, match="1 primals but 2 tangents"):
        jvp(exp, (X,), (X, X))


def test_symbolic_jvp():
    x = KerasTensor((None, 3))
    out, tangent = jvp(lambda x: total(x, axis=1), (x,), (x,))
    assert out.shape == tangent.shape == (None,)


@pytest.mark.skipif(engine().NAME != "tensorflow", reason="TensorFlow")
def test_unknown_sizes_in_a_tensorflow_function():
    import tensorflow as tf

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        carry, ys = scan(lambda c, r: (c + r, c), tf.zeros(2), x)
        return (carry, ys, map(lambda r: total(r), x), associative_scan(add, x), associative_scan(add, x, reverse=True))

    for n in (1, 4):
        x = np.arange(2 * n, dtype="float32").reshape(n, 2)
        carry, ys, sums, prefix, suffix = f(x)
        assert np.allclose(carry, x.sum(0)) and np.allclose(ys, np.cumsum(x, 0) - x)
        assert np.allclose(sums, x.sum(1)) and np.allclose(prefix, np.cumsum(x, 0))
        assert np.allclose(suffix, np.cumsum(x[::-1], 0)[::-1])
