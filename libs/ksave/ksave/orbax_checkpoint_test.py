from __future__ import annotations

import json
import os

import ml_dtypes
import numpy as np
import pytest

import ksave
from ksave import orbax_checkpoint
from ksave.registry import register_keras_serializable
from ksave.state_tree import assign_state, flatten, nest, state_tree
from ksave.tests.fake_layers import Adam, Chain, Dense, Variable, Vocabulary


@register_keras_serializable("orbax")
class Net(Chain):
    """A chain that names its variables by path, as layers do."""

    metrics_variables = ()

    @property
    def trainable_variables(self):
        found = []
        for layer in self.layers:
            for variable in layer._own:
                variable.path = f"{self.name}/{layer.name}/{variable.name}"
                found.append(variable)
        return found

    non_trainable_variables = property(lambda self: [])

    def compile(self, optimizer):
        super().compile(optimizer)
        for variable in optimizer._own:
            variable.path = f"adam/{variable.name}"
        optimizer.variables = optimizer._own


def net(scale=1.0, name="net", units=3):
    layer = Dense(units, name="d")
    layer.build(2)
    layer._own[0].value = np.arange(2 * units, dtype="float32").reshape(2, units) * scale
    layer._own[1].value = np.full(units, scale, ml_dtypes.bfloat16)
    vocabulary = Vocabulary("words")
    vocabulary.words = ("où", "là") if scale else ()
    model = Net([layer, vocabulary], name)
    model.compile(Adam())
    model.optimizer._own[0].value = np.asarray(7 * scale, "int64")
    return model


def test_nested_by_path():
    pairs = [("a/b/kernel", 1), ("a/bias", 2), ("c", 3)]
    assert nest(pairs) == {"a": {"b": {"kernel": 1}, "bias": 2}, "c": 3}
    assert sorted(flatten(nest(pairs))) == sorted(pairs)
    for twice in ([("a", 1), ("a", 2)], [("a", 1), ("a/b", 2)], [("a/b", 1), ("a", 2)]):
        with pytest.raises(ValueError, match="different names"):
            nest(twice)


def test_state_round_trip_and_groups():
    tree = state_tree(net())
    assert set(tree) == {"trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables"}
    assert set(tree["trainable_variables"]["net"]["d"]) == {"kernel", "bias"}
    other = net(0.0)
    assign_state(other, tree, "x")
    np.testing.assert_array_equal(other.layers[0]._own[0].value, [[0, 1, 2], [3, 4, 5]])
    assert other.optimizer._own[0].value == 7


def test_the_name_of_the_model_in_paths_does_not_count():
    tree = state_tree(net())
    slots = {"m": {"net_d_kernel_momentum": np.ones(2)}}
    other = net(0.0, name="other")
    other.optimizer.variables = [Variable(np.zeros(2), "m")]
    other.optimizer.variables[0].path = "adam_3/other_d_kernel_momentum"
    assign_state(other, {**tree, "optimizer_variables": slots}, "x")
    assert other.layers[0]._own[0].value[1, 2] == 5
    assert other.optimizer.variables[0].value.tolist() == [1, 1]


def test_names_that_were_counted_from_elsewhere():
    class Plain(Net):
        trainable_variables = property(lambda self: [layer._own[0] for layer in self.layers])

    def model(*paths):
        made = Plain([], "m")
        for index, path in enumerate(paths):
            layer = Dense(1)
            layer._own = [Variable(np.full(2, index), "v")]
            layer._own[0].path = path
            made.layers.append(layer)
        return made

    saved = model("dense/kernel", "dense_1/kernel", "own_2/kernel", "both/back/cell/bias")
    other = model("dense_10/kernel", "own_2/kernel", "dense_9/kernel", "back/cell/bias")
    assign_state(other, state_tree(saved), "x")
    assert [layer._own[0].value[0] for layer in other.layers] == [1, 2, 0, 3]


