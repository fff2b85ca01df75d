"""Random models between Keras 3.15.1 and this project: each saves in every format, and each loads what the other saved.

    python search.py ORACLE_PYTHON [--engines torch,jax] [--also numpy] [--seeds 0:100] [--kind functional] [--all]

ORACLE_PYTHON has Keras 3.15.1 and the engines. For each seed both sides make the same model (`models.py`), compile it
(`training.py`), train a step and save it in every format. Compared are: the two sides; each file with what its writer
had, read by the other side (on the same engine, and by ours on another one as well) and by ours itself. Where Keras
does not read its own file as it was, ours need not. `KNOWN` says what may differ, and why; everything else is printed,
and the script exits non-zero.
"""

from __future__ import annotations

import argparse
import collections
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np

HERE = Path(__file__).resolve().parent
FORMATS = ("whole.keras", "folder", "whole.h5", "w.weights.h5", "shards/w.weights.json")
OURS_ALONE = ("w.h5", "w.weights.npz")
POLICIES = ("float32",) * 6 + ("mixed_bfloat16", "mixed_float16", "bfloat16", "float16")
QUANTIZE = (None,) * 10 + ("int8", "int4", "float8", "lora")
# (pattern of the whole text of a difference, why ours is right)
KNOWN: tuple[tuple[str, str], ...] = (
    (
        r"kwargs: keys \['mask'\]",
        "Keras writes the mask that a nested model gets as an argument; readers find it again",
    ),
    (r"kwargs: keys \['training'\]", "Keras writes the default of `training`; a call overrides it"),
    (r"kwargs: keys \['weights'\]", "Keras writes `weights=None` of an average, which is its default"),
    (r"build_config/input_shape/0: \d+ / None", "Keras writes the number that stood for an unknown batch size"),
    (r"geqrf_cpu", "Keras makes orthogonal matrices in bfloat16, which PyTorch cannot"),
    (
        r"keras_history|/config/dtype: float(32|64) / float(32|64)$",
        "Keras calls outputs of merges float32 when floatx is float64",
    ),
    (
        r"whole\.h5, .*compile_config/(loss|metrics)",
        ".h5 files have the names of functions; Keras makes objects of them",
    ),
    (
        r"whole\.h5, ours to keras: optimizer: ",
        "Keras restores no slots of optimizers from .h5 files, its own included",
    ),
    (
        r"made: optimizer: \d+ / \d+ arrays: \['loss_scale_optimizer/",
        "Keras does not list what Adafactor and Nadam count inside a LossScaleOptimizer; files are equal",
    ),
    (
        r"^w\.h5, ours to keras: config/config/dtype/",
        "Keras takes the global policy for the one in a Sequential's config",
    ),
    (r"optimizer path: ", "Keras names the slots of some optimizers otherwise; files go by their order"),
    (r"Layer count mismatch when loading weights", "so Keras answers to its own .h5 files of subclassed models"),
    (
        r"refused: \{'whole.h5': .*name already exists",
        "Keras gives two slots one name, which its .h5 files cannot hold",
    ),
    (r"Could not interpret optimizer identifier", "Keras finds not all of its optimizers by their names"),
    (r"quantization_config: \{", "a mode alone means this config"),
)


