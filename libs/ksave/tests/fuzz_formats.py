"""Coverage-guided search for files that end in anything but an error of ours. Run on demand; needs atheris:

    pip install atheris
    python fuzz_formats.py TARGET [SECONDS]

TARGET is `config` (objects from a config; with klayers installed from its layers), `json`, `hdf5`, `zip`, `npz`,
`safetensors`, `tar`, or `all` of them one after the other. A file that crashes, hangs, fills the memory or raises
another error is kept as `crash-*`, `timeout-*` or `oom-*` in the folder the run was started in.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["ksave"]):
    import ksave
    from ksave import (
        archive,
        checked_json,
        codecs,
        deserialize,
        extract,
        hdf5,
        inspection,
        legacy_config,
        legacy_h5,
        lookup,
        migrations,
        npz,
        safetensors,
        stores,
        versions,
        weights,
    )
    from ksave.attacks.containers import CONTAINERS
    from ksave.attacks.text_attacks import RECORDS
    from ksave.deserialize import ConfigError, Loader
    from ksave.tests.fake_layers import small_model

USED = (archive, checked_json, codecs, deserialize, extract, hdf5, legacy_config, legacy_h5, lookup, migrations, npz)
USED += (safetensors, stores, versions, weights)
# A weights file that fits nothing is a ValueError, too.
OURS = (ValueError, ksave.UnknownObjectError, ConfigError)
FOLDER = Path(tempfile.mkdtemp())


def _good(name: str) -> bytes:
    container = next(container for container in CONTAINERS if container.name == name)
    path = container.write(Path(tempfile.mkdtemp()))
    return path.read_bytes()


def _opened(ending: str, data: bytes) -> Path:
    path = FOLDER / f"file{ending}"
    path.write_bytes(data)
    return path


def _attempt(*calls: Callable[[], Any]) -> None:
    for call in calls:
        with contextlib.suppress(*OURS), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            call()


def fuzz_json(data: bytes) -> None:
    """Text that may be JSON: what is taken must be what Python's own reader takes."""
    _attempt(lambda: checked_json.loads(data))


def fuzz_hdf5(data: bytes) -> None:
    """Bytes of an HDF5 file, as weights in both layouts and as a whole legacy model."""
    path = _opened(".weights.h5", data)
    legacy = _opened(".h5", data)
    _attempt(
        lambda: ksave.load_weights(small_model(), path),
        lambda: ksave.KerasFileEditor(path),
        lambda: inspection.verify(str(path)),
        lambda: ksave.load_model(legacy),
    )


def fuzz_zip(data: bytes) -> None:
    """Bytes of a zip file, as a `.keras` file and as an archive to be unpacked."""
    path = _opened(".keras", data)
    with tempfile.TemporaryDirectory() as target:
        _attempt(
            lambda: ksave.load_model(path),
            lambda: inspection.inspect(str(path)),
            lambda: extract.extract_archive(str(path), target, "zip"),
        )


def fuzz_npz(data: bytes) -> None:
    """Bytes of an `.npz` file."""
    path = _opened(".npz", data)
    _attempt(lambda: ksave.load_weights(small_model(), path), lambda: inspection.verify(str(path)))


def fuzz_safetensors(data: bytes) -> None:
    """Bytes of a safetensors file."""
    path = _opened(".safetensors", data)
    _attempt(lambda: inspection.verify(str(path)))


def fuzz_tar(data: bytes) -> None:
    """Bytes of a tar file."""
    path = _opened(".tar", data)
    with tempfile.TemporaryDirectory() as target:
        _attempt(lambda: extract.extract_archive(str(path), os.path.join(target, "a", "b"), "tar"))
        assert set(os.listdir(target)) <= {"a"}
        assert not os.path.exists(os.path.join(target, "a")) or os.listdir(os.path.join(target, "a")) == ["b"]


def _configs() -> list[Any]:
    found = [json.loads(zipfile.ZipFile(io.BytesIO(_good("m.keras"))).read("config.json"))]
    with contextlib.suppress(ImportError):
        import keras

        inputs = keras.Input((4,))
        hidden = keras.layers.Dense(3, "relu", kernel_regularizer="l2")(inputs)
        model = keras.Model(inputs, keras.layers.Dense(2)(hidden + 1.0))
        model.compile("adam", "mse", metrics=["accuracy"])
        rnn = keras.Sequential([keras.Input((4, 3)), keras.layers.Bidirectional(keras.layers.LSTM(2))])
        found += [ksave.serialize_keras_object(model), ksave.serialize_keras_object(rnn)]
    return json.loads(json.dumps(found))


