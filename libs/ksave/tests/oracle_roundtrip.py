"""Compares what ksave writes and reads with Keras itself, model by model. Run on demand:

    python oracle_roundtrip.py ORACLE_PYTHON FILES...

ORACLE_PYTHON is an interpreter that has Keras 3.15 (and h5py); FILES are `.keras` and `.h5` files, or `.weights.h5`
and `.weights.json` files beside the `.json` of their models. For each one Keras loads the model; ksave saves that
same model object through its protocols, as zip file and folder, as weights in one file and in shards, and in the
legacy layout; then the configs, the HDF5 structures, dtypes, attributes and values are compared, Keras loads the
files of ksave, and ksave loads those of Keras. What Keras cannot load of what it wrote itself is noted, not counted.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import traceback
import zipfile

LIBS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def adapt(keras):
    """Let ksave see Keras's own classes as it would see ours: public names, codecs and the walk."""
    import inspect

    import numpy as np

    import ksave
    import kspec
    from ksave import codecs, serialize

    table: dict[str, object] = {}
    canonical: dict[object, str] = {}

    def scan(module, prefix, depth):
        for name in dir(module):
            if name.startswith("_") or name in ("src", "backend", "legacy"):
                continue
            value = getattr(module, name)
            if inspect.ismodule(value):
                if depth < 3 and value.__name__.startswith("keras"):
                    scan(value, f"{prefix}.{name}", depth + 1)
            else:
                table[f"{prefix}.{name}"] = value

    scan(keras, "keras", 0)
    # The name that files carry is the one with a namespace, except for these.
    top = {"keras.Sequential", "keras.DTypePolicy", "keras.Model", "keras.InputSpec"}
    for name, value in table.items():
        if isinstance(value, type) and callable(getattr(value, "get_config", None)):
            short = canonical.get(value)
            if name in top or short is None or (short not in top and short.count(".") == 1):
                canonical[value] = name
    kspec.known_names = lambda: dict.fromkeys(table, "")
    kspec.resolve = lambda name: table[name]
    serialize.public_name = lambda obj: canonical.get(obj) if isinstance(obj, type) else None
    kspec.known_plugins = lambda kind: []

    from keras.src.models.functional import Functional

    codecs.register_internal_class("keras.src.models.functional", "Functional", Functional)
    ksave.register_codec(
        "__tensor__",
        lambda obj: keras.ops.is_tensor(obj) and not isinstance(obj, keras.KerasTensor),
        lambda obj: {"value": np.asarray(obj).tolist(), "dtype": keras.backend.standardize_dtype(obj.dtype)},
    )
    ksave.register_codec(None, keras.KerasTensor, keras.saving.serialize_keras_object)

    machinery = set(dir(keras.Layer())) | set(dir(keras.Model())) - {"layers", "optimizer"}
    models = set(dir(keras.Sequential())) | set(dir(Functional(*[keras.Input((1,))] * 2)))

    def children(self):
        skip = machinery
        first = isinstance(self, (keras.Sequential, Functional))
        if first:
            yield "layers", self.layers
            skip = (machinery | models) - {"layers", "optimizer"}
        yield from ksave.attribute_children(self, skip=skip)

    keras.Layer._saveable_children = children
    own = set(dir(keras.optimizers.SGD())) - {"inner_optimizer", "optimizers"}
    keras.optimizers.Optimizer._saveable_children = lambda self: ksave.attribute_children(self, skip=own)


def tree(file):
    """All paths of an HDF5 file with what is there."""
    found = {}

    def visit(name, item):
        attributes = {key: str(value) for key, value in item.attrs.items()}
        shape = (item.shape, str(item.dtype), item[()].tobytes()) if hasattr(item, "shape") else None
        found[name] = (attributes, shape)

    file.visititems(visit)
    return found


def load(keras, path):
    """The model of a file, with its weights."""
    head, _, ending = path.partition(".weights.")
    if not ending:
        return keras.saving.load_model(path, safe_mode="torch_module" not in path)
    with open(f"{head}.json") as file:
        model = keras.models.model_from_json(file.read())
    model.load_weights(path)
    return model


