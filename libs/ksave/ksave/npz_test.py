from __future__ import annotations

import io
import zipfile

import ml_dtypes
import numpy as np
import pytest

import ksave
from ksave.npz import NpzReader
from ksave.tests.fake_layers import Base, Variable, arrays, small_model
from ksave.weights import WEIGHTS, WEIGHTS_INDEX, WEIGHTS_NPZ


def emptied(model):
    for _, node in ksave.walk(model):
        for variable in node._own:
            variable.value = np.zeros_like(variable.value)
    return model


def same(one, other):
    for first, second in zip(arrays(one), arrays(other)):
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)


def test_names_and_values(tmp_path):
    path = tmp_path / "m.weights.npz"
    ksave.save_weights(small_model(), path)
    with np.load(path) as file:  # plain NumPy reads it
        assert set(file.files) == {
            "layers/dense/vars/0",
            "layers/dense/vars/1",
            "layers/dense_1/vars/0",
            "layers/dense_1/vars/1",
            "optimizer/vars/0",
        }
        np.testing.assert_array_equal(file["layers/dense/vars/0"], small_model().layers[0]._own[0].value)
    model = emptied(small_model())
    ksave.load_weights(model, path)
    same(model, small_model())
    with pytest.raises(ValueError, match=r"another shape"):
        ksave.load_weights(small_model((3, 9)), path)
    with NpzReader(str(path)) as reader:
        assert reader.nbytes() == 4 * (12 + 3 + 6 + 2) + 8
        assert reader.store("optimizer").describe("0") == ((), "int64", 8)
        assert "layers" in reader and "layers/dense_2" not in reader


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4", "float16", "complex64", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 2), (3,)])
def test_dtypes(tmp_path, dtype, shape):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    node = Base("n")
    node._own = [Variable(np.ones(shape, kind), "v")]
    path = tmp_path / "n.weights.npz"
    ksave.save_weights(node, path)
    other = Base("n")
    other._own = [Variable(np.zeros(shape, kind), "v")]
    ksave.load_weights(other, path)
    assert other._own[0].dtype == kind and other._own[0].shape == shape
    np.testing.assert_array_equal(other._own[0].value.astype("complex64"), np.ones(shape, "complex64"))


def test_nothing_in_it(tmp_path):
    ksave.save_weights(Base("n"), tmp_path / "n.weights.npz")
    ksave.load_weights(Base("n"), tmp_path / "n.weights.npz")


def test_pickles_are_refused(tmp_path):
    path = tmp_path / "m.weights.npz"
    np.savez(path, **{"layers/dense": np.array({"0": np.ones(2)}, object)})  # as Keras's own format has it
    with pytest.raises(ksave.UnsafeFileError, match="Python objects"):
        ksave.load_weights(small_model(), path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.npy", b"\x93NUMPY\x01\x00garbage")
    with pytest.raises(ksave.CorruptFileError, match=r"no \.npy array"):
        ksave.load_weights(small_model(), path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("readme.txt", b"hello")
    with pytest.raises(ksave.CorruptFileError, match=r"no \.npz file"):
        ksave.load_weights(small_model(), path)


def _with_weights(path, members):
    """The `.keras` file at `path` with other files in the place of its weights."""
    with zipfile.ZipFile(path) as file:
        kept = {name: file.read(name) for name in file.namelist() if name != WEIGHTS}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in {**kept, **members}.items():
            file.writestr(name, content)


def test_weights_of_archives_as_npz_and_in_shards(tmp_path):
    model, path = small_model(), tmp_path / "m.keras"
    ksave.save_model(model, path)
    ksave.save_weights(model, tmp_path / "w.weights.npz")
    _with_weights(path, {WEIGHTS_NPZ: (tmp_path / "w.weights.npz").read_bytes()})
    same(ksave.load_model(path), model)
    ksave.save_weights(model, tmp_path / WEIGHTS_INDEX, max_shard_size=48 / 1024**3)
    shards = {file.name: file.read_bytes() for file in tmp_path.glob("model_*.weights.h5")}
    assert len(shards) > 1
    ksave.save_model(model, path)
    _with_weights(path, {WEIGHTS_INDEX: (tmp_path / WEIGHTS_INDEX).read_bytes(), **shards})
    same(ksave.load_model(path), model)
    other = emptied(small_model())
    ksave.load_weights(other, path)
    same(other, model)
    del shards[min(shards)]
    ksave.save_model(model, path)
    _with_weights(path, {WEIGHTS_INDEX: (tmp_path / WEIGHTS_INDEX).read_bytes(), **shards})
    with pytest.raises(ksave.CorruptFileError, match=r"has no 'model_00000\.weights\.h5'"):
        ksave.load_model(path)


def test_a_pickled_npz_in_an_archive(tmp_path):
    path, content = tmp_path / "m.keras", io.BytesIO()
    np.savez(content, **{"layers/dense": np.array({}, object)})
    ksave.save_model(small_model(), path)
    _with_weights(path, {WEIGHTS_NPZ: content.getvalue()})
    with pytest.raises(ksave.UnsafeFileError, match="Python objects"):
        ksave.load_model(path)
