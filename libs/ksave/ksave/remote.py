"""Paths on other machines (`gs://bucket/model.keras`, `s3://`, `memory://`), through fsspec if it is installed.

Files and folders are read whole to a temporary place, so that what is checked and what is used are the same bytes.
Single files are written from one, and a name gets its new content in one step where the store works so (object stores
do). Folders and sets of shards are written to local disks only: no store gives several files their names in one step.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import tempfile
from typing import Any, Iterator

# A drive letter of Windows is one letter.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def is_remote(path: str) -> bool:
    """Whether a path names a file elsewhere."""
    return _SCHEME.match(path) is not None


def _store(path: str) -> tuple[Any, str]:
    scheme = path.partition("://")[0]
    try:
        fsspec = importlib.import_module("fsspec")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{path} is on a remote store, for which the package fsspec is needed: pip install fsspec (and, for most "
            "stores, its driver: gcsfs for gs://, s3fs for s3://, huggingface_hub for hf://). Or copy the file to a "
            "local path.",
            name="fsspec",
        ) from error
    try:
        return fsspec.core.url_to_fs(path)
    except ValueError as error:
        raise ValueError(f"{path}: fsspec knows no store {scheme!r} ({error}).") from error
    except ImportError as error:
        raise ModuleNotFoundError(f"{path}: fsspec needs a driver for {scheme}:// ({error}).") from error


def exists(path: str) -> bool:
    """Whether there is such a file, local or remote."""
    if not is_remote(path):
        return os.path.exists(path)
    store, name = _store(path)
    return bool(store.exists(name))


def size(path: str) -> int:
    """Bytes of a file or folder, local or remote."""
    if is_remote(path):
        store, name = _store(path)
        return int(store.du(name))
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(at, file)) for at, _, files in os.walk(path) for file in files)


def same(one: str, other: str) -> bool:
    """Whether two paths are of one file that is there."""
    if is_remote(one) or is_remote(other):
        return one == other and exists(other)
    return os.path.exists(other) and os.path.samefile(one, other)


@contextlib.contextmanager
def fetched(path: str) -> Iterator[str]:
    """A local file or folder with the content of `path`, gone at the end of the block; a local path as it is.

    With an index of sharded weights come the files that it names. Errors in the block speak of `path`.

    Raises:
        FileNotFoundError: there is no such file.
        ModuleNotFoundError: fsspec or its driver for this store is missing.
        UnsafeFileError, CorruptFileError: what is there names files outside of its folder.
    """
    if not is_remote(path):
        yield path
        return
    store, name = _store(path)
    name = name.rstrip("/")
    if not store.exists(name):
        raise FileNotFoundError(f"There is no file {path}.")
    with tempfile.TemporaryDirectory() as folder:
        local = os.path.join(folder, os.path.basename(name))
        try:
            for source, target in _parts(store, name, local, path):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                store.get_file(source, target)
            yield local
        except Exception as error:
            error.args = tuple(arg.replace(local, path) if isinstance(arg, str) else arg for arg in error.args)
            raise


def _parts(store: Any, name: str, local: str, path: str) -> Iterator[tuple[str, str]]:
    """Remote and local name of every file that belongs to a path; the first is fetched before the second is asked."""
    from ksave.archive import check_name
    from ksave.limits import DEFAULT, UnsafeFileError
    from ksave.stores import read_index

    if store.isdir(name):
        os.makedirs(local)
        files = store.find(name)
        if len(files) > DEFAULT.members:
            raise UnsafeFileError(f"{path} has more than {DEFAULT.members} files.")
        for file in files:
            yield file, os.path.join(local, *check_name(file[len(name) + 1 :], path).split("/"))
        return
    yield name, local
    if name.endswith(".weights.json"):
        with open(local, "rb") as index:
            names, _ = read_index(index.read(), path)
        for part in names:
            yield f"{name.rpartition('/')[0]}/{part}", os.path.join(os.path.dirname(local), part)


@contextlib.contextmanager
def uploaded(path: str) -> Iterator[str]:
    """The name of a local file that is uploaded to `path` when the block ends, and forgotten when it fails."""
    store, name = _store(path)
    with tempfile.TemporaryDirectory() as folder:
        local = os.path.join(folder, os.path.basename(name.rstrip("/")))
        open(local, "xb").close()
        yield local
        store.put_file(local, name)