JUNK: tuple[Any, ...] = (None, True, 0, -1, 1 << 40, 1e308, float("nan"), float("inf"), "", "x", "\0", [], {}, [[]])


def _config_target() -> Callable[[bytes], None]:
    configs = _configs()
    records = list(RECORDS.values())

    def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        found = [path]
        if isinstance(value, (dict, list)):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                found += places(inner, (*path, key))
        return found

    def fuzz_config(data: bytes) -> None:
        """A good config of which some values were exchanged for junk, for records, or for each other."""
        choose = atheris.FuzzedDataProvider(data)
        config = copy.deepcopy(choose.PickValueInList(configs))
        for _ in range(choose.ConsumeIntInRange(1, 6)):
            where = places(config)[1:]
            if not where:
                break
            path = choose.PickValueInList(where)
            kind = choose.ConsumeIntInRange(0, 5)
            new: Any
            if kind == 0:
                new = choose.PickValueInList(list(JUNK))
            elif kind == 1:
                new = copy.deepcopy(choose.PickValueInList(records))
            elif kind == 2:
                new = copy.deepcopy(configs[0])
            elif kind == 3:
                new = choose.ConsumeUnicode(8)
            elif kind == 4:
                new = choose.ConsumeIntInRange(-5, 1 << 50)
            else:
                new = config
                for key in choose.PickValueInList(where):
                    new = new[key]
                new = copy.deepcopy(new)
            inner = config
            for key in path[:-1]:
                inner = inner[key]
            if choose.ConsumeBool() or isinstance(inner, list):
                inner[path[-1]] = new
            else:
                del inner[path[-1]]
        loader = Loader(legacy=choose.ConsumeBool())
        loader.before_3, loader.newer = loader.legacy, choose.ConsumeBool()
        loader.budget = {"left": 1 << 26}
        _attempt(lambda: loader.deserialize(config))
        assert ksave.in_safe_mode()

    return fuzz_config


TARGETS: dict[str, tuple[Callable[[], Callable[[bytes], None]], Callable[[], list[bytes]]]] = {
    "config": (_config_target, lambda: [os.urandom(64) for _ in range(8)]),
    "json": (lambda: fuzz_json, lambda: [b'{"a": [1, "x\\"", {"b": null}]}', b"[" * 50 + b"]" * 50]),
    "hdf5": (lambda: fuzz_hdf5, lambda: [_good("m.weights.h5"), _good("legacy.h5")]),
    "zip": (lambda: fuzz_zip, lambda: [_good("m.keras"), _good("npz.keras")]),
    "npz": (lambda: fuzz_npz, lambda: [_good("m.npz")]),
    "safetensors": (lambda: fuzz_safetensors, lambda: [_good("m.safetensors")]),
    "tar": (lambda: fuzz_tar, lambda: _tars()),
}


def _tars() -> list[bytes]:
    from ksave.attacks.archive_attacks import GOOD, TAR, tar

    path, found = FOLDER / "seed.tar", []
    for mode in ("w", "w:gz"):
        tar(path, GOOD, ("a/b", {}, bytes(600)), mode=mode)
        found.append(path.read_bytes())
    for attack in TAR.values():
        attack(path)
        found.append(path.read_bytes()[:4096])
    return found


def main(target: str, seconds: str = "60") -> None:
    """Search one target for a while."""
    if target == "all":
        for name in TARGETS:
            subprocess.run([sys.executable, __file__, name, seconds], check=True)
        return
    make, seeds = TARGETS[target]
    corpus = FOLDER / "corpus"
    corpus.mkdir()
    for index, seed in enumerate(seeds()):
        (corpus / str(index)).write_bytes(seed)
    options = [
        f"-max_total_time={seconds}",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-max_len=65536",
        "-print_final_stats=1",
    ]
    atheris.Setup([target, *options, str(corpus)], make())
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
