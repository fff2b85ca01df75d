"""Compares what ksave writes and reads with Keras itself, model by model. Run on demand:

    python oracle_roundtrip.py ORACLE_PYTHON FILES...

ORACLE_PYTHON is an interpreter that has Keras 3.15 (and h5py); FILES are `.keras` files. For each one Keras
loads the model; ksave saves that same model object through its protocols; then the configs, the HDF5
structures, dtypes, attributes and values are compared, Keras loads the file of ksave, and ksave loads the
weights of Keras.
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


def compare(keras, path, folder):
    """Every way around for one file; a list of differences."""
    import h5py

    import ksave

    problems = []
    model = keras.saving.load_model(path, safe_mode="torch_module" not in path)
    theirs, ours = os.path.join(folder, "theirs.weights.h5"), os.path.join(folder, "ours.weights.h5")
    if getattr(model, "built", False) and hasattr(model, "save_weights"):
        model.save_weights(theirs)
        ksave.save_weights(model, ours)
        with h5py.File(theirs) as one, h5py.File(ours) as two:
            a, b = tree(one), tree(two)
        for name in sorted({*a, *b}):
            if a.get(name) != b.get(name):
                problems.append(f"weights {name}: {str(a.get(name))[:80]} / {str(b.get(name))[:80]}")
        ksave.load_weights(model, theirs)
        model.load_weights(ours)
    theirs, ours = os.path.join(folder, "theirs.keras"), os.path.join(folder, "ours.keras")
    keras.saving.save_model(model, theirs)
    ksave.save_model(model, ours)
    with zipfile.ZipFile(theirs) as one, zipfile.ZipFile(ours) as two:
        if sorted(one.namelist()) != sorted(two.namelist()):
            problems.append(f"members {one.namelist()} / {two.namelist()}")
        a, b = json.loads(one.read("config.json")), json.loads(two.read("config.json"))
    problems += [f"config {text}" for text in differences(a, b, "")][:5]
    keras.saving.load_model(ours, safe_mode="torch_module" not in path)
    return problems


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
            try:
                problems = compare(keras, path, folder)
            except Exception as error:
                problems = ["".join(traceback.format_exception_only(type(error), error)).strip()[:600]]
        failed += bool(problems)
        print(
            "FAIL" if problems else "ok  ",
            os.path.basename(path),
            *problems,
            sep="\n     " if problems else " ",
        )
    print(f"{len(files) - failed} of {len(files)} files agree")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        sys.exit(inside(sys.argv[2:]))
    sys.exit(subprocess.call([sys.argv[1], os.path.abspath(__file__), "--inside", *sys.argv[2:]]))
