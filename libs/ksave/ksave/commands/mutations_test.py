"""Commands on files that were changed at random: words and an exit code, whatever is in them."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import random
import traceback
import zipfile

import h5py

from ksave.__main__ import main

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "testdata")
MODELS = ("seq_plain.keras", "precision_float16_bfloat16_layers.keras", "string_lookup_int.keras")
JUNK = [None, True, 0, -1, 1.5, "", "x", [], {}, [1], [[]], {"a": 1}, {"class_name": 3}, 10**30, "Sequential"]
JUNK += [
    {"class_name": "Dense"},
    {"class_name": "Dense", "config": None},
    {"class_name": "Bidirectional", "config": {}},
]


def _places(value, path=()):
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(inner, (*path, key))


def _changed(record, dice):
    record = copy.deepcopy(record)
    for _ in range(dice.randint(1, 4)):
        path = dice.choice(list(_places(record)))
        if path:
            inner = record
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = copy.deepcopy(dice.choice(JUNK))
    return record


def _archive(path, dice):
    with zipfile.ZipFile(os.path.join(DATA, dice.choice(MODELS))) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            if name == "config.json" or (name == "metadata.json" and dice.random() < 0.2):
                text = json.dumps(_changed(json.loads(text), dice))
            target.writestr(name, text)


def _legacy(path, dice):
    with open(os.path.join(DATA, "h5_compiled_adam.h5"), "rb") as source, open(path, "wb") as target:
        target.write(source.read())
    with h5py.File(path, "a") as file:
        name = dice.choice(["model_config", "training_config"])
        file.attrs[name] = json.dumps(_changed(json.loads(file.attrs[name]), dice))
        if dice.random() < 0.3:
            file["model_weights"].attrs["layer_names"] = dice.choice([[b"a"], [b"dense", b"dense"], 3, "x"])


def _bytes(path, dice):
    with open(os.path.join(DATA, dice.choice(["w_dense.weights.h5", "h5_compiled_adam.h5"])), "rb") as source:
        data = bytearray(source.read())
    for _ in range(dice.randint(1, 20)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    with open(path, "wb") as target:
        target.write(data)


def run_one(seed, folder):
    """What went wrong with one file, in words; None when nothing did."""
    dice = random.Random(seed)
    make, ending = dice.choice([(_archive, ".keras"), (_archive, ".keras"), (_legacy, ".h5"), (_bytes, ".h5")])
    path, other = os.path.join(folder, f"x{ending}"), os.path.join(folder, f"o{ending}")
    make(path, dice)
    for command in (
        ["inspect", path],
        ["verify", path],
        ["diff", path, os.path.join(DATA, MODELS[0])],
        ["rename", path, "dense", "q", "-f", "-o", other],
        ["strip", path, "--compile", "-f", "-o", other],
        ["convert", path, os.path.join(folder, "c.keras"), "-f"],
        ["convert", path, os.path.join(folder, "c.h5"), "-f"],
        ["convert", os.path.join(DATA, "w_dense.weights.h5"), os.path.join(folder, "d.h5"), "-f", "--config", path],
        ["edit", path, "--set", "dense", "units", "3", "--dry-run"],
    ):
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                code = main(command)
        except Exception:
            return f"{seed} {command[0]}\n{traceback.format_exc()}"
        if code not in (0, 1, 2):
            return f"{seed} {command[0]}: exit code {code}"
    return None


def run_all(seeds, folder):
    """The failures of many files, printed as they come."""
    failures = []
    for seed in seeds:
        words = run_one(seed, folder)
        if words:
            print(words, flush=True)
            failures.append(words)
    return failures


def test_commands_end_with_words(tmp_path):
    assert run_all(range(10), str(tmp_path)) == []
