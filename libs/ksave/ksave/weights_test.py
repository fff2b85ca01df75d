from __future__ import annotations

import json
import os
import zipfile

import h5py
import ml_dtypes
import numpy as np
import pytest

import ksave
from ksave.stores import Reader
from ksave.tests.fake_layers import Base, Chain, Dense, Variable, arrays, small_model


def test_round_trip_and_layout(tmp_path):
    model = small_model()
    path = str(tmp_path / "m.weights.h5")
    ksave.save_weights(model, path)
    with Reader.open(path) as reader:
        shapes = reader.paths()
    assert shapes == {
        "": {},
        "layers/dense": {"0": (4, 3), "1": (3,)},
        "layers/dense_1": {"0": (3, 2), "1": (2,)},
        "layers/vocabulary": {},
        "optimizer": {"0": ()},
    }
    other = small_model()
    for array in (variable for _, node in ksave.walk(other) for variable in node._own):
        array.value = np.zeros_like(array.value)
    ksave.load_weights(other, path)
    for one, two in zip(arrays(model), arrays(other)):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "dtype",
    [
        "float16",
        "bfloat16",
        "float64",
        "float8_e4m3fn",
        "float8_e5m2",
        "int4",
        "int8",
        "uint32",
        "bool",
        "complex64",
        "complex128",
    ],
)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3)])
def test_every_dtype_and_shape(tmp_path, dtype, shape):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    values = np.arange(int(np.prod(shape)) or 0).reshape(shape).astype(kind) if shape else np.asarray(1, kind)
    node = Base("n")
    node._own = [Variable(values, "v")]
    path = tmp_path / "n.weights.h5"
    ksave.save_weights(node, path)
    other = Base("n")
    other._own = [Variable(np.zeros(shape, kind), "v")]
    ksave.load_weights(other, path)
    assert other._own[0].value.dtype == kind
    np.testing.assert_array_equal(other._own[0].value.astype("complex128"), values.astype("complex128"))


def test_records_that_are_no_complex_numbers_are_refused(tmp_path):
    path = tmp_path / "n.weights.h5"
    for fields in ([("r", "f4"), ("j", "f4")], [("r", "f4"), ("i", "f4"), ("x", "f4")], [("r", "f4"), ("i", "i4")]):
        with h5py.File(path, "w") as file:
            file["vars/0"] = np.zeros(2, fields)
        with pytest.raises(ksave.UnsafeFileError, match="neither numbers nor text"):
            ksave.load_weights(Base("n"), path)


def test_offsets_beyond_4_gib_in_hdf5(tmp_path):
    path = tmp_path / "n.weights.h5"
    with h5py.File(path, "w") as file:
        # Room that is taken and never written: a hole in the file, which fills no disk.
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        group = file.create_group("layers/dense/vars")
        space = h5py.h5s.create_simple((5 << 30,))
        h5py.h5d.create(group.id, b"0", h5py.h5t.NATIVE_UINT8, space, plan)
        data = file.create_dataset("layers/dense_1/vars/0", data=np.arange(6, dtype="float32"))
        assert data.id.get_offset() > 1 << 32
    assert os.stat(path).st_size > 5 << 30 > 100 * os.stat(path).st_blocks * 512
    with Reader.open(str(path)) as reader:
        assert reader.store("layers/dense_1")["0"].tolist() == [0, 1, 2, 3, 4, 5]
        assert reader.nbytes() == (5 << 30) + 24


def test_zip_files_with_sizes_of_64_bits(tmp_path, monkeypatch):
    path = tmp_path / "m.keras"
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)  # what is larger is written as if it were beyond 4 GiB
    ksave.save_model(small_model(), path)
    monkeypatch.undo()
    content = path.read_bytes()
    assert b"PK\x06\x06" in content and b"PK\x06\x07" in content  # the end records of large files
    assert content.count(b"\xff\xff\xff\xff") >= 4
    for one, two in zip(arrays(ksave.load_model(path)), arrays(small_model())):
        np.testing.assert_array_equal(one, two)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None


def test_text_is_stored(tmp_path):
    node = Base("n")
    node._own = [Variable(np.array(["é", "b"]), "v")]
    ksave.save_weights(node, tmp_path / "n.weights.h5")
    ksave.load_weights(node, tmp_path / "n.weights.h5")
    assert node._own[0].value.tolist() == ["é", "b"]


