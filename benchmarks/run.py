"""Time the same code on ours, on Keras 3.15.1 and natively, interleaved, and print medians and ratios.

    python benchmarks/run.py --oracle /path/to/env-with-keras-3.15.1/bin/python --engine torch
    python benchmarks/run.py --engine jax --rows eager_add,dense_call        without the oracle
    python benchmarks/run.py --engine jax --ops                              every op (see ops.py)

Each side is its own process; repetitions go round the sides, so that a busy moment hits all of them. Times are
processor time. A ratio is the median of the ratios of single rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Without threads of their own, which spin beside a small op and count as its time.
ALONE = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}
BYTECODE = os.path.join(tempfile.gettempdir(), "benchmark_bytecode")
PASSIVE = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}


class Side:
    """A worker process; started when it is first needed."""

    def __init__(self, name, python, engine, settings=()):
        self.name = name
        env = {**os.environ, **PASSIVE, **dict(settings), "KERAS_BACKEND": engine}
        self.process = subprocess.Popen(
            [python, os.path.join(HERE, "worker.py"), name, engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
        )

    def measure(self, row):
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("ANSWER "):
                answer = line[len("ANSWER ") :].strip()
                return answer if answer[0] in "-!" else json.loads(answer)
        return "! the process ended"

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def import_seconds(python, statement, engine, rounds=5):
    # An installed package has its bytecode; a checkout gets it from a first run that does not count.
    env = {**os.environ, **PASSIVE, "KERAS_BACKEND": engine, "PYTHONPYCACHEPREFIX": BYTECODE}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    code = f"import time; a = time.process_time(); {statement}; print(time.process_time() - a)"
    runs = [
        float(subprocess.run([python, "-c", code], env=env, capture_output=True, text=True).stdout.split()[-1])
        for _ in range(rounds + 1)
    ]
    return statistics.median(runs[1:])


def import_kops():
    """`import kops` loads no engine; the first op does."""
    statements = {"native": "import numpy", "ours": "import numpy, kops; kops.add"}
    show("import kops", {n: [import_seconds(sys.executable, s, "numpy")] for n, s in statements.items()}, {})


def readable(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def ratio(times, a, b):
    pairs = [x / y for x, y in zip(times[a], times[b])]
    return f"{statistics.median(pairs):.2f}"


def main():
    sys.path.insert(0, HERE)
    import ops
    import ops_report as report
    import rows

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--oracle", help="a Python with Keras 3.15.1")
    parser.add_argument("--engine", default="jax")
    single = [name for name in rows.ROWS if name not in ops.NAMES]
    parser.add_argument("--rows", default=",".join(single), help="comma separated")
    parser.add_argument("--ops", action="store_true", help="the rows over all ops instead")
    parser.add_argument("--worst", type=int, default=20, help="how many ops to name")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--save", help="with --ops: a JSON file for the times of every op")
    args = parser.parse_args()
    names = ["native", "ours"] + (["oracle"] if args.oracle else [])
    if args.ops:
        os.environ["OPS_SAMPLES"] = os.environ.get("OPS_SAMPLES") or samples_file()
    settings = ALONE if args.ops else {}
    sides = {n: Side(n, args.oracle if n == "oracle" else sys.executable, args.engine, settings) for n in names}
    print(f"engine {args.engine}, {args.rounds} rounds, {time.strftime('%Y-%m-%d')}, load {os.getloadavg()[0]:.1f}\n")
    if args.ops:
        import_kops()
        report.all_ops(sides, args.rounds, args.worst, args.save)
        return
    print("| row | native | ours | Keras 3.15.1 | ours / native | ours / Keras |")
    print("|---|---|---|---|---|---|")
    package = {"numpy": "numpy", "openvino": "openvino"}.get(args.engine, args.engine)
    imports = {
        "native": (sys.executable, f"import {package}"),
        "ours": (sys.executable, f"import keras, {package}; keras.layers"),
    }
    if args.oracle:
        imports["oracle"] = (args.oracle, f"import keras, {package}")
    seconds = {n: [import_seconds(p, code, args.engine)] for n, (p, code) in imports.items()}
    show("import keras", seconds, {})
    if args.engine == "numpy":
        import_kops()
    for row in args.rows.split(","):
        times, notes = {}, {}
        for _ in range(args.rounds):
            for n, side in sides.items():
                if n in notes:
                    continue
                answer = side.measure(row)
                if isinstance(answer, str):
                    notes[n] = answer
                else:
                    times.setdefault(n, []).append(answer)
        show(row, times, notes)
    for side in sides.values():
        side.close()


def samples_file():
    path = os.path.join(tempfile.mkdtemp(), "samples.pickle")
    command = [sys.executable, os.path.join(HERE, "ops_samples.py"), path]
    subprocess.run(command, check=True, env={**os.environ, "KERAS_BACKEND": "numpy"})
    return path


def show(row, times, notes):
    def cell(side):
        if side in times:
            return readable(statistics.median(times[side]))
        return "-" if notes.get(side, "-")[0] == "-" else "failed: " + notes[side][2:]

    ours_native = ratio(times, "ours", "native") if {"ours", "native"} <= times.keys() else "-"
    ours_oracle = ratio(times, "ours", "oracle") if {"ours", "oracle"} <= times.keys() else "-"
    print(
        f"| {row} | {cell('native')} | {cell('ours')} | {cell('oracle')} | {ours_native} | {ours_oracle} |", flush=True
    )


if __name__ == "__main__":
    main()
