"""Imports go down: each library imports only what its wheel declares, and engines only where they belong."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Iterator, NamedTuple

import pytest
import tomllib

# Import name -> the words one of which must be in the path of a file that imports it.
ENGINES = {
    "jax": ("jax",),
    "jaxlib": ("jax",),
    "flax": ("jax", "nnx"),
    "torch": ("torch",),
    "tensorflow": ("tensorflow", "tf"),
    "openvino": ("openvino",),
}
# A writer of another runtime's format needs that runtime; it is imported where it is used.
FORMATS = {"kexport"}
IMPORT_NAMES = {"pillow": "PIL", "scikit-learn": "sklearn"}


class Import(NamedTuple):
    name: str  # the top-level package
    line: int
    at_import: bool  # runs when the module is imported


def imports(tree: ast.AST, at_import: bool = True) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from imports(node, False)
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name.split(".")[0], node.lineno, at_import)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield Import(node.module.split(".")[0], node.lineno, at_import)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            if node.args and isinstance(node.args[0], ast.Constant):
                yield Import(str(node.args[0].value).split(".")[0], node.lineno, at_import)
        lazy = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield from imports(node, at_import and not lazy)


def declared(folder: Path) -> set[str]:
    """The import names of a library's required dependencies."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[\w.-]+", row)[0] for row in project["dependencies"]]
    return {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names}


def violations(folder: Path, libraries: set[str], standard: set[str]) -> list[str]:
    """What a library in `folder` imports without having the right to, as file:line and reason."""
    name, allowed, found = folder.name, declared(folder) | {folder.name}, []
    for path in sorted((folder / name).rglob("*.py")):
        words = set(re.split(r"\W|_", str(path.relative_to(folder))))
        # Generated suites stay out of the wheel, like tests.
        is_test = path.name.endswith("_test.py") or path.name == "conftest.py" or "conformance" in words
        for item in imports(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{name}: {path.relative_to(folder)}:{item.line} imports {item.name}"
            if item.name in allowed or item.name in standard:
                continue
            if item.name in libraries:
                found.append(f"{where}: not below {name} (its pyproject.toml declares {sorted(allowed)})")
            elif is_test:
                continue
            elif item.name in ENGINES:
                lazily = name in FORMATS and not item.at_import
                if not words & set(ENGINES[item.name]) and not lazily:
                    found.append(f"{where}: an engine is imported only in the modules named for it")
            elif item.at_import:
                found.append(f"{where} when imported: not declared; import it where it is used")
    return found


@pytest.fixture(scope="module")
def standard() -> set[str]:
    import sys

    return set(sys.stdlib_module_names)


@pytest.fixture(scope="module")
def folders(root) -> dict[str, Path]:
    found = {path.parent.name: path.parent for path in root.glob("libs/*/pyproject.toml")}
    return {**found, "keras": root / "keras"}


def test_every_library_is_here(folders, api_gen):
    assert set(folders) == {"kspec", *api_gen._floors(), "keras"}


def test_no_library_imports_what_it_does_not_stand_on(folders, standard):
    found = [line for folder in folders.values() for line in violations(folder, set(folders), standard)]
    assert not found, "\n".join(found)


def test_declared_dependencies_form_floors(folders, api_gen):
    order = ["kspec", *api_gen._floors(), "keras"]
    for name, folder in folders.items():
        below = declared(folder) & set(order)
        assert all(order.index(other) < order.index(name) for other in below), (name, below)
    assert not {"ksave", "klayers"} & declared(folders["kops"])
    assert not {"kops", "klayers"} & declared(folders["ksave"])
    plugins = {"ktrain", "kquant", "kexport", "kapps", "kdistribute"}
    for name in plugins:
        assert not plugins & declared(folders[name]), "optional libraries do not know each other"


def test_build_files_and_wheels_declare_the_same(folders):
    for name, folder in folders.items():
        call = ast.parse((folder / "BUILD").read_text()).body[0].value
        row = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        assert set(row.get("may_import", ())) == declared(folder) & set(folders), name


@pytest.mark.parametrize(
    "path, text, words",
    [
        ("a.py", "import klayers", "not below"),
        ("a.py", "def f():\n    from klayers.core import Layer", "not below"),
        ("a.py", "import importlib\nimportlib.import_module('ksave.x')", "not below"),
        ("a_test.py", "import ksave", "not below"),
        ("a.py", "import torch", "engine"),
        ("a.py", "def f():\n    import jax.numpy", "engine"),
        ("a.py", "import pandas", "not declared"),
        ("backends/torch/kernels.py", "import torch", None),
        ("backends/torch/kernels.py", "import jax", "engine"),
        ("engines/jax.py", "import jax", None),
        ("a.py", "import os\nimport numpy\nimport kspec\nfrom . import b", None),
        ("a.py", "def f():\n    import pandas", None),
        ("a_test.py", "import scipy", None),
    ],
)
def test_what_counts_as_a_violation(tmp_path, standard, path, text, words):
    folder = tmp_path / "kops"
    file = folder / "kops" / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    (folder / "pyproject.toml").write_text('[project]\ndependencies = ["kspec>=0.1", "numpy>=1.26"]\n')
    found = violations(folder, {"kspec", "kops", "ksave", "klayers"}, standard)
    if words is None:
        assert not found
    else:
        assert len(found) == 1 and words in found[0]