def test_objects_are_not_stored(tmp_path):
    node = Base("n")
    node._own = [Variable(np.array([{}], dtype=object), "v")]
    with pytest.raises(TypeError, match="not an array of numbers"):
        ksave.save_weights(node, tmp_path / "n.weights.h5")
    assert os.listdir(tmp_path) == []


def test_shards(tmp_path):
    model = small_model((30, 30, 30, 30))
    path = tmp_path / "m.weights.json"
    ksave.save_weights(model, path, max_shard_size=5e-6)  # 5000 bytes
    index = json.loads(path.read_text())
    assert index["weight_map"]["/layers/dense/vars"] == ["m_00000.weights.h5"]
    assert index["metadata"]["total_size"] == sum(array.nbytes for array in arrays(model))
    assert len([name for name in os.listdir(tmp_path) if name.endswith(".h5")]) == 3
    assert all(name.startswith("m") for name in os.listdir(tmp_path))
    other = small_model((30, 30, 30, 30))
    other.layers[3]._own[0].value = np.zeros((30, 30), "float32")
    ksave.load_weights(other, path)
    for one, two in zip(arrays(model), arrays(other)):
        np.testing.assert_array_equal(one, two)


def test_mismatch_is_a_table_with_nearest_names(tmp_path):
    path = tmp_path / "m.weights.h5"
    ksave.save_weights(small_model((3, 2)), path)
    with pytest.raises(ValueError) as error:
        ksave.load_weights(small_model((3, 9)), path)
    text = str(error.value)
    assert "layers/dense_1/0" in text and "(3, 9)" in text and "(3, 2)" in text
    assert "another shape" in text and "skip_mismatch=True" in text


def test_missing_and_left_over(tmp_path):
    path = tmp_path / "m.weights.h5"

    class Renamed(Dense):
        pass

    layer = Renamed(3)
    layer.build(4)
    ksave.save_weights(Chain([layer]), path)
    plain = Dense(3)
    plain.build(4)
    with pytest.raises(ValueError, match="(?s)missing in the file.*not in the model: layers/renamed"):
        ksave.load_weights(Chain([plain]), path)


def test_skip_mismatch_loads_the_rest(tmp_path):
    path = tmp_path / "m.weights.h5"
    saved = small_model((3, 2))
    ksave.save_weights(saved, path)
    model = small_model((3, 9))
    model.layers[0]._own[0].value = np.zeros((4, 3), "float32")
    kept = model.layers[1]._own[0].value.copy()
    with pytest.warns(UserWarning, match="another shape"):
        ksave.load_weights(model, path, skip_mismatch=True)
    np.testing.assert_array_equal(model.layers[0]._own[0].value, saved.layers[0]._own[0].value)
    np.testing.assert_array_equal(model.layers[1]._own[0].value, kept)


def test_objects_to_skip(tmp_path):
    path = tmp_path / "m.weights.h5"
    ksave.save_weights(small_model(), path)
    model = small_model()
    model.layers[0]._own[1].value = np.full(3, 5.0, "float32")
    ksave.load_weights(model, path, objects_to_skip=[model.layers[0]])
    assert model.layers[0]._own[1].value.tolist() == [5, 5, 5]


def test_left_over_weights_warn(tmp_path):
    path = tmp_path / "m.weights.h5"
    ksave.save_weights(small_model((3, 2, 2)), path)
    with pytest.warns(UserWarning, match="layers/dense_2"):
        ksave.load_weights(small_model((3, 2)), path)


def test_weights_of_a_whole_model_file(tmp_path):
    model = small_model()
    ksave.save_model(model, tmp_path / "m.keras")
    other = small_model()
    other.layers[0]._own[0].value = np.zeros((4, 3), "float32")
    ksave.load_weights(other, tmp_path / "m.keras")
    np.testing.assert_array_equal(other.layers[0]._own[0].value, model.layers[0]._own[0].value)


def test_wrong_use(tmp_path):
    model = small_model()
    with pytest.raises(ValueError, match=r"must end in '\.weights\.h5'"):
        ksave.save_weights(model, tmp_path / "m.bin")
    with pytest.raises(ValueError, match=r"must end in '\.weights\.json'"):
        ksave.save_weights(model, tmp_path / "m.weights.h5", max_shard_size=1)
    model.built = False
    with pytest.raises(ValueError, match="has not been built"):
        ksave.save_weights(model, tmp_path / "m.weights.h5")
    with pytest.raises(FileNotFoundError):
        ksave.load_weights(model, tmp_path / "m.weights.h5")
