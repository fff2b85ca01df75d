"""Variables: values, casts, paths, and what refuses to be assigned."""

from __future__ import annotations

import numpy as np
import pytest

from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.scopes import AutocastScope, StatelessScope, name_scope
from kops.variable import Variable


def test_value_and_dtype():
    v = Variable([[1.0, 2.0]], name="v")
    assert v.shape == (1, 2) and v.dtype == "float32" and v.ndim == 2
    assert v.numpy().tolist() == [[1.0, 2.0]]
    assert Variable([1, 2]).dtype == "int32"
    assert Variable(np.ones(2), dtype="float16").dtype == "float16"


def test_from_a_callable():
    v = Variable(lambda shape, dtype: np.full(shape, 3, dtype), shape=(2,), dtype="float32")
    assert v.numpy().tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="needs a shape"):
        Variable(lambda shape, dtype: 0)


def test_assign():
    v = Variable([1.0, 2.0])
    returned = v.assign([3, 4])
    assert engine().to_numpy(returned).tolist() == [3.0, 4.0]
    v.assign_add([1.0, 1.0])
    v.assign_sub([0.5, 0.5])
    assert v.numpy().tolist() == [3.5, 4.5]
    with pytest.raises(ValueError, match=r"shape \(2,\).*\(3,\)"):
        v.assign([1.0, 2.0, 3.0])


def test_assign_keeps_what_was_read():
    v = Variable([1.0])
    before = np.array(engine().to_numpy(v.value))
    v.assign([2.0])
    assert before.tolist() == [1.0]


def test_variable_does_not_share_memory():
    source = np.ones(2, "float32")
    v = Variable(source)
    source[:] = 7
    assert v.numpy().tolist() == [1.0, 1.0]


def test_names_and_paths():
    with name_scope("outer"), name_scope("inner"):
        v = Variable(1.0, name="kernel")
    assert (v.name, v.path) == ("kernel", "outer/inner/kernel")
    with pytest.raises(ValueError, match="without '/'"):
        Variable(1.0, name="a/b")


@pytest.mark.parametrize("wrong", [{"aggregation": "max"}, {"synchronization": "never"}])
def test_wrong_options(wrong):
    with pytest.raises(ValueError, match="must be one of"):
        Variable(1.0, **wrong)
    with pytest.raises(TypeError, match="unknown arguments: shapes"):
        Variable(1.0, shapes=(1,))


def test_symbolic_value_is_refused():
    with pytest.raises(TypeError, match="symbolic"):
        Variable(KerasTensor((2,)))


def test_autocast():
    v = Variable([1.0])
    frozen = Variable([1.0], autocast=False)
    count = Variable([1])
    with AutocastScope("float16"):
        assert v.dtype == "float16" and engine().dtype_name(v.value) == "float16"
        assert frozen.dtype == "float32" and count.dtype == "int32"
        v.assign([1.0 / 3])  # writes are in full precision
    assert v.dtype == "float32"
    assert v.numpy()[0] == np.float32(1.0 / 3)


def test_assign_add_under_autocast_keeps_precision():
    v = Variable([1.0])
    with AutocastScope("bfloat16"):
        v.assign_add([2.0**-12])
    assert v.numpy()[0] == 1.0 + 2.0**-12


def test_stateless_scope():
    v, w = Variable([1.0]), Variable([2.0])
    with StatelessScope([(v, engine().convert([5.0], None))]) as scope:
        v.assign_add([1.0])
        assert v.numpy().tolist() == [6.0]
        assert w.numpy().tolist() == [2.0]
    assert engine().to_numpy(scope.get_current_value(v)).tolist() == [6.0]
    assert scope.get_current_value(w) is None
    assert v.numpy().tolist() == [1.0]
    with pytest.raises(ValueError, match=r"shape \(1,\)"):
        StatelessScope([(v, engine().convert([1.0, 2.0], None))])
    with pytest.raises(ValueError, match="must be a Variable"):
        StatelessScope([("v", 1.0)])


def test_created_inside_a_stateless_scope():
    with StatelessScope():
        v = Variable(lambda shape, dtype: np.ones(shape, dtype), shape=(2,))
        assert v.numpy().tolist() == [1.0, 1.0]
    v.assign([2.0, 2.0])
    assert v.numpy().tolist() == [2.0, 2.0]


def test_conversions():
    assert float(Variable(2.5)) == 2.5 and int(Variable(3)) == 3 and bool(Variable(True))
    assert np.asarray(Variable([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert "shape=(2,)" in repr(Variable([1.0, 2.0]))


def test_trainable():
    v = Variable([1.0], trainable=False)
    assert not v.trainable
    v.trainable = True
    assert v.trainable


def test_in_sets_and_dictionaries():
    a, b = Variable(1.0), Variable(1.0)
    assert len({a, b, a}) == 2


def test_take():
    made = []

    def initializer(shape, dtype):
        made.append(shape)
        return np.zeros(shape, dtype)

    v = Variable(initializer, shape=(2, 3), deferred=True)
    assert made == [] and v.native is None and v.shape == (2, 3)
    v.take(np.arange(6, dtype="float32").reshape(2, 3))
    v.initialize()
    assert made == [] and v.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    v.assign_add(np.ones((2, 3)))
    native = v.native
    v.take(np.full((2, 3), 7, "float32"))
    assert v.numpy().tolist() == [[7] * 3] * 2
    assert (v.native is native) == (engine().NAME in ("torch", "tensorflow"))  # an optimizer may hold it
    v.take(np.full((2, 3), 9, "int64"))  # another dtype: as `assign` does
    assert v.dtype == "float32" and v.numpy().tolist() == [[9] * 3] * 2
    with pytest.raises(ValueError, match=r"shape \(2, 3\).*\(3, 2\)"):
        v.take(np.zeros((3, 2), "float32"))
    with StatelessScope() as scope:
        v.take(np.ones((2, 3), "float32"))
    assert v.numpy()[0, 0] == 9 and engine().to_numpy(scope.get_current_value(v))[0, 0] == 1
    scalar = Variable(np.zeros, shape=(), dtype="bfloat16", deferred=True)
    scalar.take(np.asarray(3, engine().to_numpy(scalar.value).dtype))
    assert float(scalar.numpy()) == 3.0


def test_deferred_variables_get_their_first_value_late():
    v = Variable(lambda shape, dtype: np.full(shape, 3, dtype), shape=(2,), deferred=True)
    assert v.numpy().tolist() == [3.0, 3.0] and v.native is None
    v.initialize()
    assert v.native is not None and v.numpy().tolist() == [3.0, 3.0]
    other = Variable(np.zeros, shape=(2,), deferred=True)
    other.assign([1.0, 2.0])
    other.initialize()
    assert other.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_values_are_copied_before_assign_returns(dtype):
    # Some engines would copy later, or not at all.
    source = np.ones(1_000_000, dtype)
    v = Variable(source, dtype="float32")
    source[:] = 7
    assert v.numpy()[[0, -1]].tolist() == [1.0, 1.0]
    for i in range(5):
        source[:] = i
        v.assign(source)
        source[:] = 7
        assert v.numpy()[[0, -1]].tolist() == [i, i]
