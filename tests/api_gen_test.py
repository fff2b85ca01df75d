from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.fixture
def scan(api_gen):
    return lambda text: {d.name: d.place for d in api_gen.scan_module(text, "klayers.core", "core.py")}


def test_the_generated_files_are_up_to_date(root):
    done = subprocess.run([sys.executable, str(root / "tools/api_gen.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_decorators_on_classes_and_functions_also_among_others(scan):
    text = """
@register
@public("keras.layers.Dense", "keras.Dense")
class Dense: ...

@kspec.public("keras.ops.add")
@primitive(dtype=result)
def add(x1, x2): ...
"""
    assert scan(text) == {
        "keras.layers.Dense": "klayers.core:Dense",
        "keras.Dense": "klayers.core:Dense",
        "keras.ops.add": "klayers.core:add",
    }


def test_an_op_has_its_names_in_its_declaration(scan):
    text = """
@primitive("numpy", "keras.ops.plus", dtype=result)
def add(x1, x2): ...

@composite("keras.ops.image.resize")
def resize(images): ...

@functional(shape=None)
def private(): ...
"""
    assert scan(text) == {
        "keras.ops.add": "klayers.core:add",
        "keras.ops.numpy.add": "klayers.core:add",
        "keras.ops.plus": "klayers.core:add",
        "keras.ops.image.resize": "klayers.core:resize",
    }


def test_expressions_assignments_and_tables(scan):
    text = """
relu = public("keras.activations.relu")(make("relu"))
public("keras.ops.abs")(absolute)
__public__ = {"keras.config.depth": "DEPTH"}
if True:
    @public("keras.ops.maybe")
    def maybe(): ...
"""
    assert scan(text) == {
        "keras.activations.relu": "klayers.core:relu",
        "keras.ops.abs": "klayers.core:absolute",
        "keras.config.depth": "klayers.core:DEPTH",
        "keras.ops.maybe": "klayers.core:maybe",
    }


def test_plugins_are_keyed_by_kind_and_name(scan):
    assert scan('@plugin("quantization", "int8.Dense", "int8.EinsumDense")\nclass Int8: ...') == {
        "quantization.int8.Dense": "klayers.core:Int8",
        "quantization.int8.EinsumDense": "klayers.core:Int8",
    }


@pytest.mark.parametrize(
    "text, words",
    [
        ('NAME = "keras.x"\n@public(NAME)\ndef f(): ...', "literal"),
        ('def f():\n    @public("keras.x")\n    def g(): ...', "top level"),
        ("@primitive(NAME, dtype=result)\ndef f(x): ...", "literal"),
        ('def f():\n    @primitive("numpy")\n    def g(): ...', "top level"),
        ('public("keras.x")(make())', "module-level name"),
    ],
)
def test_what_cannot_be_read_from_the_text_is_refused_with_its_place(scan, api_gen, text, words):
    with pytest.raises(api_gen.Problem, match=rf"core\.py:\d+: .*{words}"):
        scan(text)


def test_one_name_has_one_object_in_a_library(api_gen, tmp_path):
    package = tmp_path / "klib/klib"
    package.mkdir(parents=True)
    (package / "a.py").write_text('@public("keras.x.f")\ndef f(): ...\n')
    (package / "b.py").write_text('@public("keras.x.f")\ndef f(): ...\n')
    with pytest.raises(api_gen.Problem, match="already declared"):
        api_gen.scan_library(tmp_path / "klib")


def test_tests_are_not_scanned(api_gen, tmp_path):
    package = tmp_path / "klib/klib"
    package.mkdir(parents=True)
    (package / "a_test.py").write_text('@public("keras.x.f")\ndef f(): ...\n')
    assert api_gen.scan_library(tmp_path / "klib") == ({}, {})


def test_tables_and_stubs_are_python_with_the_names(api_gen):
    text = api_gen.render_public({"keras.b.y": "m:y", "keras.a.x": "m.n:x"}, {})
    table: dict = {}
    exec(text, table)
    assert list(table["NAMES"]) == ["keras.a.x", "keras.b.y"]
    files = api_gen.render_tree({"keras.a.b.x": "m.n:z"}, {"keras.c"}, set())
    assert "from m.n import z as x\n" in files["a/b/__init__.pyi"]
    assert "from keras.a import b as b\n" in files["a/__init__.pyi"]
    assert 'attach(__name__, "keras.a", ("b",))' in files["a/__init__.py"]
    assert "from m.n import z as x\n" in files["_tf_keras/keras/a/b/__init__.pyi"]
    assert {"c/__init__.py", "_tf_keras/keras/c/__init__.py"} <= set(files)


def test_names_of_tf_keras_alone_stay_in_its_tree(api_gen):
    files = api_gen.render_tree({"keras._tf_keras.keras.backend.dot": "m:dot"}, set(), set())
    assert "import dot as dot" in files["_tf_keras/keras/backend/__init__.pyi"]
    assert "backend/__init__.pyi" not in files