class Process:
    def __init__(self, python: str, engine: str):
        environment = {**os.environ, "KERAS_BACKEND": engine, "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1"}
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        if python != sys.executable:
            environment.pop("PYTHONPATH", None)
        self.pipe = subprocess.Popen(
            [python, str(HERE / "side.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("TRACE") else subprocess.DEVNULL,
            env=environment,
            cwd=tempfile.gettempdir(),
        )

    def ask(self, what: str, **arguments: Any) -> tuple:
        pickle.dump((what, arguments), self.pipe.stdin)
        self.pipe.stdin.flush()
        start = time.monotonic()
        answer = pickle.load(self.pipe.stdout)
        if os.environ.get("TIMES"):
            print("        ", what, arguments.get("name", ""), f"{time.monotonic() - start:.1f}", self.pipe.args[0])
        return answer


class Search:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.sides: dict[tuple[str, str], Process] = {}
        self.found: list[str] = []
        self.counts: collections.Counter[str] = collections.Counter()
        self.classes: collections.Counter[str] = collections.Counter()
        self.refusals: collections.Counter[str] = collections.Counter()

    def side(self, who: str, engine: str) -> Process:
        key = (who, engine)
        if key not in self.sides:
            self.sides[key] = Process(self.options.oracle if who == "keras" else sys.executable, engine)
        return self.sides[key]

    def note(self, *words: str) -> None:
        self.found.append(": ".join(words))

    def seed(self, seed: int, engine: str) -> None:
        rng = np.random.default_rng(seed)
        policy = str(rng.choice([*POLICIES, *(["float64"] * 3 if engine == "torch" else [])]))
        quantize = QUANTIZE[rng.integers(len(QUANTIZE))]
        policy = "float32" if quantize else policy
        policy = self.options.policy or policy
        quantize = self.options.quantize or quantize
        self.quantize = quantize
        self.own: dict[str, set[str]] = {}
        self.title = f"policy {policy}, quantize {quantize}"
        with tempfile.TemporaryDirectory() as place:
            made = {}
            for who in ("keras", "ours"):
                folder = os.path.join(place, who)
                os.mkdir(folder)
                made[who] = self.side(who, engine).ask(
                    "make", seed=seed, folder=folder, kind=self.options.kind, policy=policy, quantize=quantize
                )
            errors = {who: answer[1] for who, answer in made.items() if answer[0] == "error"}
            if len(errors) == 2:
                self.counts["neither makes it"] += 1
                self.refusals["both: " + errors["keras"][:150]] += 1
                return
            if errors:
                who = next(iter(errors))
                self.note(f"{who} does not make it", errors[who], made[who][2][-700:] if who == "ours" else "")
                if who == "ours":
                    return
            facts = {who: answer[1]["facts"] for who, answer in made.items() if who not in errors}
            data = {who: answer[1]["data"] for who, answer in made.items() if who not in errors}
            some = next(iter(facts.values()))
            self.title += f", {some['kind']}"
            self.counts[f"{engine} {some['kind']}"] += 1
            self.counts[f"{engine} models"] += 1
            self.classes.update(some["classes"])
            for text in some["refused"]:
                self.refusals[text[:150]] += 1
            if engine == "torch" and "ScheduleFreeAdamW" in str(some.get("compiled")):
                for part in facts.values():  # whose second step is another one in Keras on PyTorch than on JAX
                    part["random"] = True
            self.kept_by_keras, self.engine = facts.get("keras"), engine
            low = "float16" in str(some["config"])
            policy = "mixed_bfloat16" if low and policy == "float32" else policy
            if not errors:
                self.sides_differ(facts, policy)
                if aligned(facts):
                    self.files_differ(place)
            for writer, kept in facts.items():
                self.readers(writer, engine, os.path.join(place, writer), kept, data[writer], policy, seed)

    def sides_differ(self, facts: dict[str, Any], policy: str) -> None:
        """The two models as they were made."""
        one, other = facts["keras"], facts["ours"]
        if not aligned(facts):
            self.note("made", "refusals", f"{one['refused']} / {other['refused']}"[:1500])
            return
        if one["saved"].keys() != other["saved"].keys() - set(OURS_ALONE):
            self.note("saving is refused", f"{one['saved']} / {other['saved']}")
        names = ("config", "compiled", "trainable")
        if not one["random"]:
            names += (
                "weights",
                "trained",
                "optimizer",
                "called",
                "predicted",
                "evaluated",
                "metrics",
                "step",
                "stepped",
            )
        for text in compare(one, other, names, policy, made=True):
            self.note("made", text)

    def files_differ(self, place: str) -> None:
        """The HDF5 files of both, without their values."""
        for name in ("folder/model.weights.h5", "w.weights.h5"):
            paths = [os.path.join(place, who, name) for who in ("keras", "ours")]
            if all(map(os.path.exists, paths)):
                trees = [layout(path) for path in paths]
                for key in sorted(trees[0].keys() | trees[1].keys()):
                    if trees[0].get(key) != trees[1].get(key):
                        if "'functional" in str(trees[0].get(key)):
                            continue
                        self.note("layout", name, f"{key}: {trees[0].get(key)} / {trees[1].get(key)}"[:300])

    def readers(self, writer: str, engine: str, folder: str, kept: Any, data: Any, policy: str, seed: int) -> None:
        for name in FORMATS + (OURS_ALONE if writer == "ours" else ()):
            if name in kept["saved"] or not os.path.exists(os.path.join(folder, name)):
                continue
            numeric = name == "whole.keras"
            arguments = {
                "folder": folder,
                "name": name,
                "data": data,
                "policy": policy,
                "how": seed,
                "numeric": numeric,
            }
            arguments["quantized"] = self.quantize
            baseline: Any = None
            readers = [("keras", engine), ("ours", engine)] if writer == "ours" else [("ours", engine)]
            if name == "w.weights.npz":
                readers = readers[1:]
            also = [e for e in self.options.also.split(",") if e and e != engine]
            if numeric and also and policy != "float64":
                readers.append(("ours", also[seed % len(also)]))
            names: tuple[str, ...] = ()
            for who, on in readers:
                self.counts[f"{name}, {writer} to {who}"] += 1
                answer = self.side(who, on).ask("read", **arguments)
                words = f"{name}, {writer} to {who}" + (f" on {on}" if on != engine else "")
                skip = kept["random"] or on != engine
                if answer[0] == "error":
                    texts = ["error: " + answer[1]]
                else:
                    names = (
                        "config",
                        "weights",
                        "trainable",
                        "called",
                        "called_without",
                        "predicted",
                        "evaluated",
                        "metrics",
                    )
                    if not self.quantize and name != "w.h5":  # what is trained is not what is saved
                        names += () if on != engine and on in ("numpy", "openvino") else ("optimizer",)
                        names += () if skip else ("step", "stepped", "stepped_optimizer")
                    if self.quantize:
                        merged = ("weights",) if self.quantize == "lora" else ()
                        names = tuple(n for n in names if n not in ("trainable", *merged))
                    if name in ("whole.keras", "folder"):
                        names += ("compiled",)
                    texts = compare(kept, answer[1], names, policy, loaded=True)
                if not texts:
                    continue
                if who == "ours" and writer == "keras":
                    if baseline is None:
                        baseline = self.side("keras", engine).ask("read", **arguments)
                    if baseline[0] == "error":
                        self.counts[f"{name}: Keras does not read its own"] += 1
                        if answer[0] == "error":
                            continue
                        self.note(words, "Keras cannot: " + baseline[1][:300], *texts[:3])
                        continue
                    own = compare(kept, baseline[1], names if answer[0] != "error" else (), policy, loaded=True)
                    left = [text for text in texts if text not in own]
                    if answer[0] != "error" and left:
                        beside = compare(baseline[1], answer[1], names, policy, loaded=True)
                        left = [text for text in left if text.split(":")[0] in {b.split(":")[0] for b in beside}]
                    if not left:
                        self.counts[f"{name}: as Keras reads its own"] += 1
                    texts = left
                elif who == "keras":  # as it reads what it wrote itself
                    texts = [
                        text for text in texts if kind_of(text) not in self.keras_own(name, arguments, names, policy)
                    ]
                for text in texts[:4]:
                    self.note(words, text)

    def keras_own(self, name: str, arguments: dict[str, Any], names: Any, policy: str) -> set[str]:
        """In what Keras's own file of this format is not as it was for Keras."""
        if name not in self.own:
            self.own[name] = set()
            kept = self.kept_by_keras
            if kept is not None and name in FORMATS and name not in kept["saved"]:
                folder = arguments["folder"].replace("/ours", "/keras")
                answer = self.side("keras", self.engine).ask("read", **{**arguments, "folder": folder})
                if answer[0] == "error":
                    self.own[name] = {kind_of("error: " + answer[1])}
                else:
                    self.own[name] = {kind_of(text) for text in compare(kept, answer[1], names, policy, loaded=True)}
        return self.own[name]

    def report(self, seed: int, engine: str, seconds: float) -> int:
        new = []
        for text in self.found:
            reason = next((why for pattern, why in KNOWN if re.search(pattern, text, re.S)), None)
            self.counts["explained: " + reason if reason else "differences"] += 1
            if reason is None or self.options.all:
                new.append(text)
        print(f"{seed} {engine} ({self.title}, {seconds:.1f} s)", *new[:12], sep="\n    ", flush=True)
        self.found = []
        return len(new)


def aligned(facts: dict[str, Any]) -> bool:
    """Whether both sides refused the same attempts, so that the models are the same."""
    tried = [[text.split(" ")[0] for text in part["refused"]] for part in facts.values()]
    return tried[0] == tried[1]


def layout(path: str) -> dict[str, tuple]:
    found: dict[str, tuple] = {}

    def visit(name: str, item: Any) -> None:
        if not re.search(r"(seed_)?generator/vars", name):
            attributes = {k: str(v) for k, v in item.attrs.items()}
            found[name] = (item.shape, str(item.dtype), attributes) if hasattr(item, "shape") else (attributes,)

    with h5py.File(path) as file:
        file.visititems(visit)
    groups = [name for name, item in found.items() if len(item) == 1]
    for name in groups:  # groups in which nothing is
        if not found[name][0] and not any(other.startswith(name + "/") and len(found[other]) > 1 for other in found):
            del found[name]
    return found


EMPTY = {"build_config": ({}, None, {"input_shape": None}), "compile_config": ({}, None)}
TOLERANCE = {"float32": 1e-5, "float64": 1e-6}


def kind_of(text: str) -> str:
    """A difference without its values."""
    return re.sub(r"\d+", "#", text.split(":")[0] if not text.startswith("error") else text[:60])


def compare(
    one: Any, other: Any, names: tuple[str, ...], policy: str, made: bool = False, loaded: bool = False
) -> list[str]:
    texts: list[str] = []
    for name in names:
        if name not in one or name not in other:
            continue
        a, b = one[name], other[name]
        if name in ("config", "compiled"):
            found = [f"{name}{text}" for text in differing(a, b)]
        elif name in ("trained", "evaluated", "step"):
            keys = [] if sorted(a) == sorted(b) else [f"{name}: {list(a)} / {list(b)}"]
            found = keys or [
                f"{name} {key}: {a[key]} / {b[key]}"
                for key in a
                if not close(np.array(a[key]), np.array(b[key]), policy, name)
            ]
        elif name == "trainable":
            found = [f"{name} {x} / {y}" for x, y in zip(a, b) if x != y]
        else:
            exact = name in ("weights", "optimizer") and loaded
            if loaded:  # models are built from outside or inside, which files say nothing of
                a, b = ([(x[0].split("/")[-1], *x[1:]) for x in part] for part in (a, b))
                a, b = ([("", *x[1:]) for x in part] if "optimizer" in name else part for part in (a, b))
            found = arrays_differ(name, a, b, policy, exact)
        texts += found[:3]
    return texts


def arrays_differ(name: str, a: list[Any], b: list[Any], policy: str, exact: bool) -> list[str]:
    if len(a) != len(b):
        return [f"{name}: {len(a)} / {len(b)} arrays: {[x[0] for x in a]} / {[x[0] for x in b]}"[:600]]
    found = []
    for (path, dtype, x), (path2, dtype2, y) in zip(a, b):
        if "seed_generator" in path:
            continue
        if path != path2:
            found.append(f"{name} path: {path} / {path2}")
        elif (dtype, x.shape) != (dtype2, y.shape) and not dtype.startswith(("int", "uint")):
            found.append(f"{name} {path}: {dtype} {x.shape} / {dtype2} {y.shape}")
        elif exact and not np.array_equal(x, y, equal_nan=x.dtype.kind == "f"):
            found.append(f"{name} {path}: {x.ravel()[:4]} / {y.ravel()[:4]}")
        elif not exact and not close(x, y, dtype if dtype.startswith(("float16", "bfloat")) else policy, name):
            worst = np.nanmax(np.abs(x.astype("float64") - y)) if x.shape == y.shape and x.size else "shape"
            found.append(f"{name} {path} ({worst}): {x.ravel()[:4]} / {y.ravel()[:4]}")
    return found


def close(x: np.ndarray, y: np.ndarray, policy: str, name: str) -> bool:
    if x.shape != y.shape:
        return False
    tolerance = TOLERANCE.get(policy, 5e-2)
    if name in ("step", "trained", "stepped", "stepped_optimizer", "evaluated", "metrics", "optimizer", "weights"):
        tolerance *= 20  # sums of many, gradients
    return np.allclose(x, y, rtol=tolerance * 10, atol=tolerance, equal_nan=True)


def differing(a: Any, b: Any, where: str = "") -> list[str]:
    """Paths at which two configs differ."""
    left_out = {"shared_object_id", "keras_version", "backend", "jit_compile"}
    if isinstance(a, dict) and isinstance(b, dict):
        if "keras.src.backend.torch.optimizers" in f"{a.get('module')} {b.get('module')}":
            left_out = left_out | {"registered_name"}
        a, b = ({k: v for k, v in c.items() if k not in left_out and v not in EMPTY.get(k, ())} for c in (a, b))
        for key, default in (("activity_regularizer", None), ("autocast", True)):  # which Keras writes or not
            if (key in a) != (key in b) and {**a, **b}[key] == default:
                a, b = ({k: v for k, v in c.items() if k != key} for c in (a, b))
        if a.keys() != b.keys():
            odd = sorted(a.keys() ^ b.keys())
            if odd == ["build_config"]:
                a, b = ({k: v for k, v in c.items() if k != "build_config"} for c in (a, b))
            else:
                return [f"{where}: keys {odd}"]
        pairs = [(k, a[k], b[k]) for k in a]
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        pairs = [(i, x, y) for i, (x, y) in enumerate(zip(a, b))]
    else:
        if where.endswith("/axis"):
            a, b = (
                sorted(x, key=str) if isinstance(x, list) else [x] for x in (a, b)
            )  # of which Keras makes a list when built
        if isinstance(a, str) and isinstance(b, str) and re.fullmatch(r"functional(_\d+)?", a):
            a = b = re.sub(r"_\d+$", "", b)  # a number is taken for each Functional inside a Sequential of Keras
        if where.endswith("/module") and "keras.src.backend.torch.optimizers" in f"{a} {b}":
            return []  # where Keras keeps its optimizers for PyTorch, which it needs not say
        return [] if a == b or (a != a and b != b) else [f"{where}: {str(a)[:100]} / {str(b)[:100]}"]
    return [text for key, x, y in pairs for text in differing(x, y, f"{where}/{key}")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle")
    parser.add_argument("--engines", default="torch")
    parser.add_argument("--also", default="numpy")
    parser.add_argument("--seeds", default="0:20")
    parser.add_argument("--kind")
    parser.add_argument("--policy")
    parser.add_argument("--quantize")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    search = Search(options)
    first, _, last = options.seeds.partition(":")
    engines = options.engines.split(",")
    bad = 0
    for seed in range(int(first), int(last or int(first) + 1)):
        engine = engines[seed % len(engines)]
        start = time.monotonic()
        search.title = ""
        search.seed(seed, engine)
        bad += search.report(seed, engine, time.monotonic() - start)
    for name, number in sorted(search.counts.items()):
        print(f"{number:6} {name}")
    print("layers:", dict(search.classes.most_common()))
    print("refused:", *(f"{n} {text}" for text, n in search.refusals.most_common(30)), sep="\n  ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
