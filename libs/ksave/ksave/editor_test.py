from __future__ import annotations

import html
import html.parser
import os
import sys

import numpy as np
import pytest

import ksave
from ksave.tests.fake_layers import arrays, small_model


@pytest.fixture(params=["m.keras", "m.weights.h5"])
def editor(request, tmp_path):
    path = tmp_path / request.param
    (ksave.save_model if path.suffix == ".keras" else ksave.save_weights)(small_model(), path)
    return ksave.KerasFileEditor(path)


def test_show_and_compare(editor, capsys):
    editor.summary()
    said = capsys.readouterr().out
    assert "├─ dense_1" in said or "└─ dense_1" in said
    assert "0: shape=(4, 3), dtype=float32" in said
    assert editor.compare(small_model()) == {"status": "success", "error_count": 0, "match_count": 4}
    found = editor.compare(small_model((3, 9, 2)))
    assert found == {"status": "error", "error_count": 4, "match_count": 2}
    assert "layers/dense_1/0: in the model (3, 9), in the file (3, 2)" in capsys.readouterr().out


def test_change_and_save(editor, tmp_path):
    editor.rename_object("dense", "first")
    editor.rename_object("layers/first", "dense")
    editor.rename_object("dense_1", "gone")
    editor.delete_object("gone")
    editor.add_object("layers/dense_1", {"0": np.ones((3, 2), "float32")})
    editor.add_weights("dense_1", {"1": np.full(2, 3.0, "float32"), "2": np.zeros(1)})
    editor.delete_weight("dense_1", "2")
    path = tmp_path / "new.weights.h5"
    editor.save(path)
    model = small_model()
    before = arrays(model)
    ksave.load_weights(model, path)
    after = arrays(model)
    np.testing.assert_array_equal(after[0], before[0])
    assert (after[2] == 1).all() and (after[3] == 3).all()
    again = ksave.KerasFileEditor(path)
    assert again.object_metadata["/layers/dense"] == {"name": "dense_of_3"}


def test_wrong_use(editor, tmp_path):
    for call in (
        lambda: editor.rename_object("zz", "x"),
        lambda: editor.delete_object("zz"),
        lambda: editor.add_object("zz/x", {}),
        lambda: editor.add_weights("zz", {}),
    ):
        with pytest.raises(ValueError, match="no object 'zz"):
            call()
    with pytest.raises(ValueError, match="has no weight '9'"):
        editor.delete_weight("dense", "9")
    with pytest.raises(ValueError, match="already"):
        editor.rename_object("dense", "dense_1")
    with pytest.raises(ValueError, match="cannot be the name"):
        editor.rename_object("dense", "a/b")
    with pytest.raises(ValueError, match=r"\.weights\.h5"):
        editor.save(tmp_path / "x.keras")
    with pytest.raises(ValueError, match="editor opens"):
        (tmp_path / "x.h5").write_bytes(b"x")
        ksave.KerasFileEditor(tmp_path / "x.h5")
    with pytest.raises(FileNotFoundError):
        ksave.KerasFileEditor(tmp_path / "none.keras")
    (tmp_path / "x.keras").write_bytes(b"\x80\x04")
    with pytest.raises(ksave.CorruptFileError, match="pickle"):
        ksave.KerasFileEditor(tmp_path / "x.keras")


def test_names_that_two_objects_have(tmp_path):
    outer = small_model()
    outer.inner = small_model()
    ksave.save_weights(outer, tmp_path / "m.weights.h5")
    editor = ksave.KerasFileEditor(tmp_path / "m.weights.h5")
    with pytest.raises(ValueError, match="inner/layers/dense or layers/dense"):
        editor.delete_object("dense")
    editor.delete_object("inner/layers/dense")
    assert "dense" not in editor.weights_dict["inner"]["layers"]


def test_what_stands_in_a_file_and_its_heading(editor, capsys):
    ksave.KerasFileEditor(editor.filepath)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"Keras model file {editor.filepath!r}"
    if editor.filepath.endswith(".keras"):
        assert said[1].startswith("Saved by Keras 3.15") and editor.config["class_name"] == "Chain"
        assert set(editor.metadata) == {"keras_version", "date_saved"}
    else:
        assert len(said) == 1 and editor.config is None and editor.metadata is None
    assert list(editor.weights_dict["layers"]) == ["dense", "dense_1"]
    assert editor.weights_dict["layers"]["dense"]["0"].shape == (4, 3)
    assert editor.object_metadata["/layers/dense"] == {"name": "dense_of_3"}


class _Outline(html.parser.HTMLParser):
    """What a reader sees: lines of text, indented by the lists they are in."""

    def __init__(self, text):
        super().__init__()
        self.depth, self.lines, self.open, self.tags = 0, [""], 0, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.depth += tag == "ul"
        self.open += tag == "details" and "open" in dict(attributes)
        if tag != "br":
            self.tags.append(tag)
        if tag in ("li", "br"):
            self.lines.append("  " * self.depth)

    def handle_endtag(self, tag):
        assert self.tags.pop() == tag
        self.depth -= tag == "ul"

    def handle_data(self, data):
        self.lines[-1] += data


def test_in_a_notebook(tmp_path):
    model = small_model()
    model.layers[0].name = "<script>alert(1)</script>"
    ksave.save_weights(model, tmp_path / "m.weights.h5")
    editor = ksave.KerasFileEditor(tmp_path / "m.weights.h5")
    editor.add_object("layers/<script>", {"0": np.ones(2)})
    page = _Outline(editor._repr_html_())
    assert page.tags == [] and page.open == 5 and "<script>" not in editor._repr_html_()
    seen = [line.rstrip() for line in page.lines]
    assert seen[1:5] == [
        "26 numbers, 116 bytes",
        "  layers 25 numbers, 108 bytes",
        "    dense 15 numbers, 60 bytes",
        "      0 (4, 3) float32",
    ]
    assert "    <script> 2 numbers, 16 bytes" in seen
    editor.add_object("many", {str(index): np.zeros(1) for index in range(200)})
    assert _Outline(editor._repr_html_()).open == 0  # a long tree begins closed


def test_summary_asks_the_notebook(editor, monkeypatch):
    shown = []

    class Shell:
        kernel = object()

    class IPython:
        get_ipython = staticmethod(Shell)

        class display:
            display = staticmethod(shown.append)

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    editor.summary()
    assert shown == [editor]


def test_deleted_objects_leave_no_name(editor):
    editor.delete_object("dense_1")
    assert "/layers/dense_1" not in editor.object_metadata


def test_renamed_in_place_and_saved_over_itself(tmp_path):
    path = tmp_path / "m.weights.h5"
    ksave.save_weights(small_model(), path)
    editor = ksave.KerasFileEditor(path)
    editor.rename_object("dense", "first")
    editor.resave_weights(path)
    assert list(ksave.KerasFileEditor(path).weights_dict["layers"]) == ["dense_1", "first"]


def test_shards_are_one_tree():
    path = os.path.join(os.path.dirname(__file__), "testdata", "w_sharded.weights.json")
    layers = ksave.KerasFileEditor(path).weights_dict["layers"]
    assert layers["dense"]["0"].shape == (40, 40) and layers["dense_3"]["0"].shape == (40, 40)
