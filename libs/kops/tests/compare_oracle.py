"""Our ops beside those of Keras 3.15.1, over the sample space: values, dtypes, shapes, and what is refused.

    KERAS_BACKEND=numpy python compare_oracle.py ORACLE_PYTHON [--ops a,b] [--every K] [--offset N] [--out DIR] [--all]
    python compare_oracle.py --report [--out DIR] [--all]

The first line runs everything on one engine: the samples around the conformance rows (`kops.conformance.samples`) and
the expressions of `oracle_expressions.py` (creation, functions as arguments, random numbers), in slices of `--calls`
calls, each in processes of its own. ORACLE_PYTHON is the Python of an environment with Keras 3.15.1 and the same
engine. Outcomes are kept in DIR, by engine and op, and the script says what differs; `--report` says it again for all
engines that are there, without running anything, and names the rules that nothing meets any more. `--every K` runs each
K-th call and adds it to what DIR has; `--again` runs ours anew and takes Keras's outcomes from DIR.

Every difference is looked up in `differences.json`: `[{"ops": pattern, "kind": pattern, ..., "why": words}]`. Patterns
are regular expressions for the whole text and may be left out: of "ops", "family" (the module that declares the op;
"creation", "control" and "random" for expressions), "kind", "backend", "sample", of the outcomes "ours" and "keras",
and "agrees": another engine on which Keras says what ours says here (known if its outcomes are in DIR, so run several
engines into one DIR). What no entry explains is printed, and the script exits non-zero. `--all` prints the explained
ones, too.
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
# Tens of thousands of shapes are compiled, and each is called once.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

import numpy as np
from oracle_expressions import expressions, families
from oracle_side import attempt, drawn, evaluate
from search import difference, portable, shown

HERE = Path(__file__).resolve().parent
Outcomes = dict  # {call name: ("value", [(shape, dtype, numbers)]) or ("error", type, words)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle", nargs="?")
    parser.add_argument("--ops")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--calls", type=int, default=2000, help="of a slice")
    parser.add_argument("--out", default="/tmp/kops-oracle")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--slice", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    out = Path(options.out)
    wanted = options.ops and options.ops.split(",")
    if options.report:
        return report(sorted(p.name for p in out.iterdir()), out, wanted, options.all)
    if options.slice:
        run(options.oracle, wanted, options, out)
        return 0
    from kops.engine import engine

    arguments = [options.oracle, "--every", options.every, "--offset", options.offset, "--out", out, "--slice"]
    arguments += ["--again"] * options.again
    for ops in slices(wanted, options.calls * options.every):
        subprocess.run([sys.executable, __file__, *map(str, arguments), "--ops", ",".join(ops)], check=True)
    return report([engine().NAME], out, wanted, options.all)


def slices(wanted: Any, calls: int) -> Iterator[list[str]]:
    """The ops in groups of about so many calls."""
    from kops.conformance.samples import space

    counts = collections.Counter(sample.name.partition("#")[0] for sample in space(wanted))
    counts.update(op for op, _ in expressions() if not wanted or op in wanted)
    ops: list[str] = []
    for op in sorted(counts):
        ops.append(op)
        if sum(counts[o] for o in ops) >= calls:
            yield ops
            ops = []
    if ops:
        yield ops


def run(oracle: str, ops: Any, options: Any, out: Path) -> None:
    """Call ours and theirs, and keep the outcomes by op."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    from kops.conformance.agreement import eager
    from kops.conformance.samples import space
    from kops.engine import engine

    e = engine()
    calls: list[Any] = []
    ours: Outcomes = {}
    for i, sample in enumerate(space(ops)):
        if i % options.every == options.offset and not e.GAPS.get(sample.trial.op.name):
            calls.append((sample.name, sample.trial.op.name, *described(sample)))
            ours[sample.name] = portable(eager(sample), e)
    for i, (op, text) in enumerate(expressions()):
        if op in ops and i % options.every == options.offset and not e.GAPS.get(op):
            calls.append((f"{op}#: {text}", op, text, None))
            ours[calls[-1][0]] = expressed(text)
    folder = out / e.NAME
    folder.mkdir(parents=True, exist_ok=True)
    known: dict[str, Any] = {}
    for op in ops if options.again else ():
        path = folder / f"{op}.pickle"
        known.update(pickle.loads(path.read_bytes()) if path.exists() else {})
    theirs = {name: want for name, (_, want) in known.items()}
    theirs.update(ask(oracle, [call for call in calls if call[0] not in theirs], e.NAME))
    for op in ops:
        found = {n: (ours[n], theirs[n]) for n in ours if n.partition("#")[0] == op and n in theirs}
        path = folder / f"{op}.pickle"
        if options.every > 1 and path.exists():  # a part of the samples joins what is there
            found = {**pickle.loads(path.read_bytes()), **found}
        path.write_bytes(pickle.dumps(found))


def expressed(text: str) -> Any:
    import kops
    from kops.conformance.agreement import outcome
    from kops.engine import engine

    if text.startswith("random."):
        return attempt(lambda: drawn(text, kops, kops.random))
    return portable(outcome(lambda: evaluate(text, kops, None)), engine())


