from __future__ import annotations

import pytest

from ksave.saveables import attribute_children, snake_case, walk
from ksave.tests.fake_layers import Base


class Dense(Base):
    pass


class ReLU(Base):
    pass


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Conv2D", "conv2d"),
        ("ReLU", "re_lu"),
        ("RMSNormalization", "rms_normalization"),
        ("GRUCell", "gru_cell"),
        ("STFTSpectrogram", "stft_spectrogram"),
        ("MyHTTPServer2", "my_http_server2"),
        ("A1B", "a1b"),
        ("_Priv", "__priv"),
        ("P_reLU", "p_re_lu"),
        ("Conv1DTranspose", "conv1d_transpose"),
        ("V2Net", "v2_net"),
        ("Über", "über"),
    ],
)
def test_snake_case_as_keras_writes_it(name, expected):
    assert snake_case(name) == expected


def _paths(node):
    return {path: getattr(found, "name", None) for path, found in walk(node)}


def test_containers_as_keras_names_them():
    root = Base("root")
    shared = Dense("shared")
    root.n1 = [[1, 2], [Dense("a")], (3,), {"k": Dense("b")}]
    root.n2 = [Dense("c"), [Dense("d")], ReLU("e")]
    root.n4 = [shared, Dense("x"), shared, Dense("y")]
    assert _paths(root) == {
        "": "root",
        "n1/container_1/dense": "a",
        "n1/container_3/dense": "b",
        "n2/dense": "c",
        "n2/container/dense": "d",
        "n2/re_lu": "e",
        "n4/dense": "shared",
        "n4/dense_1": "x",
        "n4/dense_3": "y",
    }


def test_first_name_wins_public_before_private():
    root = Base("root")
    root._early = root.late = Dense("one")
    root.cycle = root
    root._only = Dense("two")
    assert _paths(root) == {"": "root", "late": "one", "_only": "two"}


def test_a_node_says_its_children():
    root = Base("root")
    root.aa = one = Dense("one")
    type(root)._saveable_children = lambda self: [("layers", [one])] if self is root else []
    try:
        assert list(_paths(root)) == ["", "layers/dense"]
    finally:
        del type(root)._saveable_children


def test_properties_that_refuse_are_passed_over():
    class Later(Base):
        @property
        def inner(self):
            raise ValueError("not built")

    assert list(attribute_children(Later("l"), skip={*dir(Base), "_own"})) == []


def test_deep_nesting_needs_no_recursion():
    root = node = Base("0")
    for _ in range(3000):
        node.x = Base("n")
        node = node.x
    assert len(list(walk(root))) == 3001


def test_fresh_lists_are_not_taken_for_seen_ones():
    class Many(Base):
        a = property(lambda self: [self._a])
        b = property(lambda self: [self._b])

    root = Many("m")
    root._a, root._b = Dense("a"), Dense("b")
    assert set(_paths(root)) == {"", "a/dense", "b/dense"}
