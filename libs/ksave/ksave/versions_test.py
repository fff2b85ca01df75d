from __future__ import annotations

import json
import zipfile

import pytest

import ksave
from ksave.migrations import MigrationWarning
from ksave.tests.fake_layers import small_model
from ksave.versions import is_before_3, is_newer, without_unknown


def _of_version(path, version, change):
    """The file of a small model, as another version would have written it."""
    ksave.save_model(small_model(), str(path))
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    config = json.loads(parts["config.json"])
    change(config["config"]["layers"][0]["config"])
    parts["config.json"] = json.dumps(config).encode()
    parts["metadata.json"] = json.dumps({"keras_version": version}).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return str(path)


def test_versions_in_order():
    assert is_newer("3.16.0") and is_newer("4.0") and not is_newer("3.15.9") and not is_newer(None)
    assert is_before_3("2.15.0") and is_before_3("1.2.2") and not is_before_3("3.0.0") and not is_before_3(None)


def test_a_newer_file_loads_if_what_is_unknown_chooses_nothing(tmp_path):
    path = _of_version(tmp_path / "a.keras", "3.99.0", lambda config: config.update(fresh=None, other=False))
    with pytest.warns(MigrationWarning, match=r"Keras 3\.99\.0.*fresh.*not known yet.*other"):
        ksave.load_model(path)


def test_a_newer_file_says_what_was_not_understood(tmp_path):
    path = _of_version(tmp_path / "a.keras", "3.99.0", lambda config: config.update(fresh=3))
    with pytest.raises(ksave.ConfigError, match=r"(?s)fresh.*written by Keras 3\.99\.0, newer than"):
        ksave.load_model(path)


def test_a_file_of_today_is_taken_at_its_word(tmp_path):
    path = _of_version(tmp_path / "a.keras", "3.15.1", lambda config: config.update(fresh=None))
    with pytest.raises(ksave.ConfigError, match="fresh"):
        ksave.load_model(path)


def test_only_unknown_arguments_are_left_out():
    error = TypeError("__init__() got an unexpected keyword argument 'a'")
    assert without_unknown({"a": None, "b": 1}, error) == {"b": 1}
    assert without_unknown({"a": 2, "b": 1}, error) is None
    assert without_unknown({"a": None}, TypeError("b is wrong")) is None
