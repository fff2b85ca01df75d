"""Runs in the environment of Keras 3.15.1: `oracle_side.py calls.pickle outcomes.pickle`, for `compare_oracle.py`.

Outcomes are written one after another, each `(sample name, outcome)`, and with None before the call is made: an engine
that aborts the process leaves the name of the call it died of. Calls are `(sample name, op, args, static)` in which
an array stands as `("array", dtype, ndarray, form)`; or `(sample name, op, text, None)` with a Python expression
(`oracle_expressions.py`).
"""

from __future__ import annotations

import pickle
import signal
import sys
import warnings
from typing import Any

import numpy as np

warnings.simplefilter("ignore")


def main(calls_path: str, outcomes_path: str) -> None:
    import keras

    signal.signal(signal.SIGPROF, _too_long)
    names = {}
    for holder in (keras.ops, keras.ops.numpy, keras.ops.nn, keras.ops.linalg, keras.ops.image):
        for name in dir(holder):
            names.setdefault(name, getattr(holder, name))
    names["get_item"] = lambda x, key: x[key]
    with open(calls_path, "rb") as file:
        calls = pickle.load(file)
    with open(outcomes_path, "wb") as file:
        for name, op, args, static in calls:
            if op in names or static is None:
                pickle.dump((name, None), file)
                file.flush()
                if static is None:
                    found = attempt(lambda text=args: expressed(keras, text))
                else:
                    found = outcome(keras, names[op], args, static)
                pickle.dump((name, found), file)


def expressed(keras: Any, text: str) -> list[Any]:
    if text.startswith("random."):
        return drawn(text, keras.ops, keras.random)
    return portable(keras, evaluate(text, keras.ops, keras.random))


def outcome(keras: Any, function: Any, args: Any, static: Any) -> Any:
    try:
        made, keywords = fill(keras, args), fill(keras, static)
    except Exception:  # a dtype that the backend cannot hold: no comparison
        return "skipped"
    return attempt(lambda: portable(keras, function(*made, **keywords)))


def attempt(function: Any) -> Any:
    signal.setitimer(signal.ITIMER_PROF, 4)  # seconds of this process: rejection methods may never end
    try:
        return "value", function()
    except Exception as error:  # whatever it is: that is what is asked
        return "error", type(error).__name__, str(error)[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_long(*_: Any) -> None:
    raise TimeoutError("it does not end")


def evaluate(text: str, ops: Any, random: Any) -> Any:
    """The value of an expression."""

    def numbers(*shape: int) -> Any:
        return ops.convert_to_tensor(np.resize(np.sin(np.arange(1.0, 30.0)), shape), "float32")

    def first(x: Any) -> Any:
        return x["a"] if isinstance(x, dict) else x[0] if isinstance(x, (list, tuple)) else x

    names = {"ops": ops, "random": random, "np": np, "T": ops.convert_to_tensor, "N": numbers, "first": first}
    return eval(text, names)


_BOUNDED = ("uniform", "randint", "truncated_normal", "categorical", "dropout")


def drawn(text: str, ops: Any, random: Any) -> list[Any]:
    """A portable outcome of random numbers: what is the same for all seeds, and whether the numbers come again.

    In the place of numbers stand mean, deviation and quantiles, where there are many; of shuffled ones, all, in order.
    """
    values = [evaluate(text, ops, random) for _ in range(2)]
    x, again = (np.asarray(ops.convert_to_numpy(ops.cast(v, "float32"))) for v in values)
    repeats = "seed=None" in text or bool(np.array_equal(x, again, equal_nan=True))
    name = text.partition("(")[0].rpartition(".")[2]
    if name == "shuffle":
        facts = np.concatenate([[0.0, 1.0], np.sort(x.ravel())])
    elif x.size < 1000:
        facts = np.zeros(0)
    else:
        ends = (0.0, 1.0) if name in _BOUNDED else ()
        whole = np.array_equal(x, np.rint(x))  # whose quantiles jump
        places = ends if whole else (0.1, 0.5, 0.9, *ends)
        facts = np.array([x.mean(dtype=np.float64), x.std(dtype=np.float64), *np.quantile(x, places)])
    dtype = str(values[0].dtype).rpartition(".")[2].strip("'<>\" ")
    return [(tuple(x.shape), dtype, facts), ((), "bool", repeats)]


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
        if isinstance(x, keras.KerasTensor):
            found.append((tuple(x.shape), x.dtype, "symbolic"))
            continue
        if isinstance(x, np.ndarray) and keras.backend.backend() != "numpy":
            found.append((x.shape, "numpy " + x.dtype.name, x))
            continue
        dtype = keras.backend.standardize_dtype(x.dtype)
        array = np.asarray(keras.ops.convert_to_numpy(x))
        wide = array if array.dtype.kind in "biufcUS" else array.astype(np.float32)
        found.append((tuple(array.shape), dtype, wide))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
