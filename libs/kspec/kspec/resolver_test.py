from __future__ import annotations

import sys
import types

import pytest

from kspec import resolver


def table(names: dict, plugins: dict) -> str:
    return f"NAMES = {names!r}\nPLUGINS = {plugins!r}\n"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Three made-up libraries on the path in place of ours, lowest floor first: low, middle, high."""

    def package(name, code, names, plugins):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("raise ImportError('tables are read without importing')\n")
        (folder / "_public.py").write_text(table(names, plugins))
        (tmp_path / f"{name}_code.py").write_text(code)

    low = {"keras.Model": "low_code:Model", "keras.ops.add": "low_code:add"}
    high = {"keras.Model": "high_code:Model"}
    schemes = {f"quantization.int8.{layer}": "high_code:Int8" for layer in ("Dense", "EinsumDense")}
    package("low", "class Model: ...\ndef add(x, y): return x + y\n", low, {})
    package("high", "class Model: ...\nclass Int8: ...\n", high, schemes)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(resolver, "LIBRARIES", ("low", "middle", "high"))
    monkeypatch.setattr(resolver, "_entry_points", lambda group: ())
    resolver._tables.cache_clear()
    yield tmp_path
    resolver._tables.cache_clear()
    for name in ("low_code", "high_code"):
        sys.modules.pop(name, None)


def test_resolve_imports_just_the_module_that_holds_the_object(installed):
    assert resolver.resolve("keras.ops.add")(1, 2) == 3
    assert "low_code" in sys.modules
    assert not {"low", "high", "high_code"} & set(sys.modules)


def test_the_higher_floor_wins(installed):
    assert resolver.resolve("keras.Model").__module__ == "high_code"


def test_an_unknown_name_is_answered_with_the_nearest(installed):
    with pytest.raises(resolver.UnknownName, match=r"'keras\.ops\.ad'.*Did you mean keras\.ops\.add"):
        resolver.resolve("keras.ops.ad")


@pytest.mark.parametrize("name", ["os.system", "low_code.add", "low_code:add", "", "keras.ops.add.__globals__"])
def test_only_declared_names_can_be_reached(installed, name):
    with pytest.raises(resolver.UnknownName):
        resolver.resolve(name)


def test_plugins_by_kind(installed):
    assert resolver.known_plugins("quantization") == ["int8.Dense", "int8.EinsumDense"]
    assert resolver.known_plugins("export") == []
    assert resolver.find_plugin("quantization", "int8.Dense").__name__ == "Int8"


def test_a_missing_plugin_says_what_is_there_or_what_to_install(installed):
    with pytest.raises(resolver.PluginMissing, match=r"int8\.Dense, int8\.EinsumDense"):
        resolver.find_plugin("quantization", "int4.Dense")
    with pytest.raises(resolver.PluginMissing, match="pip install kexport"):
        resolver.find_plugin("export", "onnx")
    with pytest.raises(resolver.PluginMissing, match="library that offers colours"):
        resolver.find_plugin("colours", "red")


def test_a_third_party_adds_names_and_does_not_take_ours(installed, monkeypatch):
    theirs = types.SimpleNamespace(
        NAMES={"keras.ops.add": "evil:add", "keras.layers.Theirs": "theirs:Theirs"},
        PLUGINS={"export.gguf": "theirs:Gguf", "quantization.int8.Dense": "evil:Int8"},
    )
    entry = types.SimpleNamespace(value="theirs._public", load=lambda: theirs)
    monkeypatch.setattr(resolver, "_entry_points", lambda group: (entry,))
    resolver._tables.cache_clear()
    names = resolver.known_names()
    assert names["keras.layers.Theirs"] == "theirs:Theirs"
    assert names["keras.ops.add"] == "low_code:add"
    assert resolver.known_plugins("export") == ["gguf"]
    assert resolver.find_plugin("quantization", "int8.Dense").__module__ == "high_code"


def test_our_own_entry_points_are_not_loaded(installed, monkeypatch):
    def load():
        raise AssertionError("our tables are read from their files")

    entry = types.SimpleNamespace(value="high._public", load=load)
    monkeypatch.setattr(resolver, "_entry_points", lambda group: (entry,))
    resolver._tables.cache_clear()
    assert "keras.Model" in resolver.known_names()


def test_what_known_names_returns_is_a_copy(installed):
    resolver.known_names()["os.system"] = "os:system"
    with pytest.raises(resolver.UnknownName):
        resolver.resolve("os.system")
