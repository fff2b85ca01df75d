"""Our ops beside those of Keras 3.15.1, over the sample space: values, dtypes, shapes, and what is refused.

    KERAS_BACKEND=numpy python compare_oracle.py ORACLE_PYTHON [--every K] [--offset N] [--ops a,b] [--all]

ORACLE_PYTHON is the Python of an environment with Keras 3.15.1 and the same engine. Every difference is looked up in
`differences.json`: `[{"ops": pattern, "kind": pattern, ..., "why": words}]`. Patterns are regular expressions for the
whole text and may be left out: of "ops", "family" (the module that declares the op), "kind", "backend", "sample", and
of the outcomes "ours" and "keras". What no entry explains is printed, and the script exits non-zero. `--all` prints
the explained ones, too.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Iterator

os.environ.setdefault("JAX_ENABLE_X64", "1")

import numpy as np
from search import difference, portable, shown

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle")
    parser.add_argument("--ops")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    from kops.conformance.agreement import eager
    from kops.conformance.samples import space
    from kops.engine import engine

    e = engine()
    calls, ours = [], {}
    for i, sample in enumerate(space(options.ops and options.ops.split(","))):
        if i % options.every == options.offset and not e.GAPS.get(sample.trial.op.name):
            calls.append((sample.name, sample.trial.op.name, *described(sample)))
            ours[sample.name] = portable(eager(sample), e)
    theirs = ask(options.oracle, calls, e.NAME)
    rules = json.loads((HERE / "differences.json").read_text())
    explained: collections.Counter[str] = collections.Counter()
    unlisted: collections.Counter[str] = collections.Counter()
    for name, want in sorted(theirs.items()):
        got = ours[name]
        kind = "words" if got[0] == want[0] == "error" else difference(got, want, 1e-3)
        if kind in (None, "words"):  # words are ours
            continue
        rule = next((r for r in rules if matches(r, name, kind, e.NAME, got, want)), None)
        line = f"{kind} | {name} | ours {shown(got)[:200]} | Keras {shown(want)[:200]}"
        if rule is None:
            unlisted[kind] += 1
            print(line)
        else:
            explained[rule["why"]] += 1
            if options.all:
                print(f"({rule['why']}) {line}")
    print(f"{e.NAME}: {len(theirs)} calls compared, {sum(unlisted.values())} differences not listed {dict(unlisted)}")
    for why, count in explained.most_common():
        print(f"  {count} listed: {why}")
    return bool(unlisted)


def described(sample: Any) -> tuple[Any, Any]:
    """Arguments without engine types."""
    from kops.conformance.trial import _carrier, fill

    trial = sample.trial
    arrays = [("array", d, _carrier(x, d), form) for x, d, form in zip(trial.numbers, trial.dtypes, sample.forms)]
    return fill((list(trial.args), trial.static), arrays)


def ask(python: str, calls: Any, backend: str) -> Any:
    """Outcomes by sample; a call at which the process dies is an error, and another process goes on after it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment.update(KERAS_BACKEND=backend, TF_CPP_MIN_LOG_LEVEL="3")
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path, answer = Path(folder) / "calls.pickle", Path(folder) / "outcomes.pickle"
        while calls:
            path.write_bytes(pickle.dumps(calls))
            command = [python, str(HERE / "oracle_side.py"), str(path), str(answer)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            last = None
            for last, outcome in answered(answer):
                found[last] = outcome or ("error", "Crash", f"the process ended with {done.returncode}")
            if last is None:
                raise RuntimeError(f"{python} could not answer:\n{done.stderr[-2000:]}")
            answer.unlink()
            names = [name for name, *_ in calls]
            calls = calls[names.index(last) + 1 :] if done.returncode else []
    return {name: outcome for name, outcome in found.items() if outcome != "skipped"}


def answered(path: Path) -> Iterator[Any]:
    if path.exists():
        with open(path, "rb") as file:
            while True:
                try:
                    yield pickle.load(file)
                except (EOFError, pickle.UnpicklingError):
                    return


def matches(rule: dict[str, str], name: str, kind: str, backend: str, got: Any, want: Any) -> bool:
    from kops.declare import OPS

    op = name.partition("#")[0]
    texts = {
        "ops": op, "family": OPS[op].body.__module__.rpartition(".")[2], "kind": kind, "backend": backend,
        "sample": name.partition(": ")[2], "ours": shown(got), "keras": shown(want),
    }  # fmt: skip
    return all(re.fullmatch(rule[k], text, re.DOTALL) for k, text in texts.items() if k in rule)


if __name__ == "__main__":
    sys.exit(main())
