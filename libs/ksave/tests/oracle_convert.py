"""Converts files and lets Keras itself load them and compare. Run on demand:

    python oracle_convert.py ORACLE_PYTHON FILES...

ORACLE_PYTHON is an interpreter that has Keras 3.15; FILES are `.keras` and `.h5` files. Each is converted to `.h5` (or
to `.keras`), with its layers renamed first where it is a `.keras` file, and must load to a model with the weights
of the first one. What the formats cannot hold is listed with the words that the converter has for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

LIBS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def convert(path, folder):
    """The converted file, or the words why there is none."""
    from ksave import renaming, topology
    from ksave.contents import open_contents
    from ksave.rewrite import write

    name = os.path.basename(path)
    target = os.path.join(folder, name + (".keras" if name.endswith(".h5") else ".h5"))
    try:
        with open_contents(path) as contents:
            if name.endswith(".keras"):
                layers = topology.read(contents.config).children
                for index, layer in enumerate(layers):
                    if layer.class_name != "InputLayer":
                        renaming.rename_layer(contents, layer.name, f"renamed_{index}")
            write(contents, target)
    except ValueError as error:
        return None, str(error)
    return target, ""


def compare(path, target):
    """What differs between the models of two files, in words."""
    import numpy as np

    import keras

    one, two = (keras.saving.load_model(name, compile=False) for name in (path, target))
    a, b = [np.asarray(weight) for weight in one.weights], [np.asarray(weight) for weight in two.weights]
    if [value.shape for value in a] != [value.shape for value in b]:
        return f"shapes {[value.shape for value in a]} became {[value.shape for value in b]}"
    differ = [w.path for w, x, y in zip(one.weights, a, b) if not (x == y).all()]
    return f"values of {', '.join(differ)}" if differ else ""


def inside(pairs):
    """What runs in the interpreter that has Keras."""
    failed = 0
    for path, target in zip(pairs[::2], pairs[1::2]):
        try:
            problem = compare(path, target)
        except Exception as error:
            problem = f"{type(error).__name__}: {str(error)[:300]}"
        failed += bool(problem)
        print("FAIL" if problem else "ok  ", os.path.basename(path), problem, flush=True)
    print(f"{len(pairs) // 2 - failed} of {len(pairs) // 2} files agree")
    return 1 if failed else 0


def main(oracle, files):
    sys.path[1:1] = [os.path.join(LIBS, "kspec"), os.path.join(LIBS, "ksave")]
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        for path in files:
            target, words = convert(path, folder)
            if target is None:
                print("none", os.path.basename(path), words)
            else:
                pairs += [path, target]
        return subprocess.call([oracle, os.path.abspath(__file__), "--inside", *pairs])


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        sys.exit(inside(sys.argv[2:]))
    sys.exit(main(sys.argv[1], sys.argv[2:]))
