"""What the tests that cross libraries share."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

# What needs no particular engine runs on the lightest.
os.environ.setdefault("KERAS_BACKEND", "numpy")

ROOT = Path(__file__).resolve().parent.parent


def load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def api_gen() -> ModuleType:
    return load_tool("api_gen")


@pytest.fixture(scope="session")
def api_contract() -> ModuleType:
    return load_tool("api_contract")
