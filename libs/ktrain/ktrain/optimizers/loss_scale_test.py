"""Files of optimizers inside a LossScaleOptimizer have the variables that Keras 3.15.1 was seen to write."""

import numpy as np
import pytest

import kops
from kops import Variable
from ktrain.optimizers.adafactor import Adafactor
from ktrain.optimizers.loss_scale import LossScaleOptimizer
from ktrain.optimizers.nadam import Nadam

SCALARS, KERNEL, BIAS = [()] * 2, (4, 3), (3,)


def built(cls):
    optimizer = LossScaleOptimizer(cls(0.01))
    optimizer.build([Variable(np.ones(KERNEL, "float32")), Variable(np.ones(BIAS, "float32"))])
    return optimizer


@pytest.mark.parametrize(
    "cls, state", [(Adafactor, [(4,), (3,), KERNEL, BIAS]), (Nadam, [KERNEL, KERNEL, BIAS, BIAS])], ids=["ada", "nadam"]
)
def test_what_is_filed_is_read(cls, state):
    optimizer, again = built(cls), built(cls)
    outer, inner = {}, {}
    optimizer.save_own_variables(outer)
    optimizer.inner_optimizer.save_own_variables(inner)
    assert [v.shape for v in inner.values()] == SCALARS + state
    assert [v.shape for v in outer.values()] == 2 * SCALARS + SCALARS + state
    filled = {k: np.full(v.shape, 2, v.dtype) for k, v in inner.items()}
    again.inner_optimizer.load_own_variables(filled)
    kept = {}
    again.inner_optimizer.save_own_variables(kept)
    for key, value in filled.items():
        np.testing.assert_array_equal(kept[key], value)


def test_the_product_of_momenta_comes_from_the_steps():
    optimizer = built(Nadam)
    state = {}
    optimizer.inner_optimizer.save_own_variables(state)
    optimizer.inner_optimizer.load_own_variables({**state, "0": np.int32(2)})
    expected = 0.9 * (1 - 0.5 * 0.96) * 0.9 * (1 - 0.5 * 0.96**2)
    np.testing.assert_allclose(kops.convert_to_numpy(optimizer.inner_optimizer._product), expected, rtol=1e-6)


def test_alone_everything_is_filed():
    state = {}
    optimizer = Nadam(0.01)
    optimizer.build([Variable(np.ones(BIAS, "float32"))])
    optimizer.save_own_variables(state)
    assert len(state) == len(optimizer.variables) == 5


def test_the_dynamic_scale_is_the_only_one():
    inner = Nadam(0.01, loss_scale_factor=4.0)
    outer = LossScaleOptimizer(inner, initial_scale=8.0)
    assert inner.get_config()["loss_scale_factor"] is None
    assert float(kops.convert_to_numpy(outer.scale_loss(kops.array(1.0)))) == 8.0
