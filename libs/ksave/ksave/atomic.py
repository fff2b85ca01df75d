"""Writing so that a crash leaves either the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from typing import Iterator


def _folder_of(path: str) -> str:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"Cannot write {path}: there is no folder {folder}. Create it first.")
    return folder


def _sync_folder(folder: str) -> None:
    # Makes the rename itself durable. Not every system can open a folder; there the rename still is atomic.
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _mode_for(path: str) -> int:
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yield the name of a new file that becomes `path` when the block ends, and vanishes when it fails.

    Example:
        >>> with atomic_file("weights.npz") as temporary:
        ...     write(temporary)
    """
    path = os.path.realpath(path)  # a link keeps pointing to the file it points to
    folder = _folder_of(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", suffix=".part", dir=folder)
    os.close(handle)
    try:
        yield temporary
        os.chmod(temporary, _mode_for(path))
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def atomic_folder(path: str) -> Iterator[str]:
    """Like `atomic_file` for a folder. The old folder is put aside just before the new one takes its name."""
    path = os.path.realpath(path)
    parent = _folder_of(path)
    temporary = tempfile.mkdtemp(prefix=f".{os.path.basename(path)}.", suffix=".part", dir=parent)
    try:
        yield temporary
        mode = _mode_for(path)
        os.chmod(temporary, mode | (mode & 0o444) >> 2)  # whoever may read a folder may enter it
        aside = None
        if os.path.lexists(path):
            aside = tempfile.mkdtemp(prefix=f".{os.path.basename(path)}.", suffix=".old", dir=parent)
            os.rename(path, os.path.join(aside, "old"))
        try:
            os.rename(temporary, path)
        except BaseException:
            if aside is not None:
                os.rename(os.path.join(aside, "old"), path)
                os.rmdir(aside)
            raise
        _sync_folder(parent)
        if aside is not None:
            shutil.rmtree(aside)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
