from __future__ import annotations

import pytest

from kspec import plugin, public, public_name, public_names


def test_names_stay_on_the_object_canonical_first():
    @public("keras.layers.Twice", "keras.Twice")
    class Twice: ...

    assert public_names(Twice) == ("keras.layers.Twice", "keras.Twice")
    assert public_name(Twice) == "keras.layers.Twice"


def test_a_subclass_is_another_object_and_has_no_name():
    @public("keras.layers.Base")
    class Base: ...

    class Derived(Base): ...

    assert public_names(Derived) == ()
    assert public_name(Derived) is None


def test_an_instance_has_no_public_name():
    @public("keras.layers.Base")
    class Base: ...

    assert public_name(Base()) is None
    assert public_name(3) is None


def test_functions_are_marked_and_otherwise_untouched():
    def add(x, y):
        return x + y

    marked = public("keras.ops.add")(add)
    assert marked is add
    assert marked(1, 2) == 3
    assert public_name(add) == "keras.ops.add"


@pytest.mark.parametrize("names", [(), ("layers.Dense",), ("keras.ops.add", "kerasops.add")])
def test_a_bad_name_is_refused_with_what_is_expected(names):
    with pytest.raises(ValueError, match="keras"):
        public(*names)


def test_a_plugin_needs_a_name_and_leaves_the_object_alone():
    class Int8: ...

    assert plugin("quantization", "int8.Dense")(Int8) is Int8
    with pytest.raises(ValueError, match="quantization"):
        plugin("quantization")
