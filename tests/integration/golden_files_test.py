"""Files of Keras 3.15.1 in every format: read, verified, written again in every format, and equal to what they were.

On other files: `python golden_files_test.py FOLDER...` (custom objects come from a `golden_custom.py` beside it).
"""

from __future__ import annotations

import json
import re
import sys
import warnings
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import kops
import ksave
import kspec
from kops.config import settings
from ksave.contents import open_contents
from ksave.rewrite import write

HERE = Path(__file__).resolve().parent


def is_whole(path):
    """Whether a file is one of a model or of weights, and not a shard of one."""
    if path.name.endswith(".weights.h5"):
        return path.with_name(path.name.replace(".weights.h5", ".json")).exists()
    return path.suffix in (".keras", ".h5") or path.name.endswith(".weights.json")


FILES = sorted(filter(is_whole, (path for name in ("golden", "formats") for path in (HERE / name).iterdir())))
# Numbers that tie records of one object together are counted anew by every writer; engines differ in what they compile.
SEEDS = re.compile(r"/(seed_)?generator/vars/")
VARIES = {"shared_object_id", "jit_compile"}
# What `.h5` files say nothing of.
LEFT_OUT = VARIES | {"build_config", "compile_config", "module", "registered_name"}
# Names of one class.
SAME = {"__tensor__": "__numpy__", "GroupedQueryAttention": "GroupQueryAttention"}
# Where Keras wrote what is not so, or nothing where there is something.
KNOWN = {
    "attention_multi_head": "the shape of the scores",
    "dense_activations": "the shape of glu",
    "rnn_bidirectional": "the shape of two directions of different sizes",
    "ops_nn_image": "the name of extract_patches, which Keras leaves out",
    "opt_multi": "the moments of the optimizers",
}
EMPTY = ({}, {"input_shape": None})


def differences(one, other, where="", left_out=VARIES):
    """Paths at which two configs differ. The second may know more of shapes than the first."""
    if isinstance(one, dict) and isinstance(other, dict):
        first, second = _said(one, left_out), _said(other, left_out)
        if "build_config" not in first:
            second.pop("build_config", None)  # of a layer without variables, which needs none
        if first.keys() != second.keys():
            return [f"{where}: keys {sorted(first.keys() ^ second.keys())}"]
        pairs = [(key, first[key], second[key]) for key in first]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(index, a, b) for index, (a, b) in enumerate(zip(one, other))]
    else:
        if where.endswith("/class_name"):
            one, other = SAME.get(one, one), SAME.get(other, other)
        # Keras may leave the layout of an op to whoever reads.
        same = one is None and where.endswith("/data_format")
        same = same or one == other or one != one and other != other or one is None and "shape/" in where
        return [] if same else [f"{where}: {str(one)[:60]} / {str(other)[:60]}"]
    return [text for key, a, b in pairs for text in differences(a, b, f"{where}/{key}", left_out)]


def _said(config, left_out):
    """The entries that say something."""
    if "registered_name" in left_out and config.get("registered_name"):
        config = {**config, "class_name": config["registered_name"]}
    return {
        key: value
        for key, value in config.items()
        if key not in left_out and not (key in ("build_config", "compile_config") and value in EMPTY)
    }


def config_of(path):
    """The record of the model in a file, without what other ways of writing leave out."""
    if path.suffix == ".h5":
        with h5py.File(path) as file:
            return json.loads(file.attrs["model_config"])
    if path.is_dir():
        return json.loads((path / "config.json").read_text())
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("config.json"))


def arrays_of(file):
    """Every array of an open HDF5 file by its path: dtype, shape, bytes and attributes."""
    if "layer_names" in file.attrs or "model_weights" in file:
        return _legacy_arrays(file)
    found = {}

    def visit(name, item):
        # Keras does not keep the state of seed generators; its files have none to compare with.
        if hasattr(item, "shape") and not SEEDS.search(name):
            value = np.asarray(item[()])
            if value.dtype.kind == "i" and not value.shape:
                value = value.astype("int64")  # a count, as wide as its writer's engine counts
            attributes = {key: str(value) for key, value in item.attrs.items()}
            found[name] = (str(value.dtype), value.shape, value.tobytes(), attributes)

    file.visititems(visit)
    return found


def _legacy_arrays(file):
    """The arrays of layers and optimizer by number: what their names are is up to the writer."""
    found = {}

    def visit(name, group):
        for number, weight in enumerate(group.attrs.get("weight_names", ())):
            value = group[weight][()]
            found[f"{name}/{number}"] = (str(value.dtype), value.shape, value.tobytes())

    file.visititems(visit)
    return found


def weights_of(path):
    """`arrays_of` the weights inside a file of any kind."""
    if path.is_dir():
        path = path / "model.weights.h5"
    elif path.suffix == ".keras":
        with zipfile.ZipFile(path) as file, file.open("model.weights.h5") as inner, h5py.File(inner) as weights:
            return arrays_of(weights)
    elif path.suffix == ".json":
        index = json.loads(path.read_text())
        names = {name for names in index["weight_map"].values() for name in names}
        found = {}
        for name in sorted(names):
            with h5py.File(path.parent / name) as file:
                found.update(arrays_of(file))
        return found
    with h5py.File(path) as file:
        return arrays_of(file)


def assets_of(path):
    """The other files of a model, by name."""
    if path.is_dir():
        files = [file for file in (path / "assets").rglob("*") if file.is_file()]
        return {file.relative_to(path).as_posix(): file.read_bytes() for file in files}
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist() if name.startswith("assets/")}


def values(variables):
    return [np.asarray(kops.convert_to_numpy(variable)) for variable in variables]


