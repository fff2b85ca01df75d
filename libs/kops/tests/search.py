"""The whole search for disagreements, on demand.

    KERAS_BACKEND=jax python search.py run [--compile N] [--abstract] [--ops a,b] [--every K] [--offset N] [--out DIR]
    python libs/kops/tests/search.py compare --out DIR       # the engines among themselves

`run` checks every sample on one engine (`kops.conformance.agreement`) and leaves a table of its outcomes in DIR,
except with `--abstract`, which traces in place of computing: JAX compiles every shape anew. `compare` holds the tables
of the other engines against NumPy's. Both exit non-zero when something disagrees. `--compile 1` compiles every
signature once, and what ends the process stands in DIR/<engine>.now.

The space has some 60200 samples. On one core that others share: NumPy and PyTorch without compilation 3 minutes, with
`--compile 60` PyTorch 35 (each signature takes a third of a second), TensorFlow and OpenVINO with all signatures
compiled 30 ms a sample, JAX a quarter of a second, for which `XLA_FLAGS=--xla_backend_optimization_level=0` helps.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import os
import pickle
import sys
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_ENABLE_X64", "1")  # as wide as the others

import numpy as np

from kops.conformance.trial import fill


def run(options: Any) -> int:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    from kops.conformance.agreement import disagreements, eager
    from kops.conformance.samples import space
    from kops.engine import engine

    e = engine()
    harness = importlib.import_module(f"kops.conformance.engines.{e.NAME}")
    table: dict[str, Any] = {}
    kinds: collections.Counter[str] = collections.Counter()
    seen: set[Any] = set()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    start = time.time()
    with open(out / f"{e.NAME}.txt", "w", 1) as found, open(out / f"{e.NAME}.now", "w", 1) as now:
        for i, sample in enumerate(space(options.ops and options.ops.split(","))):
            if i % options.every != options.offset:
                continue
            now.seek(0)  # which sample it was if one ends the process
            now.write(f"{i} {sample.name}\n")
            now.truncate()
            compiled = None
            if options.compile and i // options.every % options.compile == 0 and signature(sample) not in seen:
                seen.add(signature(sample))
                compiled = harness.compiled
            for kind, words in disagreements(sample, compiled, harness.abstract if options.abstract else None):
                kinds[kind] += 1
                found.write(f"{kind} | {sample.name} | {sample.trial} | {words}".replace("\n", " ") + "\n")
            table[sample.name] = None if options.abstract else portable(eager(sample), e)
    if not options.abstract:
        (out / f"{e.NAME}.pickle").write_bytes(pickle.dumps(table))
    total = sum(kinds.values())
    print(
        f"{e.NAME}: {len(table)} samples, {len(seen)} of them compiled, in {time.time() - start:.0f} s, "
        f"{total} disagreements: {dict(kinds)}"
    )
    return bool(total)


def signature(sample: Any) -> Any:
    """What a compiler sees of a call: the same but for the names of the sizes is compiled once."""
    trial = sample.trial
    static = repr(fill((trial.args, trial.static), [""] * len(trial.makers)))
    names: dict[int, int] = {0: 0, 1: 1}
    shapes = [tuple(names.setdefault(d, len(names)) for d in m.shape) for m in trial.makers]
    return trial.op.name, static, tuple(zip(shapes, trial.dtypes))


def portable(outcome: Any, e: Any) -> Any:
    """An outcome without engine types: `("error", type, words)` or `("value", [(shape, dtype, numbers)])`."""
    from kops import tree
    from kops.keras_tensor import KerasTensor

    if outcome.error is not None:
        return "error", type(outcome.error).__name__, str(outcome.error)
    found = []
    for x in tree.flatten(outcome.value):
        if e.is_tensor(x):
            array = np.asarray(e.to_numpy(x))
            wide = array if array.dtype.kind in "biufcUS" else array.astype(np.float32)
            found.append((tuple(e.shape(x)), e.dtype_name(x), wide))
        elif isinstance(x, KerasTensor):
            found.append((tuple(x.shape), x.dtype, "symbolic"))
        elif isinstance(x, np.ndarray):
            found.append((x.shape, "numpy " + x.dtype.name, x))
        else:
            found.append(((), type(x).__name__, x))
    return "value", found


def difference(got: Any, want: Any, loose: float = 1e-4) -> str | None:
    """In which kind of way two portable outcomes differ, or None."""
    if got[0] != want[0]:
        return "refused" if got[0] == "error" else "accepted"
    if got[0] == "error":
        return None if got[1:] == want[1:] else "words"
    if len(got[1]) != len(want[1]):
        return "outputs"
    for (shape, dtype, x), (shape2, dtype2, y) in zip(got[1], want[1]):
        if dtype != dtype2:
            return "dtype"
        if shape != shape2:
            return "shape"
        if not isinstance(x, np.ndarray):
            if x != y and (x == x or y == y):  # NaN is NaN
                return "value"
        elif not close(x, y, {"float16": 1e-2, "bfloat16": 8e-2}.get(dtype, loose)):
            return "value"
    return None


def close(x: np.ndarray, y: np.ndarray, t: float) -> bool:
    if x.dtype.kind in "fc":
        return bool(np.allclose(x, y, rtol=t, atol=t, equal_nan=True))
    return bool(np.array_equal(x, y))


def compare(options: Any) -> int:
    out = Path(options.out)
    tables = {p.stem: pickle.loads(p.read_bytes()) for p in sorted(out.glob("*.pickle"))}
    want = tables.pop("numpy")
    lines = []
    for name, table in tables.items():
        kinds: collections.Counter[str] = collections.Counter()
        for sample, got in table.items():
            kind = sample in want and difference(got, want[sample])
            if kind:
                kinds[kind] += 1
                lines.append(f"{kind} | {name} | {sample} | {shown(got)} | numpy: {shown(want[sample])}")
        print(f"{name}: {sum(kinds.values())} of {len(table)} outcomes differ from numpy's: {dict(kinds)}")
    (out / "engines.txt").write_text("\n".join(sorted(lines)))
    return bool(lines)


def shown(outcome: Any) -> str:
    if outcome[0] == "error":
        return f"{outcome[1]}: {outcome[2]}"
    return "; ".join(f"{d}{s} {np.asarray(x).ravel()[:6]}" for s, d, x in outcome[1]).replace("\n", " ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "compare"])
    parser.add_argument("--ops")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--compile", type=int, default=0)
    parser.add_argument("--abstract", action="store_true")
    parser.add_argument("--out", default="/tmp/kops-search")
    chosen = parser.parse_args()
    sys.exit(run(chosen) if chosen.what == "run" else compare(chosen))
