"""Plans: which casts are made, when they are remembered, and what is said when a call fails."""

from __future__ import annotations

import numpy as np
import pytest

from kops import add, config, exp, less, promote, shapes
from kops.declare import OPS, Tensor, Tensors, composite, primitive
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.ops.manipulation import pad, roll
from kops.ops.nn_pooling import max_pool
from kops.scopes import AutocastScope
from kops.variable import Variable


def tensor(x, dtype="float32"):
    return engine().convert(np.asarray(x, "float32"), dtype)


def dtype(x):
    return engine().dtype_name(x)


def numbers(x):
    return np.asarray(engine().to_numpy(x)).astype("float64").tolist()


@pytest.fixture
def plans():
    op = OPS["add"]
    op.plans.clear()
    return op.plans


def test_plan_is_made_once_per_dtypes(plans):
    a = tensor([1.0, 2.0])
    for _ in range(3):
        assert numbers(add(a, a)) == [2.0, 4.0]
    assert len(plans) == 1
    add(a, tensor([1, 2], "int32"))
    assert len(plans) == 2


def test_scalars_are_weak():
    assert dtype(add(tensor([1.0], "bfloat16"), 2.5)) == "bfloat16"
    assert dtype(add(tensor([1], "uint8"), 2)) == "uint8"
    assert dtype(add(tensor([1], "int32"), 2.5)) == config.floatx()
    assert dtype(add(tensor([1.0], "float16"), True)) == "float16"
    assert dtype(add(1, 2)) == "int32"
    assert dtype(add(1, 2.0)) == config.floatx()


def test_mixed_dtypes_cast():
    assert dtype(add(tensor([1.0], "float16"), tensor([1.0], "bfloat16"))) == "float32"
    out = add(tensor([1], "int32"), tensor([0.5], "float16"))
    assert dtype(out) == "float16" and numbers(out) == [1.5]


def test_comparison_is_bool():
    assert dtype(less(tensor([1.0, 2.0]), 1.5)) == "bool"
    assert numbers(less(tensor([1.0, 2.0]), 1.5)) == [1, 0]


def test_ints_become_floatx():
    assert dtype(exp(tensor([0], "int32"))) == config.floatx()


def test_lists_and_arrays_are_converted():
    assert numbers(add([1.0, 2.0], np.array([1.0, 1.0], "float32"))) == [2.0, 3.0]
    assert dtype(add([1, 2], [3, 4])) == "int32"


def test_empty():
    out = add(tensor(np.zeros((0, 3))), tensor(np.zeros(3)))
    assert tuple(engine().shape(out)) == (0, 3)


def test_variable_reads_anew_each_time():
    v = Variable([1.0, 2.0])
    assert numbers(add(v, v)) == [2.0, 4.0]
    v.assign([5.0, 6.0])
    assert numbers(add(v, 1.0)) == [6.0, 7.0]


def test_variable_under_autocast_is_not_memoised():
    v = Variable([1.0, 2.0])
    assert dtype(add(v, 1.0)) == "float32"
    with AutocastScope("bfloat16"):
        assert dtype(add(v, 1.0)) == "bfloat16"
    assert dtype(add(v, 1.0)) == "float32"


def test_symbolic_dtype_and_shape():
    x = KerasTensor((None, 3), "float16")
    y = add(x, KerasTensor((1, 3), "int32"))
    assert (y.shape, y.dtype) == ((None, 3), "float16")
    assert less(x, 1).dtype == "bool"


def test_a_tensor_beside_a_symbolic_one():
    y = add(KerasTensor((None, 3), "float16"), tensor([1.0, 2.0, 3.0]))
    assert (y.shape, y.dtype) == ((None, 3), "float32")


def test_set_floatx_clears_plans():
    before = config.floatx()
    assert dtype(exp(tensor([0], "int32"))) == before
    config.set_floatx("float16")
    try:
        assert not OPS["exp"].plans
        assert dtype(exp(tensor([0], "int32"))) == "float16"
    finally:
        config.set_floatx(before)
    assert dtype(exp(tensor([0], "int32"))) == before


