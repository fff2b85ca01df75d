"""Saving and loading 100 MB beside raw h5py and Keras 3.15.1, in wall time: most of a save is waiting for the disk.

    python benchmarks/files.py --engine torch [--oracle /path/to/env-with-keras-3.15.1/bin/python]

Raw h5py writes the same ten arrays of 10 MB to one file and closes it: "safe" means to a new file that is synced to
the disk and renamed, which is what ours does; "plain" means over the old file, without waiting for the disk, which is
what Keras does. Raw loading reads every array into new memory, without a checksum. Each side is a process of its own,
the sides take turns, and a ratio is the median of the ratios of single rounds. Processor time is that of all threads.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROWS = ("save .keras", "load .keras", "save .weights.h5", "load .weights.h5")


def worker(side, engine, folder):
    """Answers each line `row` with wall and processor seconds of doing it once."""
    run = raw(side, folder) if side.startswith("h5py") else with_keras(folder)
    for line in sys.stdin:
        row = line.strip()
        action, ending = row.split()
        gc.collect()  # what was loaded before, models with cycles too, gives its memory back
        wall, processor = time.perf_counter(), time.process_time()
        run(action, ending)
        print("ANSWER", json.dumps([time.perf_counter() - wall, time.process_time() - processor]), flush=True)


def raw(side, folder):
    import h5py
    import numpy as np

    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(1600, 1600)).astype("float32") for _ in range(10)]
    path = os.path.join(folder, "raw.h5")

    def write(target):
        with h5py.File(target, "w") as file:
            for i, array in enumerate(arrays):
                file[str(i)] = array

    def run(action, ending):
        if action == "load":
            with h5py.File(path) as file:
                return [file[key][()] for key in file]
        if side == "h5py plain":
            return write(path)
        write(path + ".new")
        with open(path + ".new", "rb+") as file:
            os.fsync(file.fileno())
        os.replace(path + ".new", path)

    return run


def with_keras(folder):
    import keras

    layers = [keras.layers.Dense(1600, use_bias=False) for _ in range(10)]
    model = keras.Sequential([keras.Input((1600,)), *layers])

    def run(action, ending):
        path = os.path.join(folder, f"m{ending}")
        if ending == ".keras":
            return model.save(path) if action == "save" else keras.saving.load_model(path)
        return model.save_weights(path) if action == "save" else model.load_weights(path)

    return run


class Side:
    def __init__(self, name, python, engine, folder):
        env = {**os.environ, "KERAS_BACKEND": engine, "TF_CPP_MIN_LOG_LEVEL": "3"}
        os.mkdir(folder)
        command = [python, os.path.abspath(__file__), "--worker", name, "--engine", engine, "--folder", folder]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def measure(self, row):
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        return json.loads(next(line for line in self.process.stdout if line.startswith("ANSWER "))[7:])


def ratio(times, head, clock):
    pairs = zip(*(times[name] for name in head.split(" / ")))
    return f"{statistics.median(a[clock] / b[clock] for a, b in pairs):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="numpy")
    parser.add_argument("--oracle", help="a Python with Keras 3.15.1")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", help="where to write; default a temporary folder")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return worker(args.worker, args.engine, args.folder)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        names = ["h5py safe", "h5py plain", "ours"] + (["Keras"] if args.oracle else [])
        sides = {
            n: Side(
                n,
                args.oracle if n == "Keras" else sys.executable,
                args.engine,
                os.path.join(folder, n.replace(" ", "_")),
            )
            for n in names
        }
        print(
            f"engine {args.engine}, {args.rounds} rounds, load {os.getloadavg()[0]:.1f}; "
            "milliseconds of wall (processor) time\n"
        )
        heads = ["ours / h5py safe", "ours / h5py plain"] + (["ours / Keras"] if args.oracle else [])
        print(f"| row | {' | '.join(names)} | {' | '.join(heads)} |\n|---|{'---|' * (len(names) + len(heads))}")
        for row in ROWS:
            times = {n: [] for n in names}
            for turn in range(args.rounds + 1):
                for n, side in sides.items():
                    answer = side.measure(row)
                    if turn:  # the first one warms up
                        times[n].append(answer)
            cells = ["{:.0f} ({:.0f})".format(*(statistics.median(t) * 1e3 for t in zip(*times[n]))) for n in names]
            ratios = [f"{ratio(times, head, 0)} ({ratio(times, head, 1)})" for head in heads]
            print(f"| {row} | {' | '.join(cells)} | {' | '.join(ratios)} |", flush=True)
        for side in sides.values():
            side.process.stdin.close()
            side.process.wait()


if __name__ == "__main__":
    main()
