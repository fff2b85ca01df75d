"""Paths on other machines (`gs://bucket/model.keras`, `s3://`, `memory://`), through fsspec if it is installed.

Files are read whole to a temporary file and written from one: what is checked and what is used are the same bytes,
and a name gets its new content in one step where the store works so (object stores do).
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


@contextlib.contextmanager
def fetched(path: str) -> Iterator[str]:
    """A local file with the content of `path`, gone at the end of the block; a local path as it is.

    Raises:
        FileNotFoundError: there is no such file.
        ModuleNotFoundError: fsspec or its driver for this store is missing.
    """
    if not is_remote(path):
        yield path
        return
    store, name = _store(path)
    if not store.exists(name):
        raise FileNotFoundError(f"There is no file {path}.")
    if store.isdir(name):
        raise ValueError(f"{path} is a folder. From remote stores single files are read: copy it to a local path.")
    with tempfile.TemporaryDirectory() as folder:
        local = os.path.join(folder, os.path.basename(name.rstrip("/")))
        store.get_file(name, local)
        yield local


@contextlib.contextmanager
def uploaded(path: str) -> Iterator[str]:
    """The name of a local file that is uploaded to `path` when the block ends, and forgotten when it fails."""
    store, name = _store(path)
    with tempfile.TemporaryDirectory() as folder:
        local = os.path.join(folder, os.path.basename(name.rstrip("/")))
        open(local, "xb").close()
        yield local
        store.put_file(local, name)