def compare(keras, path, folder):
    """Every way around for one file: a list of differences, and what Keras itself cannot do."""
    model = load(keras, path)
    problems, notes = whole(keras, model, path, folder), []
    if getattr(model, "built", False) and hasattr(model, "save_weights"):
        problems += weights(model, folder) + shards(model, folder)
    if hasattr(model, "layers"):
        more, notes = legacy(keras, model, folder)
        problems += more
    return problems, notes


def tree_differences(one, two, what):
    """Paths at which two HDF5 files differ."""
    import h5py

    with h5py.File(one) as first, h5py.File(two) as second:
        a, b = tree(first), tree(second)
    return [
        f"{what} {name}: {str(a.get(name))[:80]} / {str(b.get(name))[:80]}"
        for name in sorted({*a, *b})
        if a.get(name) != b.get(name)
    ]


def weights(model, folder):
    """`.weights.h5` and, for ksave alone, `.weights.npz`."""
    import ksave

    theirs, ours = os.path.join(folder, "theirs.weights.h5"), os.path.join(folder, "ours.weights.h5")
    model.save_weights(theirs)
    ksave.save_weights(model, ours)
    problems = tree_differences(theirs, ours, "weights")
    ksave.load_weights(model, theirs)
    model.load_weights(ours)
    npz = os.path.join(folder, "ours.weights.npz")
    ksave.save_weights(model, npz)
    ksave.load_weights(model, npz)
    again = os.path.join(folder, "again.weights.h5")
    model.save_weights(again)
    return problems + tree_differences(theirs, again, "npz")


def shards(model, folder):
    """Shards with an index, of a size that makes several."""
    import numpy as np

    import ksave

    sizes = [
        np.asarray(v).nbytes for v in [*model.variables, *getattr(getattr(model, "optimizer", None), "variables", [])]
    ]
    if not sizes:
        return []
    limit = max(max(sizes), sum(sizes) / 3) * 1.01 / 1024**3
    places = {who: os.path.join(folder, who, "w.weights.json") for who in ("theirs", "ours")}
    for place in places.values():
        os.mkdir(os.path.dirname(place))
    model.save_weights(places["theirs"], max_shard_size=limit)
    ksave.save_weights(model, places["ours"], max_shard_size=limit)
    index = {}
    for who, place in places.items():
        with open(place) as file:
            index[who] = json.load(file)
            index[who]["metadata"].pop("set", None)  # ours, by which readers tell whole sets
            names = index[who]["weight_map"]  # of which Keras writes one alone without a list
            names.update({key: [value] if isinstance(value, str) else value for key, value in names.items()})
    problems = [f"index{text}" for text in differences(index["theirs"], index["ours"], "")]
    names = {name for names in index["theirs"]["weight_map"].values() for name in names}
    for name in names if not problems else ():
        pair = [os.path.join(folder, who, name) for who in places]
        problems += tree_differences(*pair, name)
    ksave.load_weights(model, places["theirs"])
    model.load_weights(places["ours"])
    return problems


def whole(keras, model, path, folder):
    """`.keras` files and folders."""
    import ksave

    problems = []
    names, configs = {}, {}
    for who, save in (("theirs", keras.saving.save_model), ("ours", ksave.save_model)):
        file, place = os.path.join(folder, f"{who}.keras"), os.path.join(folder, f"{who}_folder")
        save(model, file)
        save(model, place, zipped=False)
        with zipfile.ZipFile(file) as archive:
            names[who] = sorted(archive.namelist())
            configs[who] = json.loads(archive.read("config.json"))
        found = [os.path.relpath(os.path.join(at, n), place) for at, _, inner in os.walk(place) for n in inner]
        if sorted(found) != names[who]:
            problems.append(f"folder of {who}: {sorted(found)} / {names[who]}")
    if names["theirs"] != names["ours"]:
        problems.append(f"members {names['theirs']} / {names['ours']}")
    problems += [f"config {text}" for text in differences(configs["theirs"], configs["ours"], "")][:5]
    for name in ("ours.keras", "ours_folder"):
        keras.saving.load_model(os.path.join(folder, name), safe_mode="torch_module" not in path)
    return problems


