from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

import ksave
from ksave import shards
from ksave.tests.fake_layers import Chain, Dense

INDEX = "m.weights.json"


def model(value, count=4):
    layers = []
    for _ in range(count):
        layers.append(Dense(30))
        layers[-1].build(30)
        for variable in layers[-1]._own:
            variable.value = np.full(variable.value.shape, value, "float32")
    return Chain(layers)


def save(value, path, count=4):
    ksave.save_weights(model(value, count), path, max_shard_size=4000 / 1024**3)


def loaded(path, count=4):
    """The one value that all variables have."""
    target = model(-1, count)
    ksave.load_weights(target, path)
    values = {float(x) for layer in target.layers for v in layer._own for x in v.value.ravel()}
    assert len(values) == 1, f"a mixture of {values}"
    return values.pop()


def test_a_second_set_takes_the_names_of_the_first(tmp_path):
    path = tmp_path / INDEX
    save(1, path, 4)
    first = sorted(os.listdir(tmp_path))
    assert first == ["m.weights.json", *(f"m_{i:05d}.weights.h5" for i in range(4))]
    save(2, path, 4)
    assert sorted(os.listdir(tmp_path)) == first and loaded(path) == 2
    (tmp_path / "m_00009.weights.h5").write_text("not of the set")
    save(3, path, 2)  # fewer files: those of the old set go
    assert sorted(os.listdir(tmp_path)) == [*first[:3], "m_00009.weights.h5"] and loaded(path, 2) == 3


def test_a_crash_at_any_step_leaves_a_whole_set(tmp_path, monkeypatch):
    path = tmp_path / INDEX
    save(1, path)
    steps = ("replace", "link", "fsync", "unlink", "rename", "mkdir", "chmod")
    last = 1.0
    for crash_at in range(60):
        count = [0]

        def step(name, real=None, count=count, crash_at=crash_at):
            def run(*args, **kwargs):
                count[0] += 1
                if count[0] > crash_at:
                    raise KeyboardInterrupt  # and everything after it, as when the process is gone
                return real(*args, **kwargs)

            return run

        with monkeypatch.context() as patch:
            for name in steps:
                patch.setattr(os, name, step(name, getattr(os, name)))
            patch.setattr(shutil, "rmtree", lambda *args, **kwargs: None)
            try:
                save(crash_at + 2, path)
            except KeyboardInterrupt:
                done = False
            else:
                done = True
        now = loaded(path)
        assert now in (last, crash_at + 2)
        last = now
        if done:
            break
    assert done and last == crash_at + 2 and crash_at > 15
    save(99, path)  # what the crashes left does not matter
    assert loaded(path) == 99


def test_a_file_system_without_links(tmp_path, monkeypatch):
    def refuse(*args):
        raise PermissionError("no links")

    monkeypatch.setattr(os, "link", refuse)
    for value in (1, 2):
        save(value, tmp_path / INDEX)
        assert loaded(tmp_path / INDEX) == value
    assert len(os.listdir(tmp_path)) == 5


def test_files_of_two_saves_are_told_apart(tmp_path):
    for name, value in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        save(value, tmp_path / name / INDEX)
    shutil.copy(tmp_path / "one" / "m_00002.weights.h5", tmp_path / "two")
    target = model(-1)
    with pytest.raises(ksave.CorruptFileError, match="m_00002.*files of two saves were mixed"):
        ksave.load_weights(target, tmp_path / "two" / INDEX)
    assert target.layers[0]._own[0].value[0, 0] == -1
    index = json.loads((tmp_path / "one" / INDEX).read_text())
    del index["metadata"]["set"]
    (tmp_path / "one" / INDEX).write_text(json.dumps(index))
    with pytest.raises(ksave.CorruptFileError, match="mixed"):
        loaded(tmp_path / "one" / INDEX)


def test_what_is_no_index_names_nothing(tmp_path):
    path = tmp_path / INDEX
    for text in (
        "",
        "[]",
        '{"weight_map": 3}',
        '{"weight_map": {"a": 1}}',
        '{"weight_map": {"a": ["../m_00001.weights.h5"]}}',
    ):
        path.write_text(text)
        assert shards._named(str(path), "m") in (None, set())


def test_elsewhere_says_what_to_do():
    with pytest.raises(NotImplementedError, match="max_shard_size"):
        ksave.save_weights(model(1), "memory://x/m.weights.json", max_shard_size=1)
