"""Trees of lists, tuples, dictionaries and named tuples."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from kops import tree


class Point(NamedTuple):
    x: object
    y: object


NESTED = {"b": [1, (2, 3)], "a": Point(4, None)}


def test_flatten_sorts_keys_and_keeps_none():
    assert tree.flatten(NESTED) == [4, None, 1, 2, 3]
    assert tree.flatten(5) == [5] and tree.flatten(None) == [None] and tree.flatten([]) == []


def test_pack():
    assert tree.pack_sequence_as(NESTED, "vwxyz") == {"b": ["x", ("y", "z")], "a": Point("v", "w")}
    with pytest.raises(ValueError, match="5 leaves.*2"):
        tree.pack_sequence_as(NESTED, [1, 2])


def test_map():
    assert tree.map_structure(lambda x: x * 2, [1, (2,)]) == [2, (4,)]
    assert tree.map_structure(lambda a, b: a + b, {"k": 1}, {"k": 2}) == {"k": 3}
    assert tree.map_structure(lambda x: 0, [1, None]) == [0, 0]
    assert tree.map_structure(lambda x: 0, [1, None], none_is_leaf=False) == [0, None]
    with pytest.raises(ValueError, match="do not match"):
        tree.map_structure(lambda a, b: a, [1], (1,))
    with pytest.raises(TypeError, match="callable"):
        tree.map_structure(3, [1])


def test_map_up_to():
    assert tree.map_structure_up_to([0, 0], lambda s, x: (s, x), ["a", "b"], [[1, 2], 3]) == [("a", [1, 2]), ("b", 3)]
    with pytest.raises(ValueError, match="do not match"):
        tree.map_structure_up_to([0, 0], lambda x: x, [1])


def test_paths():
    assert tree.flatten_with_path({"a": [1], "b": 2}) == [(("a", 0), 1), (("b",), 2)]
    tree.assert_same_paths([1, {"k": 2}], [3, {"k": 4}])
    with pytest.raises(ValueError, match="only in the first"):
        tree.assert_same_paths([1, 2], [1])


def test_traverse():
    assert tree.traverse(lambda x: x + 1 if isinstance(x, int) else None, [1, {"k": 2}]) == [2, {"k": 3}]
    assert tree.traverse(lambda x: tree.MAP_TO_NONE if x == 1 else None, [1, 2]) == [None, 2]
    seen = []
    tree.traverse(lambda x: seen.append(x), [1, [2]], top_down=False)
    assert seen == [1, 2, [2], [1, [2]]]


def test_shapes():
    assert tree.map_shape_structure(len, {"a": (1, None), "b": [(2,), ()]}) == {"a": 2, "b": [1, 0]}


def test_lists_to_tuples():
    assert tree.lists_to_tuples([1, {"k": [2, [3]]}]) == (1, {"k": (2, (3,))})


def test_registered_class():
    class Box:
        def __init__(self, inside):
            self.inside = inside

    tree.register(Box, lambda b: ((b.inside,), None), lambda _, children: Box(*children))
    assert tree.is_nested(Box(1))
    assert tree.map_structure(lambda x: x + 1, Box(1)).inside == 2