def _words(call):
    with pytest.raises((ValueError, TypeError, IndexError)) as caught:
        call()
    return type(caught.value), str(caught.value)


def test_error_says_the_same_eager_and_symbolic():
    eager = _words(lambda: add(tensor(np.ones((2, 3))), tensor(np.ones((2, 4)))))
    symbolic = _words(lambda: add(KerasTensor((2, 3)), KerasTensor((2, 4))))
    assert eager == symbolic
    assert eager == (
        ValueError,
        "add: shapes (2, 3) and (2, 4) do not broadcast: counted from the end, dimensions must be equal or 1, but 3 "
        "meets 4. Called with x1: float32(2, 3), x2: float32(2, 4).",
    )


def test_error_of_an_op_within_an_op_names_the_one_that_was_called():
    @composite(dtype=promote.common)
    def twice_sum_in_test(a: Tensor, b: Tensor):
        return add(add(a, b), b)

    try:
        _, words = _words(lambda: twice_sum_in_test(tensor([1.0, 2.0]), tensor([1.0, 2.0, 3.0])))
        assert words.startswith("twice_sum_in_test: shapes (2,) and (3,)")
        assert words.endswith("Called with a: float32(2), b: float32(3).")
    finally:
        del OPS["twice_sum_in_test"]


def test_engine_error_is_raised_when_the_rules_do_not_object():
    with pytest.raises(Exception) as caught:
        add(tensor([1.0]), object())
    assert "object" in str(caught.value)


def test_missing_kernel_names_op_and_engine():
    @primitive(dtype=promote.common, shape=shapes.same)
    def nowhere_in_test(x: Tensor):
        pass

    try:
        with pytest.raises(NotImplementedError, match=f"{engine().NAME}.*nowhere_in_test"):
            nowhere_in_test(tensor([1.0]))
    finally:
        del OPS["nowhere_in_test"]


def test_composite_casts_its_result():
    @composite(dtype=lambda d, **static: ("float32", "float16"))
    def shifted_in_test(x: Tensor):
        return add(x, 1.0)

    try:
        assert dtype(shifted_in_test(tensor([1], "int32"))) == "float16"
        assert shifted_in_test(KerasTensor((2,), "int32")).dtype == "float16"
    finally:
        del OPS["shifted_in_test"]


def test_list_parameters():
    @composite(dtype=promote.common)
    def total_in_test(xs: Tensors, scale: float = 1.0):
        result = xs[0]
        for x in xs[1:]:
            result = add(result, x)
        return add(result, scale)

    try:
        out = total_in_test([tensor([1], "int32"), tensor([0.5], "float16"), Variable([1.0], dtype="float16")])
        assert dtype(out) == "float16" and numbers(out) == [3.5]
        assert total_in_test([KerasTensor((2,), "int32"), KerasTensor((1,), "float16")]).shape == (2,)
    finally:
        del OPS["total_in_test"]


def test_wrapper_looks_like_its_declaration():
    assert add.__name__ == "add" and add.__doc__
    with pytest.raises(TypeError):
        add(1)
    with pytest.raises(TypeError):
        add(1, 2, 3)
    assert numbers(add(x1=tensor([1.0]), x2=1.0)) == [2.0]


def test_a_rule_that_an_int_passed_is_asked_again_of_a_float():
    x = engine().convert(np.ones((2, 3), "float32"), None)
    assert tuple(roll(x, 1, 1).shape) == (2, 3)
    with pytest.raises(TypeError, match="shift: an int or several are needed"):
        roll(x, 1.0, 1)
    image = engine().convert(np.ones((1, 4, 4, 1), "float32"), None)
    assert tuple(max_pool(image, 2, strides=(2, 2)).shape) == (1, 2, 2, 1)
    with pytest.raises(ValueError, match="strides must be a positive int"):
        max_pool(image, 2, strides=(2.0, 2.0))
    assert tuple(pad(x, ((1, 1), (0, 0))).shape) == (4, 3)
    with pytest.raises(TypeError, match="an int or several are needed"):
        pad(x, ((1, 1.0), (0, 0)))
