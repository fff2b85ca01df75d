"""How tables of kernels are put together."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import pytest

from kops.backends.kernel_tables import kernels, merge_tables, native


def _sqrt(x):
    return x**0.5


def double(x):
    return 2 * x


def _negated(function):
    return lambda x: -function(x)


def test_kernels_have_the_names_of_their_ops():
    assert kernels(_sqrt, double) == {"sqrt": _sqrt, "double": double}
    assert kernels(double, around=_negated)["double"](4) == -8
    assert kernels() == {}


def test_functions_of_the_engine_by_name():
    assert native(math, "sin arccos=acos") == {"sin": math.sin, "arccos": math.acos}
    assert native(math, "ceil absolute=fabs", _negated)["absolute"](-3.0) == -3.0
    with pytest.raises(AttributeError, match="arccos"):
        native(math, "arccos")


def test_an_op_stands_in_one_family(monkeypatch):
    monkeypatch.setitem(sys.modules, "engine.one", SimpleNamespace(TABLE={"sqrt": _sqrt}))
    monkeypatch.setitem(sys.modules, "engine.two", SimpleNamespace(TABLE={"double": double}))
    assert merge_tables("engine", "one two") == {"sqrt": _sqrt, "double": double}
    with pytest.raises(ValueError, match=r"engine\.one binds ops that are bound already: sqrt"):
        merge_tables("engine", "one one")
