"""Scopes nest, restore, and refuse what they cannot be."""

from __future__ import annotations

import threading

import pytest

from kops import add
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.scopes import (
    AutocastScope,
    NoRecording,
    StatelessScope,
    SymbolicScope,
    ambient,
    current_path,
    device,
    name_scope,
)


def test_stateless_nests_and_restores():
    assert ambient.stateless is None
    with StatelessScope() as outer:
        with StatelessScope() as inner:
            assert ambient.stateless is inner
        assert ambient.stateless is outer
    assert ambient.stateless is None


def test_restored_after_an_exception():
    with pytest.raises(RuntimeError), AutocastScope("float16"), StatelessScope(), name_scope("x"):
        raise RuntimeError
    assert ambient.autocast is None and ambient.stateless is None and current_path() == ""


def test_symbolic_and_recording():
    with SymbolicScope():
        assert ambient.symbolic
    assert not ambient.symbolic
    x = KerasTensor((2,))
    with NoRecording():
        assert not hasattr(add(x, 1.0), "_keras_history")
    assert hasattr(add(x, 1.0), "_keras_history")


def test_autocast_takes_floats_only():
    with pytest.raises(ValueError, match="float dtype"):
        AutocastScope("int32")
    with AutocastScope("float16"), AutocastScope(None):
        assert ambient.autocast is None


def test_names_nest():
    with name_scope("a"):
        with name_scope("b"):
            assert current_path() == "a/b"
        with name_scope("c", override_parent="top"):
            assert current_path() == "top/c"
    with pytest.raises(ValueError, match="without '/'"):
        name_scope("a/b")


def test_names_are_deduplicated_per_caller():
    first, second = object(), object()
    with name_scope("root"):
        with name_scope("x", caller=first):
            assert current_path() == "root/x"
        with name_scope("x", caller=second):
            assert current_path() == "root/x_1"
        with name_scope("x", caller=first):
            assert current_path() == "root/x"


def test_other_threads_see_nothing():
    seen = []
    with StatelessScope():
        thread = threading.Thread(target=lambda: seen.append(ambient.stateless is not None))
        thread.start()
        thread.join()
    assert seen == [False]


def test_device():
    with device("cpu:0"):
        out = add([1.0], [2.0])
    assert engine().to_numpy(out).tolist() == [3.0]
    with pytest.raises(ValueError, match="name like 'cpu:0'"):
        device(0)