def test_what_does_not_fit_is_said():
    model = net(0.0, units=4)
    tree = state_tree(net())
    del tree["trainable_variables"]["net"]["d"]["bias"]
    tree["trainable_variables"]["net"]["d"]["bios"] = np.ones(4)
    with pytest.raises(ValueError, match="skip_mismatch=True") as raised:
        assign_state(model, tree, "run")
    text = str(raised.value)
    assert "net/d/kernel has shape (2, 3) in the file, (2, 4) in the model" in text
    assert "net/d/bias is not in the file (nearest: net/d/bios)" in text
    assert "net/d/bios is in the file and not in the model" in text
    with pytest.warns(UserWarning, match="Skipped"):
        assign_state(model, tree, "run", skip_mismatch=True)
    assert model.optimizer._own[0].value == 7


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(orbax_checkpoint.importlib, "import_module", _missing)
    with pytest.raises(ImportError, match="pip install orbax-checkpoint"):
        orbax_checkpoint.Checkpoints(tmp_path / "run")


def _missing(name):
    raise ImportError(f"No module named {name!r}")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    pytest.importorskip("orbax.checkpoint")
    folder = tmp_path_factory.mktemp("orbax") / "run"
    checkpoints = orbax_checkpoint.Checkpoints(folder, max_to_keep=2)
    for step in (1, 3, 12):
        checkpoints.save(net(float(step)), step, background=step == 3)
    checkpoints.close()
    return folder


def test_whole_models(run):
    assert sorted(name for name in os.listdir(run) if name.isdigit()) == ["12", "3"]
    for path, scale in ((run, 12), (run / "3", 3)):  # the latest one, or one that is named
        model = ksave.load_model(path)
        np.testing.assert_array_equal(model.layers[0]._own[0].value, np.arange(6).reshape(2, 3) * scale)
        assert model.layers[0]._own[1].value.astype(float).tolist() == [scale] * 3
        assert model.layers[0]._own[1].dtype == ml_dtypes.bfloat16
        assert model.layers[1].words == ("où", "là")
        assert model.optimizer._own[0].value == 7 * scale
    assert ksave.load_model(run, compile=False).optimizer is None


def test_weights(run, tmp_path):
    model = net(0.0)
    ksave.load_weights(model, run)
    assert model.layers[0]._own[0].value[1, 2] == 60
    checkpoints = orbax_checkpoint.Checkpoints(tmp_path / "weights", max_to_keep=None)
    checkpoints.save(net(2.0), 0, weights_only=True)
    checkpoints.close()
    assert sorted(os.listdir(tmp_path / "weights" / "0")) == ["_CHECKPOINT_METADATA", "commit_success.txt", "pytree"]
    ksave.load_weights(model, tmp_path / "weights")
    assert model.layers[0]._own[0].value[1, 2] == 10
    with pytest.raises(ValueError, match="save_weights_only=True"):
        ksave.load_model(tmp_path / "weights")


def test_hostile_checkpoints_are_refused(run, tmp_path):
    import shutil

    folder = tmp_path / "run" / "12"
    shutil.copytree(run / "12", folder)
    os.symlink("/etc/passwd", folder / "pytree" / "link")
    with pytest.raises(ksave.UnsafeFileError, match="link"):
        ksave.load_model(folder)
    os.unlink(folder / "pytree" / "link")
    path = folder / "pytree" / "_METADATA"
    table = json.loads(path.read_text())
    next(iter(table["tree_metadata"].values()))["value_metadata"]["value_type"] = "jax.random.key"
    path.write_text(json.dumps(table))
    with pytest.raises(ksave.UnsafeFileError, match="neither an array nor text"):
        ksave.load_model(folder)
    path.write_text("{}")
    with pytest.raises(ksave.CorruptFileError, match="no tree"):
        ksave.load_model(folder)
    shutil.rmtree(folder / "pytree")
    with pytest.raises(ksave.CorruptFileError, match="not of a Keras model"):
        ksave.load_weights(net(), folder)
