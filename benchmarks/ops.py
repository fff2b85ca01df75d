"""Rows over all ops at once: the time of one eager call of each, on the small arguments of the conformance suite.

`OPS_SAMPLES` names the file of `ops_samples.py`. A round answers `{op: seconds}`; the report takes the best of the
rounds, so that what is compared is the cost of the call and not what else the machine does.
"""

import os
import pickle
import time

import numpy as np
import ops_native
import rows

NAMES = ("ops", "ops_variable", "ops_large")
PIECE = 1e-3  # seconds; how long one op is timed in one round


def _samples():
    with open(os.environ["OPS_SAMPLES"], "rb") as file:
        return pickle.load(file)


def _filled(value, change):
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_filled(v, change) for v in value)
    return value


def _tensor(side, engine, x):
    if side == "oracle" and engine == "openvino":
        import keras

        return keras.ops.convert_to_tensor(x)
    return rows.native_tensor(engine, x)


def _variable(side, engine, x):
    if side != "native":
        import keras

        return keras.Variable(x)
    if engine == "torch":
        import torch

        return torch.nn.Parameter(torch.from_numpy(x))
    if engine == "tensorflow":
        import tensorflow as tf

        return tf.Variable(x)
    return rows.native_tensor(engine, x)


def _public(name):
    import keras

    value = keras
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _call(side, engine, op, sample, variable):
    """`(function, args, keywords)`, or None where the side has no such thing."""
    args = sample["args"]
    if variable:
        first = args[0] if args else None
        if not (isinstance(first, np.ndarray) and first.dtype == np.float32):
            return None
    args = _filled(args, lambda x: _tensor(side, engine, x))
    static = {k: _filled(v, lambda x: _tensor(side, engine, x)) for k, v in sample["static"].items()}
    if variable:
        args = (_variable(side, engine, sample["args"][0]), *args[1:])
    if side == "native":
        return ops_native.find(engine, op, tuple(args), static, sample["expected"])
    return _public(sample["name"]), tuple(args), static


def _timed(call, count):
    function, args, keywords = call
    start = time.process_time()
    for _ in range(count):
        function(*args, **keywords)
    return (time.process_time() - start) / count


def all_ops(side, engine, variable=False):
    ready = {}
    for op, sample in _samples().items():
        try:
            call = _call(side, engine, op, sample, variable)
            if call is None:
                continue
            _timed(call, 2)
            once = _timed(call, 3)
        except Exception as error:  # this side cannot; the others are timed all the same
            print(f"{side} {op}: {type(error).__name__} {str(error)[:100]}", file=rows.LOG, flush=True)
            continue
        ready[op] = (call, max(1, min(500, int(PIECE / max(once, 1e-7)))))

    def run():
        return {op: _timed(call, count) for op, (call, count) in ready.items()}

    return run


@rows.row
def ops(side, engine):
    return all_ops(side, engine)


@rows.row
def ops_variable(side, engine):
    return all_ops(side, engine, variable=True)


@rows.row
def ops_large(side, engine):
    import ops_large

    return ops_large.prepare(side, engine)
