"""Faults of all kinds while a file is written over: what stands there afterwards is one of the two, whole."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
import signal
import tempfile
import time

import numpy as np
import pytest

import ksave
from ksave import atomic, rewrite
from ksave.contents import Array, Contents
from ksave.tests.fake_layers import Chain, Dense

resource = pytest.importorskip("resource")
KINDS = ["m.keras", "folder", "m.weights.h5", "m.weights.json", "m.h5", "rewritten.h5"]


def model(value):
    layers = []
    for units in (40, 200, 7):  # one array is large enough to be summed on its way
        layers.append(Dense(units, name=f"d{units}"))
        layers[-1].build(layers[-2].units if len(layers) > 1 else 40)
        for variable in layers[-1]._own:
            variable.value = np.full(variable.value.shape, value, "float32")
    return Chain(layers)


def save(value, path):
    name = os.path.basename(path)
    if name == "m.weights.json":
        ksave.save_weights(model(value), path, max_shard_size=8000 / 1024**3)
    elif name == "m.weights.h5":
        ksave.save_weights(model(value), path)
    elif name == "rewritten.h5":
        rewrite.write(contents(value), path)
    else:
        ksave.save_model(model(value), path, zipped=False if name == "folder" else None)


def contents(value):
    """Weights as the commands find them in a legacy file."""
    found = Contents("weights.h5", "weights", legacy=True)
    for layer in model(value).layers:
        for v in layer._own:
            array = np.array(v.value)
            found.arrays[f"{layer.name}/{v.name}"] = Array(array.shape, "float32", array.nbytes, array.copy)
    return found


def loaded(path):
    if os.path.basename(path) in ("m.weights.h5", "m.weights.json", "rewritten.h5"):
        found = model(-1)
        ksave.load_weights(found, path)
    else:
        found = ksave.load_model(path)
    values = {float(x) for layer in found.layers for v in layer._own for x in v.value.ravel()}
    assert len(values) == 1, f"a mixture of {values}"
    return values.pop()


@pytest.fixture(params=KINDS)
def path(request, tmp_path):
    save(1, str(tmp_path / request.param))
    return str(tmp_path / request.param)


STEPS = [(os, "pwrite"), (os, "fsync"), (os, "replace"), (os, "chmod"), (os, "rename"), (os, "mkdir"), (os, "link")]


def test_an_error_at_any_step(path, tmp_path, monkeypatch):
    files = sorted(os.listdir(tmp_path))
    expected, failures = 1.0, 0
    for owner, name in [*STEPS, (atomic, "_exchange"), (os, "unlink")]:
        if name == "unlink":  # until here all that was begun is cleared away
            save(expected, path)
            assert sorted(os.listdir(tmp_path)) == files
        real = getattr(owner, name)
        for fail_at in (0, 1, 2, 3, 5, 8, 13, 21, 34):
            calls = [0]

            def fail(*args, calls=calls, fail_at=fail_at, real=real, **kwargs):
                calls[0] += 1
                if calls[0] == fail_at + 1:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return real(*args, **kwargs)

            with monkeypatch.context() as patch:
                patch.setattr(owner, name, fail)
                value = expected + 1
                try:
                    save(value, path)
                except OSError:
                    failures += 1
                    now = loaded(path)
                    # What fails after the new one has taken its place does not take it back.
                    assert now in (expected, value)
                    expected = now
                else:
                    expected = value
            assert loaded(path) == expected
            if calls[0] <= fail_at:
                break
    assert failures >= 10


def test_a_disk_that_is_full_at_any_byte(path, tmp_path):
    files = sorted(os.listdir(tmp_path))
    size = max(os.path.getsize(os.path.join(folder, f)) for folder, _, names in os.walk(tmp_path) for f in names)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    random.seed(0)
    for limit in [0, 1, 511, 4096, size - 1, *(random.randrange(size) for _ in range(15))]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            with pytest.raises(OSError) as caught:
                save(2, path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert caught.value.errno == errno.EFBIG
        assert loaded(path) == 1 and sorted(os.listdir(tmp_path)) == files
    save(2, path)
    assert loaded(path) == 2


@contextlib.contextmanager
def endless_writer(path):
    """A process that saves 3, 4, 5, ... to the same path."""
    child = os.fork()
    if child == 0:
        value = 3
        while True:
            save(value, path)
            value += 1
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_killed_process(path, tmp_path):
    files = sorted(os.listdir(tmp_path))
    random.seed(1)
    seen: set[float] = set()
    begin = time.monotonic()
    save(1, path)
    most = 3 * (time.monotonic() - begin)
    for turn in range(50):
        with endless_writer(path):
            time.sleep(random.uniform(0, most) if turn else 0.0)
        seen.add(loaded(path))
        if turn >= 10 and len(seen) > 1:
            break
        most *= 1.1 if len(seen) == 1 else 1.0  # a busy machine gives the child less than it gave us
    assert len(seen) > 1
    save(2, path)  # what the killed ones left beside is in nobody's way
    assert loaded(path) == 2
    kept = [name for name in os.listdir(tmp_path) if not name.startswith(".")]
    assert set(files) <= set(kept)


@pytest.mark.filterwarnings("ignore:.*fork")
def test_readers_beside_a_writer(path):
    seen = set()
    with endless_writer(path):
        until = time.monotonic() + 0.7
        while time.monotonic() < until or len(seen) < 2 and time.monotonic() < until + 20:
            seen.add(loaded(path))
    assert len(seen) > 1


def test_folders_that_may_not_be_written_to(tmp_path, monkeypatch):
    def refusing(make):
        def refuse(*args, dir=None, **kwargs):
            if dir is None:  # where the system keeps temporary files
                return make(*args, **kwargs)
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        return refuse

    for kind in KINDS:
        with monkeypatch.context() as patch:
            patch.setattr("tempfile.mkstemp", refusing(tempfile.mkstemp))
            patch.setattr("tempfile.mkdtemp", refusing(tempfile.mkdtemp))
            with pytest.raises(PermissionError, match="Read-only.*Save to another folder") as caught:
                save(1, str(tmp_path / kind))
        assert caught.value.filename == str(tmp_path / kind) and not os.listdir(tmp_path)
    if os.getuid():  # root may write everywhere
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError, match=r"m\.keras.*must be writable"):
            save(1, str(tmp_path / "m.keras"))
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("name", ["m.weights.h5", "m.h5", "rewritten.h5"])
def test_a_failed_save_does_not_harm_the_process(name, tmp_path):
    # HDF5 would crash at exit, or at the next look at the file, if it had met the error itself.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = str(tmp_path / name)
    for _ in range(3):
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, hard))
        try:
            with pytest.raises(OSError):
                save(1, path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    save(1, path)
    assert loaded(path) == 1 and shutil.disk_usage(tmp_path).free > 0
