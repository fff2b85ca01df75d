from __future__ import annotations

from types import SimpleNamespace

import pytest

from ksave.legacy_optimizer import in_file_order


def variables(*paths):
    return [SimpleNamespace(path=f"adam/{path}") for path in paths]


# How Keras 3 has them: for each variable of the model all its slots.
OURS = ["iteration", "learning_rate", "d_kernel_momentum", "d_kernel_velocity", "d_bias_momentum", "d_bias_velocity"]


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (
            ["iteration:0", "Adam/m/d/kernel:0", "Adam/v/d/kernel:0", "Adam/m/d/bias:0", "Adam/v/d/bias:0"],
            [0, 2, 3, 4, 5],
        ),
        (
            ["Adam/iter:0", "Adam/d/kernel/m:0", "Adam/d/bias/m:0", "Adam/d/kernel/v:0", "Adam/d/bias/v:0"],
            [0, 2, 4, 3, 5],
        ),
        (["adam/iteration", "adam/learning_rate"], [0, 1, 2, 3, 4, 5]),
        (["training/Adam/who_knows:0"], [0, 1, 2, 3, 4, 5]),
        ([], [0, 1, 2, 3, 4, 5]),
    ],
    ids=["2.11 and later", "before 2.11", "Keras 3", "unknown", "none"],
)
def test_order(names, order):
    ours = variables(*OURS)
    assert in_file_order(ours, names) == [ours[index] for index in order]


def test_slots_with_other_names():
    ours = variables("iteration", "learning_rate", "product", "w_norm", "w_average_gradient", "w_velocity_hat")
    names = ["Nadam/iter:0", "Nadam/momentum_cache:0", "Adamax/w/v:0", "RMSprop/w/mg:0", "Adam/vhat/a/w:0"]
    assert in_file_order(ours, names) == [ours[index] for index in (0, 2, 3, 4, 5)]
