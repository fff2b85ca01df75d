"""Write the arguments of every public op, and what NumPy computes from them, to a file that all sides can read.

    KERAS_BACKEND=numpy python benchmarks/ops_samples.py FILE

Arguments come from the rows of kops' conformance suite: one small case per op. Ops that take functions have none.
"""

import pickle
import sys

import numpy as np


def collect():
    from kops.conformance import collect as suite
    from kops.conformance.trial import Trial, fill, outputs
    from kops.declare import OPS
    from kspec import public_names

    samples = {}
    for rows in suite.rows().values():
        for row in rows:
            names = public_names(OPS[row.op].function)
            if not names or row.op in samples:
                continue
            trial = Trial(row.op, row.args, row.static)
            arrays = [np.asarray(a, d) for a, d in zip(trial.arrays(), map(_usual, trial.dtypes))]
            args, static = fill((row.args, row.static), arrays)
            try:
                expected = [np.asarray(x) for x in outputs(trial.call(arrays))]
            except NotImplementedError:  # what NumPy cannot is timed on the other engines all the same
                expected = None
            samples[row.op] = {"name": names[0], "args": args, "static": static, "expected": expected}
    return samples


def _usual(dtype):
    return {"bfloat16": "float32", "float8_e4m3fn": "float32"}.get(dtype, dtype)


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        pickle.dump(collect(), file)
