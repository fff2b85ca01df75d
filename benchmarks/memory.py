"""Peak memory of saving and loading a model, as a multiple of its weights.

    python benchmarks/memory.py --engine torch [--oracle /path/to/env-with-keras-3.15.1/bin/python]

A process of its own does each thing once; what the interpreter, the engine and (when saving) the model itself
take before is subtracted. So 1.0 is the least for loading, and 0.0 for saving.
"""

import argparse
import os
import subprocess
import sys
import tempfile

LAYERS, UNITS = 10, 1600  # 100 MB in arrays of 10 MB
CODE = """
import sys
import keras
def model(layers, units):
    layers = [keras.layers.Dense(units, use_bias=False, kernel_initializer="zeros") for _ in range(layers)]
    return keras.Sequential([keras.Input((units,)), *layers])
action, path, layers, units = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ending = ".weights.h5" if path.endswith(".weights.h5") else ".keras"
small = path + ".small" + ending
m = model(2, 8)  # what is imported on the way counts as the interpreter's
if ending == ".keras":
    m.save(small); keras.saving.load_model(small)
else:
    m.save_weights(small); m.load_weights(small)
m = model(layers, units) if action == "save" or ending == ".weights.h5" else None
if m is not None:
    for w in m.weights:
        w.assign(w + 1.0)
        float(keras.ops.sum(w))  # computed by now
open("/proc/self/clear_refs", "w").write("5")  # the peak so far is forgotten (Linux)
before = int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) * 1024
if action == "save":
    m.save(path) if ending == ".keras" else m.save_weights(path)
elif ending == ".keras":
    m = keras.saving.load_model(path)
else:
    m.load_weights(path)
after = int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) * 1024
print("PEAK", (after - before) / (layers * units * units * 4))
"""


def measure(python, engine, action, path):
    env = {**os.environ, "KERAS_BACKEND": engine, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [python, "-c", CODE, action, path, str(LAYERS), str(UNITS)]
    answer = subprocess.run(command, env=env, capture_output=True, text=True)
    if answer.returncode:
        raise SystemExit(answer.stderr)
    return float(answer.stdout.split("PEAK")[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="numpy")
    parser.add_argument("--oracle", help="a Python with Keras 3.15.1")
    args = parser.parse_args()
    sides = {"ours": sys.executable, **({"Keras 3.15.1": args.oracle} if args.oracle else {})}
    print(f"| {args.engine}: peak / weights | {' | '.join(sides)} |\n|---|{'---|' * len(sides)}")
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".keras", ".weights.h5"):
            for action in ("save", "load"):
                path = os.path.join(folder, "m" + ending)
                cells = [f"{measure(python, args.engine, action, path):.2f}" for python in sides.values()]
                print(f"| {action} {ending} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
