"""Orbax checkpoints: what is in the folder is looked at before Orbax reads it."""

from __future__ import annotations

import json
import os
import shutil

import pytest

import ksave
from ksave.attacks.canaries import nothing_runs
from ksave.limits import Limits
from ksave.registry import register_keras_serializable
from ksave.tests.fake_layers import Chain, Dense

pytest.importorskip("orbax.checkpoint.experimental.v1")


@register_keras_serializable("orbax_attacks")
class Net(Chain):
    """Names its variables by path, as layers do."""

    metrics_variables = ()
    non_trainable_variables = ()

    @property
    def trainable_variables(self):
        found = []
        for layer in self.layers:
            for variable in layer._own:
                variable.path = f"{self.name}/{layer.name}/{variable.name}"
                found.append(variable)
        return found


def plain_model():
    layer = Dense(3, name="d")
    layer.build(4)
    return Net([layer], "net")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    from ksave import orbax_checkpoint

    folder = tmp_path_factory.mktemp("orbax") / "run"
    checkpoints = orbax_checkpoint.Checkpoints(folder)
    checkpoints.save(plain_model(), step=1)
    checkpoints.close()
    return folder


@pytest.fixture
def folder(good, tmp_path):
    shutil.copytree(good, tmp_path / "run")
    return tmp_path / "run"


def _refused(folder, said):
    for load in (ksave.load_model, lambda path: ksave.load_weights(plain_model(), path)):
        with nothing_runs(), pytest.raises((ksave.UnsafeFileError, ksave.CorruptFileError), match=said):
            load(folder)


def test_the_good_one_loads(folder):
    ksave.load_weights(plain_model(), folder)


def test_links(folder):
    os.symlink("/etc/passwd", folder / "1" / "pytree" / "link")
    _refused(folder, "link")


@pytest.mark.parametrize("kind", ["jax.Array", "pickle", "np.ndarray of objects", None])
def test_values_of_other_kinds(folder, kind):
    path = folder / "1" / "pytree" / "_METADATA"
    table = json.loads(path.read_text())
    next(iter(table["tree_metadata"].values()))["value_metadata"]["value_type"] = kind
    path.write_text(json.dumps(table))
    if kind != "jax.Array":
        _refused(folder, "neither an array nor text")


@pytest.mark.parametrize("text", ["[" * 5000, "{}", "[]", '{"tree_metadata": 3}', "\x80\x04."])
def test_text_of_the_metadata(folder, text):
    (folder / "1" / "pytree" / "_METADATA").write_text(text)
    _refused(folder, "nested|no tree|valid JSON")


def test_shapes_beyond_what_is_stored(folder):
    # Shapes are compared with the size of the folder, whatever stands in between.
    from ksave import orbax_checkpoint

    with pytest.raises(ksave.UnsafeFileError, match="bomb"):
        orbax_checkpoint._read(str(folder), ("pytree",), Limits(ratio=0, free_bytes=0))
