from __future__ import annotations

import threading

import pytest

import ksave


def test_names():
    @ksave.register_keras_serializable()
    class Plain:
        def get_config(self):
            return {}

    @ksave.register_keras_serializable("shop", "Other")
    def function():
        pass

    class Child(Plain):
        pass

    assert ksave.get_registered_name(Plain) == "Custom>Plain"
    assert ksave.get_registered_name(function) == "shop>Other"
    assert ksave.get_registered_name(Child) == "Child"  # registration is not inherited
    assert ksave.get_registered_object("shop>Other") is function
    assert ksave.get_custom_objects()["Custom>Plain"] is Plain


def test_lookup_order():
    assert ksave.get_registered_object("q") is None
    assert ksave.get_registered_object("q", {"q": 3}, {"q": 4}) == 3
    assert ksave.get_registered_object("q", None, {"q": 4}) == 4
    with ksave.CustomObjectScope({"q": 1}):
        with ksave.custom_object_scope({"q": 2}):
            assert ksave.get_registered_object("q", {"q": 3}) == 2
        assert ksave.get_registered_object("q") == 1
    assert ksave.get_registered_object("q") is None


def test_scopes_do_not_leak_to_other_threads():
    seen = []
    with ksave.CustomObjectScope({"q": 1}):
        thread = threading.Thread(target=lambda: seen.append(ksave.get_registered_object("q")))
        thread.start()
        thread.join()
    assert seen == [None]


def test_a_class_without_config_cannot_be_registered():
    with pytest.raises(ValueError, match="no get_config"):

        @ksave.register_keras_serializable()
        class Bare:
            pass