def same_state(one, other):
    """Whether two models have the same variables, those of optimizers included."""
    first, second = values(one.weights), values(other.weights)
    for model, found in ((one, first), (other, second)):
        optimizer = getattr(model, "optimizer", None)
        found += values(optimizer.variables) if optimizer is not None else []
    assert len(first) == len(second)
    for a, b in zip(first, second):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def zeroed(model):
    for variable in model.weights:
        variable.assign(np.zeros(variable.shape, str(variable.dtype)))
    return model


def check(path, folder):
    """All ways around for one file; a list of what differs."""
    problems = ksave_verify(path) + _rewritten(path, folder)
    if path.name.endswith((".weights.h5", ".weights.json")):
        text = path.with_name(path.name.split(".")[0] + ".json").read_text()
        model = ksave.deserialize_keras_object(json.loads(text))
        ksave.load_weights(model, path)
        sharded = path.suffix == ".json"
        copy = folder / path.name
        ksave.save_weights(model, copy, **({"max_shard_size": 32 / 1024**2} if sharded else {}))
        return problems + _differing(weights_of(path), weights_of(copy))
    model = ksave.load_model(path)
    whole = {name: folder / name for name in ("copy.keras", "copy", "copy.h5")}
    ksave.save_model(model, whole["copy.keras"])
    ksave.save_model(model, whole["copy"], zipped=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that .h5 files have no assets
        ksave.save_model(model, whole["copy.h5"])
    if path.suffix == ".keras":
        for copy in (whole["copy.keras"], whole["copy"]):
            problems += differences(config_of(path), config_of(copy), copy.name)
            problems += _differing(weights_of(path), weights_of(copy))
            if assets_of(path) != assets_of(copy):
                problems.append(f"{copy.name}: assets")
    else:
        problems += differences(config_of(path), config_of(whole["copy.h5"]), "copy.h5")
        problems += _differing(weights_of(path), weights_of(whole["copy.h5"]))
    problems += differences(config_of(whole["copy.keras"]), config_of(whole["copy.h5"]), "h5", LEFT_OUT)
    if not assets_of(whole["copy.keras"]):
        same_state(model, ksave.load_model(whole["copy.h5"]))
    return problems + (_weights_problems(model, whole["copy.keras"], folder) if model.built else [])


def _rewritten(path, folder):
    """What is lost when a file is written again array by array, without its classes."""
    copy = folder / f"bare{'.weights.h5' if path.suffix == '.json' else ''.join(path.suffixes[-2:])}"
    with open_contents(path) as contents:
        has_config = contents.config is not None
        write(contents, str(copy))
    problems = _differing(weights_of(path), weights_of(copy), copy.name)
    if has_config:
        unsaid = {"activity_regularizer"} if path.suffix == ".h5" else set()  # which is None
        problems += differences(config_of(path), config_of(copy), copy.name, VARIES | unsaid)
    if path.suffix == ".keras" and assets_of(path) != assets_of(copy):
        problems.append(f"{copy.name}: assets")
    return problems


def _weights_problems(model, copy, folder):
    """Weights alone, in every format, into a model whose own are zeros."""
    problems = []
    for name in ("w.weights.h5", "w.h5", "w.weights.npz", "w.weights.json"):
        ksave.save_weights(model, folder / name, **({"max_shard_size": 1e-5} if name.endswith("json") else {}))
        other = zeroed(ksave.load_model(copy))
        ksave.load_weights(other, folder / name)
        ksave.save_weights(other, folder / "again.weights.h5")
        problems += _differing(weights_of(folder / "w.weights.h5"), weights_of(folder / "again.weights.h5"), name)
    return problems


def ksave_verify(path):
    from ksave.inspection import verify

    return [f"verify: {problem}" for problem in verify(str(path)) if "neither public nor registered" not in problem]


def _differing(one, other, where=""):
    return [
        f"{where} {name}: {str(one.get(name))[:80]} / {str(other.get(name))[:80]}"
        for name in sorted({*one, *other})
        if one.get(name) != other.get(name)
    ]


@pytest.mark.skipif(settings.backend != "numpy", reason="files do not depend on the engine")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_written_as_they_were_read(path, tmp_path):
    assert check(path, tmp_path) == []


def main(folders):
    import tempfile
    import traceback

    warnings.simplefilter("ignore")
    bad = count = 0
    for folder in map(Path, folders):
        sys.path.append(str(folder.resolve().parent))
        if (folder.resolve().parent / "golden_custom.py").exists():
            __import__("golden_custom")
        index = folder.parent / "index.json"
        policies = json.loads(index.read_text())["files"] if index.exists() else {}
        for path in sorted(folder.iterdir()):
            shard = path.name.endswith(".weights.h5") and not path.with_name(path.name[:-11] + ".json").exists()
            if path.suffix not in (".keras", ".h5") and not path.name.endswith(".weights.json") or shard:
                continue
            count += 1
            policy = policies.get(path.name.split(".")[0], {}).get("dtype_policy", "float32")
            kspec.resolve("keras.config.set_dtype_policy")(policy)
            with tempfile.TemporaryDirectory() as work:
                try:
                    problems = check(path, Path(work))
                except ksave.UnknownObjectError as error:
                    problems = _rewritten(path, Path(work))
                    path = path.with_name(f"{path.name}, without its classes: {str(error)[:60]}")
                except Exception as error:
                    problems = ["".join(traceback.format_exception_only(type(error), error)).strip()[:400]]
            if problems and path.stem in KNOWN:
                path, problems = path.with_name(f"{path.name}, but for {KNOWN[path.stem]}"), []
            bad += bool(problems)
            print("FAIL" if problems else "ok  ", path.name, *problems[:4], sep="\n     " if problems else " ")
    print(f"{count - bad} of {count} files are equal")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
