"""Runs in the environment of Keras 3.15.1: `oracle_side.py calls.pickle outcomes.pickle`, for `compare_oracle.py`.

Outcomes are written one after another, each `(sample name, outcome)`, and with None before the call is made: an engine
that aborts the process leaves the name of the call it died of. Calls are `(sample name, op, args, static)` in which
an array stands as `("array", dtype, ndarray, form)`.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from typing import Any

import numpy as np

warnings.simplefilter("ignore")


def main(calls_path: str, outcomes_path: str) -> None:
    import keras

    names = {}
    for holder in (keras.ops, keras.ops.numpy, keras.ops.nn, keras.ops.linalg, keras.ops.image):
        for name in dir(holder):
            names.setdefault(name, getattr(holder, name))
    names["get_item"] = lambda x, key: x[key]
    with open(calls_path, "rb") as file:
        calls = pickle.load(file)
    with open(outcomes_path, "wb") as file:
        for name, op, args, static in calls:
            if op in names:
                pickle.dump((name, None), file)
                file.flush()
                pickle.dump((name, outcome(keras, names[op], args, static)), file)


def outcome(keras: Any, function: Any, args: Any, static: Any) -> Any:
    try:
        made, keywords = fill(keras, args), fill(keras, static)
    except Exception:  # a dtype that the backend cannot hold: no comparison
        return "skipped"
    try:
        return "value", portable(keras, function(*made, **keywords))
    except Exception as error:  # whatever it is: that is what is asked
        return "error", type(error).__name__, str(error)[:300]


def fill(keras: Any, value: Any) -> Any:
    if isinstance(value, tuple) and len(value) == 4 and value[0] == "array":
        _, dtype, array, form = value
        tensor = keras.ops.convert_to_tensor(array, dtype=dtype)
        if form == "list":  # the numbers as the dtype holds them
            held = np.asarray(keras.ops.convert_to_numpy(tensor))
            return (held if held.dtype.kind in "biufc" else held.astype(np.float32)).tolist()
        if form == "numpy":
            return keras.ops.convert_to_numpy(tensor)
        return keras.Variable(tensor, dtype=dtype, trainable=False) if form == "variable" else tensor
    if isinstance(value, (list, tuple)):
        return type(value)(fill(keras, v) for v in value)
    return {k: fill(keras, v) for k, v in value.items()} if isinstance(value, dict) else value


def portable(keras: Any, result: Any) -> list[Any]:
    found = []
    for x in keras.tree.flatten(result):
        if x is None or isinstance(x, (bool, int, float, str)):
            found.append(((), type(x).__name__, x))
            continue
        dtype = keras.backend.standardize_dtype(x.dtype)
        array = np.asarray(keras.ops.convert_to_numpy(x))
        wide = array if array.dtype.kind in "biufcUS" else array.astype(np.float32)
        found.append((tuple(array.shape), dtype, wide))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