def described(sample: Any) -> tuple[Any, Any]:
    """Arguments without engine types."""
    from kops.conformance.trial import _carrier, fill

    trial = sample.trial
    arrays = [("array", d, _carrier(x, d), form) for x, d, form in zip(trial.numbers, trial.dtypes, sample.forms)]
    return fill((list(trial.args), trial.static), arrays)


def ask(python: str, calls: Any, backend: str) -> Outcomes:
    """Outcomes by sample; a call at which the process dies is an error, and another process goes on after it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment.update(KERAS_BACKEND=backend, TF_CPP_MIN_LOG_LEVEL="3")
    found: Outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        path, answer = Path(folder) / "calls.pickle", Path(folder) / "outcomes.pickle"
        while calls:
            path.write_bytes(pickle.dumps(calls))
            command = [python, str(HERE / "oracle_side.py"), str(path), str(answer)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            last = None
            for last, outcome in answered(answer):
                found[last] = outcome or ("error", "Crash", f"the process ended with {done.returncode}")
            if last is None and done.returncode:
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


def report(engines: list[str], out: Path, ops: Any, everything: bool) -> bool:
    """Print what differs on these engines, and how often each rule explains it."""
    rules = json.loads((HERE / "differences.json").read_text())
    first = ("kind", "backend", "ops", "family")  # what decides quickest
    rules = [{k: r[k] for k in sorted(r, key=lambda k: first.index(k) if k in first else 9)} for r in rules]
    met: dict[int, collections.Counter[str]] = {i: collections.Counter() for i in range(len(rules))}
    unlisted = 0
    summary = []
    for name in engines:
        paths = [p for p in sorted((out / name).glob("*.pickle")) if not ops or p.stem in ops]
        calls = refused = listed = 0
        kinds: collections.Counter[str] = collections.Counter()
        for path in paths:
            module = family(path.stem)
            random = module == "random"
            found = pickle.loads(path.read_bytes())
            others = {p.parent.name: pickle.loads(p.read_bytes()) for p in out.glob(f"*/{path.name}") if p != path}
            for call, (got, want) in found.items():
                calls += 1
                refused += got[0] == want[0] == "error"
                kind = kind_of(got, want, random)
                if kind is None:
                    continue
                agree = [e for e, t in others.items() if call in t and kind_of(got, t[call][1], random) is None]
                facts = {
                    "kind": kind, "backend": name, "ops": path.stem, "family": module, "ours": shown(got),
                    "keras": shown(want), "sample": call.partition(": ")[2],
                }  # fmt: skip
                rule = next((i for i, r in enumerate(rules) if fits(r, facts, agree)), None)
                if rule is not None:
                    met[rule][name] += 1
                    listed += 1
                else:
                    kinds[kind] += 1
                if rule is None or everything:
                    words = f"({rule}: {rules[rule]['why']}) " if rule is not None else f"(as {agree}) " * bool(agree)
                    print(
                        f"{words}{name} | {kind} | {call} | ours {facts['ours'][:200]} | Keras {facts['keras'][:200]}"
                    )
        unlisted += sum(kinds.values())
        same = calls - refused - listed - sum(kinds.values())
        summary.append(
            f"{name}: {len(paths)} ops, {calls} calls: {same} the same, {refused} refused by both, "
            f"{listed} differences listed, {sum(kinds.values())} not listed {dict(kinds)}"
        )
    for i, counts in sorted(met.items(), key=lambda item: -sum(item[1].values())):
        if counts:
            print(f"  {sum(counts.values())} {dict(counts)} by rule {i}: {rules[i]['why']}")
    for i, counts in met.items():
        if not counts and len(engines) > 1:
            print(f"nothing meets rule {i}: {json.dumps(rules[i])}")
    print("\n".join(summary))
    return bool(unlisted)


def kind_of(got: Any, want: Any, random: bool) -> str | None:
    """In which kind of way two outcomes differ, or None; words are ours."""
    if got[0] == want[0] == "error":
        return None
    if random and got[0] == want[0]:  # five standard errors of moments and quantiles, in standard deviations
        for (*_, x), (*_, y) in zip(got[1], want[1]):
            if isinstance(x, np.ndarray) and x.shape == y.shape and x.size:
                scale = max(float(y[1]), 1e-6)
                if not np.allclose(x / scale, y / scale, rtol=1e-3, atol=0.06, equal_nan=True):
                    return "value"
        got, want = (
            ("value", [(s, d, None if isinstance(x, np.ndarray) else x) for s, d, x in o[1]]) for o in (got, want)
        )
    return difference(got, want, 1e-3)


def family(op: str) -> str:
    from kops.conformance import collect
    from kops.declare import OPS

    collect.rows()
    return families().get(op) or str(OPS[op].body.__module__.rpartition(".")[2])


def fits(rule: dict[str, str], facts: dict[str, str], agree: list[str]) -> bool:
    """Whether a rule is about a difference."""
    known = (re.fullmatch(pattern, facts[k], re.DOTALL) for k, pattern in rule.items() if k in facts)
    return all(known) and ("agrees" not in rule or any(re.fullmatch(rule["agrees"], e) for e in agree))


if __name__ == "__main__":
    sys.exit(main())
