from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import regularizers

W = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]], dtype="float32")


def value(regularizer, w=W):
    return float(kops.convert_to_numpy(regularizer(kops.convert_to_tensor(w))))


def test_penalties():
    assert value(regularizers.L1(0.1)) == pytest.approx(0.75)
    assert value(regularizers.L2(0.1)) == pytest.approx(0.1 * 15.25)
    assert value(regularizers.L1L2(0.1, 0.2)) == pytest.approx(0.75 + 0.2 * 15.25)
    assert value(regularizers.L1L2(0.0, 0.2)) == pytest.approx(0.2 * 15.25)
    assert value(regularizers.L1L2()) == 0
    assert value(regularizers.L2(0.1), np.zeros((0, 3), "float32")) == 0


def cosine(a, b):
    return abs(float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b)))


def test_orthogonality_of_rows_and_columns():
    # 0.086972 is what Keras 3.15.1 gives for rows 0..5
    rows = np.arange(6, dtype="float32").reshape(3, 2)
    assert value(regularizers.OrthogonalRegularizer(0.1), rows) == pytest.approx(0.08697199, rel=1e-5)
    pairs = [(0, 1), (0, 2), (1, 2)]
    mean = np.mean([cosine(W[:, i], W[:, j]) for i, j in pairs])
    assert value(regularizers.OrthogonalRegularizer(0.1, "columns")) == pytest.approx(0.1 * mean, rel=1e-5)
    # one row has no pair; a row of zeros is orthogonal to all
    assert value(regularizers.OrthogonalRegularizer(), W[:1]) == 0
    assert value(regularizers.OrthogonalRegularizer(), np.array([[0, 0], [1, 1]], "float32")) == 0
    with pytest.raises(ValueError, match=r"takes a matrix .* not a tensor of shape \(3,\)"):
        regularizers.OrthogonalRegularizer()(kops.ones((3,)))
    with pytest.raises(ValueError, match="mode must be 'rows' or 'columns', not 'x'"):
        regularizers.OrthogonalRegularizer(mode="x")


def test_dtype_of_the_penalty_is_that_of_the_weight():
    for regularizer in (regularizers.L1L2(0.1, 0.1), regularizers.OrthogonalRegularizer(0.1)):
        for dtype in ("float16", "bfloat16"):
            penalty = regularizer(kops.ones((3, 2), dtype=dtype))
            assert kops.standardize_dtype(penalty.dtype) == dtype


@pytest.mark.parametrize("bad", [-1, "a", float("nan"), float("inf"), [1]])
def test_a_strength_is_a_non_negative_number(bad):
    with pytest.raises(ValueError, match="l1 must be a non-negative finite number"):
        regularizers.L1(bad)


def test_configs_as_files_have_them():
    record = {"module": "keras.regularizers", "class_name": "L1", "config": {"l1": 0.009999999776482582}}
    assert regularizers.serialize(regularizers.L1()) == {**record, "registered_name": None}
    assert regularizers.L2(0.3).get_config() == {"l2": 0.3}
    assert regularizers.L1L2(0.1, None).get_config() == {"l1": 0.1, "l2": 0.0}
    assert regularizers.OrthogonalRegularizer(0.3).get_config() == {"factor": 0.30000001192092896, "mode": "rows"}
    again = regularizers.get(regularizers.serialize(regularizers.L1L2(0.1, 0.2)))
    assert (again.l1, again.l2) == (0.1, 0.2)


def test_get():
    assert regularizers.get(None) is None
    for identifier in ("l1_l2", "L1L2", regularizers.L1L2, {"class_name": "L1L2", "config": {}}):
        assert isinstance(regularizers.get(identifier), regularizers.L1L2)
    f = lambda w: 0.0
    assert regularizers.get(f) is f
    with pytest.raises(ValueError, match="'l1_l3' is not a regularizer. Did you mean 'l1_l2'"):
        regularizers.get("l1_l3")
    with pytest.raises(NotImplementedError, match="must define __call__"):
        regularizers.Regularizer()(1)
