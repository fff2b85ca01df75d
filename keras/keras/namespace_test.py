"""The namespace itself: what a name gives, and what importing costs."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import keras
import kspec

ENGINES = ("jax", "torch", "tensorflow", "openvino")


def in_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_version():
    assert keras.__version__ == keras.version() == "3.15.2"


def test_import_keras_touches_no_engine_and_no_layer():
    code = "import sys, keras; print('\\n'.join(sys.modules))"
    modules = set(in_new_process(code).splitlines())
    assert not modules & {*ENGINES, "h5py", "klayers", "ktrain", "kapps", "keras.layers"}


def test_every_declared_name_is_found_and_is_the_declared_object():
    for name, place in kspec.known_names().items():
        if name.startswith("keras._tf_keras"):
            continue
        namespace, _, last = name.rpartition(".")
        module, _, attribute = place.partition(":")
        found = getattr(importlib.import_module(namespace), last)
        assert found is getattr(importlib.import_module(module), attribute), name


def test_all_forms_of_import():
    import keras.ops as ops
    from keras import layers
    from keras import ops as same

    assert ops is same is keras.ops
    assert layers is keras.layers


def test_dir_lists_names_and_namespaces():
    assert {"layers", "ops", "version"} <= set(dir(keras))
    assert "image" in dir(keras.ops)
    assert set(keras.ops.__all__) <= set(dir(keras.ops))


def test_a_wrong_name_is_an_attribute_error_that_names_the_module():
    with pytest.raises(AttributeError, match=r"keras\.layers.*Densee"):
        _ = keras.layers.Densee
    with pytest.raises(ImportError):
        importlib.import_module("keras.src")
