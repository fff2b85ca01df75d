"""kspec depends on nothing but the standard library."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import kspec

MODULES = [p for p in Path(kspec.__file__).parent.glob("*.py") if not p.name.endswith("_test.py")]


@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names is of Python 3.10")
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_imports_are_of_the_standard_library(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.split(".")[0] in {*sys.stdlib_module_names, "kspec"}, name
