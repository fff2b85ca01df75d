"""The choice of the engine and the settings file, in processes of their own; and the settings themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from kops import config


def run(code, tmp_path=None, **env):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KERAS_")}
    environment.update(KERAS_HOME=str(tmp_path) if tmp_path else os.devnull, **env)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout.strip(), done.stderr


BACKEND = "from kops import config; print(config.backend())"
# Hides packages from find_spec, which the choice uses.
HIDE = """
import importlib.util as u
real = u.find_spec
u.find_spec = lambda name, *a: None if name in {hidden!r} else real(name, *a)
"""


def test_environment_chooses():
    assert run(BACKEND, KERAS_BACKEND="numpy")[:2] == (0, "numpy")


def test_unknown_engine_is_refused_at_import():
    code, _, errors = run(BACKEND, KERAS_BACKEND="theano")
    assert code != 0
    assert "Unknown backend 'theano' (from KERAS_BACKEND). Choose one of: tensorflow, jax, torch, numpy" in errors


def test_file_chooses_and_sets(tmp_path):
    settings = {"backend": "numpy", "floatx": "float16", "epsilon": 1e-4, "image_data_format": "channels_first"}
    (tmp_path / "keras.json").write_text(json.dumps(settings))
    code = "from kops import config as c; print(c.backend(), c.floatx(), c.epsilon(), c.image_data_format())"
    assert run(code, tmp_path)[1] == "numpy float16 0.0001 channels_first"
    assert run(code, tmp_path, KERAS_BACKEND="jax")[1].startswith("jax ")


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "not valid JSON"),
        ("[]", "JSON object"),
        ('{"floatx": "float8"}', "Unknown floatx"),
        ('{"backend": 3}', "keras.json"),
    ],
)
def test_wrong_file(tmp_path, text, words):
    (tmp_path / "keras.json").write_text(text)
    code, _, errors = run(BACKEND, tmp_path)
    assert code != 0 and words in errors


@pytest.mark.parametrize(
    "hidden, chosen",
    [
        ((), "tensorflow"),
        (("tensorflow",), "jax"),
        (("tensorflow", "jax"), "torch"),
        (("tensorflow", "jax", "torch"), "numpy"),
    ],
)
def test_default_is_the_first_installed(hidden, chosen):
    found = [m for m in ("tensorflow", "jax", "torch") if __import__("importlib.util").util.find_spec(m)]
    if any(m not in found for m in ("tensorflow", "jax", "torch")):
        pytest.skip("needs the engines to be installed")
    code, out, errors = run(HIDE.format(hidden=hidden) + BACKEND)
    assert (code, out) == (0, chosen)
    assert ("TensorFlow is not installed; using" in errors) == bool(hidden)


def test_import_loads_no_engine():
    code = (
        "import sys, kops, kops.config; "
        "print([m for m in ('jax', 'torch', 'tensorflow', 'openvino') if m in sys.modules])"
    )
    for backend in ("jax", "tensorflow"):
        assert run(code, KERAS_BACKEND=backend)[1] == "[]"


def test_set_backend_before_and_after_first_use():
    code = """
from kops import config
config.set_backend("numpy")
import kops
kops.add([1.0], [2.0])
try:
    config.set_backend("jax")
except RuntimeError as error:
    print(error)
config.set_backend("numpy")
"""
    status, out, _ = run(code, KERAS_BACKEND="torch")
    assert status == 0 and "already in use" in out


def test_floatx_is_checked():
    with pytest.raises(ValueError, match="Unknown floatx 'int32'"):
        config.set_floatx("int32")


def test_data_format():
    assert config.standardize_data_format(None) == config.image_data_format()
    assert config.standardize_data_format("Channels_First") == "channels_first"
    with pytest.raises(ValueError, match="data_format"):
        config.standardize_data_format("NHWC")


def test_missing_engine_says_how_to_install(monkeypatch):
    code = """
import sys, importlib.abc
class Hide(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "jax":
            raise ModuleNotFoundError("No module named 'jax'", name="jax")
sys.meta_path.insert(0, Hide())
import kops
kops.add(1.0, 2.0)
"""
    _, _, errors = run(code, KERAS_BACKEND="jax")
    assert "pip install 'kops[jax]'" in errors