def legacy(keras, model, folder):
    """Whole models in the layout of Keras 1 and 2."""
    import h5py

    import ksave

    theirs, ours = os.path.join(folder, "theirs.h5"), os.path.join(folder, "ours.h5")
    ksave.save_model(model, ours)  # first: Keras forgets the optimizer of the model that it saves so
    try:
        keras.saving.save_model(model, theirs)
        keras.saving.load_model(theirs, safe_mode=False)
    except Exception as error:
        notes = [f"Keras and its own .h5 file: {str(error)[:100]}"]
        try:
            keras.saving.load_model(ours, safe_mode=False)
            notes.append("(it loads the one of ksave)")
        except Exception as again:
            notes.append(f"(and the one of ksave: {str(again)[:100]})")
        return [], notes
    ksave.load_weights(model, theirs)
    keras.saving.load_model(ours, safe_mode=False)
    problems = []
    with h5py.File(theirs) as one, h5py.File(ours) as two:
        if sorted(one.attrs) != sorted(two.attrs):
            problems.append(f"h5 attributes {sorted(one.attrs)} / {sorted(two.attrs)}")
        for key in ("model_config", "training_config"):
            if key in one.attrs and key in two.attrs:
                found = differences(json.loads(one.attrs[key]), json.loads(two.attrs[key]), "")
                problems += [f"{key} {text}" for text in found][:5]
        a, b = tree(one), tree(two)
        for name in sorted({*a, *b}):
            other = {"keras_version": "", "backend": ""}
            attributes = [{**found.get(name, ({}, 0))[0], **other} for found in (a, b)]
            if attributes[0] != attributes[1] or a.get(name, (0, 0))[1] != b.get(name, (0, 0))[1]:
                problems.append(f"h5 {name}: {str(a.get(name))[:80]} / {str(b.get(name))[:80]}")
    return problems, []


def differences(a, b, where):
    """Paths at which two configs differ.

    Numbers of shared objects are left out: what Keras's own layers serialize inside their `get_config` is not
    seen by the other library's count.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        odd = set(a) ^ set(b) - {"shared_object_id"}
        if odd - {"shared_object_id"}:
            return [f"{where}: keys {sorted(odd)}"]
        pairs = [(key, a[key], b[key]) for key in a if key in b and key != "shared_object_id"]
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = [(index, one, two) for index, (one, two) in enumerate(zip(a, b))]
    else:
        return [] if a == b or a != a and b != b else [f"{where}: {str(a)[:60]} / {str(b)[:60]}"]
    return [text for key, one, two in pairs for text in differences(one, two, f"{where}/{key}")]


def inside(files):
    """What runs in the interpreter that has Keras."""
    sys.path[1:1] = [os.path.join(LIBS, "kspec"), os.path.join(LIBS, "ksave")]
    for file in files:
        sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(file))))
    import keras

    adapt(keras)
    with contextlib.suppress(ImportError):
        import golden_custom  # noqa: F401  custom objects that some files name
    from ksave import registry

    for name, value in keras.saving.get_custom_objects().items():
        registry._objects[name] = value
        registry._names[value] = name
    failed = 0
    for path in files:
        keras.utils.clear_session()
        with tempfile.TemporaryDirectory() as folder:
            notes = []
            try:
                problems, notes = compare(keras, path, folder)
            except Exception as error:
                problems = ["".join(traceback.format_exception_only(type(error), error)).strip()[:600]]
                if os.environ.get("TRACE"):
                    traceback.print_exc()
        failed += bool(problems)
        print(
            "FAIL" if problems else "ok  ",
            os.path.basename(path),
            *problems,
            *notes,
            sep="\n     " if problems or notes else " ",
        )
    print(f"{len(files) - failed} of {len(files)} files agree")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        sys.exit(inside(sys.argv[2:]))
    sys.exit(subprocess.call([sys.argv[1], os.path.abspath(__file__), "--inside", *sys.argv[2:]]))
