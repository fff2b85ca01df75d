from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("orbax.checkpoint")

from klayers.input_layer import Input
from klayers.layers.dense import Dense
from klayers.layers.dropout import Dropout
from kops.config import settings
from ksave import load_model
from ktrain.callbacks.orbax_checkpoint import OrbaxCheckpoint
from ktrain.models import Sequential
from ktrain.optimizers.adam import Adam

pytestmark = pytest.mark.skipif(
    settings.backend not in ("jax", "torch", "tensorflow"), reason="this engine computes no gradients"
)

X = np.linspace(-1, 1, 32, dtype="float32").reshape(16, 2)
Y = X.sum(axis=1, keepdims=True)


def trained(callback, epochs=3, build=None):
    model = build or Sequential([Input((2,)), Dense(3), Dropout(0.2, seed=1), Dense(1)])
    if build is None:
        model.compile(Adam(0.1), "mse", metrics=["mae"])
    model.fit(X, Y, batch_size=4, epochs=epochs, verbose=0, callbacks=[callback])
    return model


def steps(folder):
    return sorted(int(name) for name in os.listdir(folder) if name.isdigit())


def values(variables):
    return [np.asarray(variable) for variable in variables]


def test_the_latest_epochs_with_all_state(tmp_path):
    model = trained(OrbaxCheckpoint(tmp_path / "run", max_to_keep=2))
    assert steps(tmp_path / "run") == [1, 2]
    again = load_model(tmp_path / "run")
    assert len(again.optimizer.variables) == 2 + 2 * 4
    for mine, theirs in ((model.variables, again.variables), (model.optimizer.variables, again.optimizer.variables)):
        for one, other in zip(values(mine), values(theirs)):
            np.testing.assert_array_equal(one, other)
    # Going on from the file is the same as going on.
    first = model.fit(X, Y, batch_size=4, verbose=0, shuffle=False).history["loss"]
    assert again.fit(X, Y, batch_size=4, verbose=0, shuffle=False).history["loss"] == pytest.approx(first, rel=1e-5)


def test_batches_are_named_by_iteration_and_weights_alone_are_smaller(tmp_path):
    callback = OrbaxCheckpoint(tmp_path / "run", save_freq=3, max_to_keep=None, save_weights_only=True)
    model = trained(callback)
    assert steps(tmp_path / "run") == [3, 6, 9, 12]
    other = Sequential([Input((2,)), Dense(3), Dropout(0.2, seed=1), Dense(1)])
    other.load_weights(tmp_path / "run")
    for one, two in zip(values(model.weights), values(other.weights)):
        np.testing.assert_array_equal(one, two)
    assert not callback.is_multihost_enabled() and callback.is_primary_host()


def test_only_the_best(tmp_path, capsys):
    callback = OrbaxCheckpoint(
        tmp_path / "run", monitor="loss", save_best_only=True, initial_value_threshold=-1.0, verbose=1
    )
    model = trained(callback)
    assert steps(tmp_path / "run") == [] and capsys.readouterr().out == ""
    callback.best = None
    trained(callback, 1, model)
    assert steps(tmp_path / "run") == [0] and "checkpoint 0" in capsys.readouterr().out


def test_another_run_is_not_written_over(tmp_path):
    trained(OrbaxCheckpoint(tmp_path / "run"), 1)
    with pytest.raises(FileExistsError, match="initial_epoch"):
        trained(OrbaxCheckpoint(tmp_path / "run"), 1)


@pytest.mark.parametrize("wrong", [{"save_freq": "batch"}, {"save_freq": 0}, {"max_to_keep": 0}], ids=str)
def test_wrong_arguments(tmp_path, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        OrbaxCheckpoint(tmp_path / "run", **wrong)
