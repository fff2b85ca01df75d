from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import constraints

W = np.arange(6, dtype="float32").reshape(3, 2)
NORMS = np.sqrt((W**2).sum(0))


def apply(constraint, w=W):
    return np.asarray(kops.convert_to_numpy(constraint(kops.convert_to_tensor(w))))


def test_projections():
    np.testing.assert_allclose(apply(constraints.MaxNorm(5.0)), W * [1, 5 / NORMS[1]], rtol=1e-5)
    np.testing.assert_allclose(apply(constraints.UnitNorm()), W / NORMS, rtol=1e-5)
    np.testing.assert_allclose(apply(constraints.UnitNorm([0, 1])), W / np.linalg.norm(W), rtol=1e-5)
    moved = 0.7 * np.clip(NORMS, 0.5, 1.0) + 0.3 * NORMS
    np.testing.assert_allclose(apply(constraints.MinMaxNorm(0.5, 1.0, 0.7)), W * moved / NORMS, rtol=1e-5)
    np.testing.assert_array_equal(apply(constraints.NonNeg(), np.array([-1.0, 2.0], "float32")), [0, 2])
    np.testing.assert_array_equal(apply(constraints.Constraint()), W)


def test_zeros_stay_and_low_precision_stays_low():
    for constraint in (constraints.MaxNorm(), constraints.UnitNorm(), constraints.MinMaxNorm(0.5)):
        np.testing.assert_array_equal(apply(constraint, np.zeros((3, 2), "float32")), 0)
        half = constraint(kops.ones((4,), dtype="bfloat16"))
        assert kops.standardize_dtype(half.dtype) == "bfloat16"
        half = constraint(kops.ones((4,), dtype="float16"))
        assert kops.standardize_dtype(half.dtype) == "float16"
        assert np.isfinite(np.asarray(kops.convert_to_numpy(half), "float32")).all()


def test_configs_and_get():
    record = {"module": "keras.constraints", "class_name": "MaxNorm", "config": {"max_value": 2, "axis": 0}}
    assert constraints.serialize(constraints.MaxNorm()) == {**record, "registered_name": None}
    assert constraints.get(record).max_value == 2
    config = {"min_value": 0.0, "max_value": 1.0, "rate": 1.0, "axis": 0}
    assert constraints.MinMaxNorm().get_config() == config
    for identifier in ("non_neg", "NonNeg", constraints.NonNeg, constraints.NonNeg()):
        assert isinstance(constraints.get(identifier), constraints.NonNeg)
    assert constraints.get(None) is None
    with pytest.raises(ValueError, match="'maxnorm' is not a constraint. Did you mean 'max_norm'"):
        constraints.get("maxnorm")
