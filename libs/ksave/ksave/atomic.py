"""Writing so that a crash leaves either the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import tempfile
from typing import Any, Iterator

from ksave import remote

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def _folder_of(path: str) -> str:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"Cannot write {path}: there is no folder {folder}. Create it first.")
    return folder


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    """Says which file could not be written and what helps, when the folder is closed to us."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        raise PermissionError(
            error.errno,
            f"Cannot write {path}: {os.strerror(error.errno or 0)}. A new file is written beside the old one first, so "
            f"the folder {os.path.dirname(path) or '.'} must be writable. Save to another folder, or change its "
            "permissions",
            path,
        ) from error


def beside(path: str, make: Any) -> Any:
    """A temporary file or folder in the folder of `path`."""
    # The name of a file has 255 bytes at most; ours is longer than the one it stands for.
    with _explained(path):
        return make(prefix=f".{os.path.basename(path)[:40]}.", suffix=".part", dir=_folder_of(path))


def sync_file(path: str) -> None:
    """Wait until a file is on the disk."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: str) -> None:
    """Make what was renamed in a folder durable."""
    # Not every system can open a folder; there a rename still is atomic.
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _mode_for(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yield the name of a new file that becomes `path` when the block ends, and vanishes when it fails.

    A remote path (`gs://...`) is uploaded at the end.

    Raises:
        FileNotFoundError: the folder is not there.
        PermissionError: the folder may not be written to.

    Example:
        >>> with atomic_file("weights.npz") as temporary:
        ...     write(temporary)
    """
    if remote.is_remote(path):
        with remote.uploaded(path) as temporary:
            yield temporary
        return
    path = os.path.realpath(path)  # a link keeps pointing to the file it points to
    handle, temporary = beside(path, tempfile.mkstemp)
    os.close(handle)
    try:
        yield temporary
        os.chmod(temporary, _mode_for(path))
        sync_file(temporary)
        with _explained(path):
            os.replace(temporary, path)
        sync_folder(os.path.dirname(path))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def atomic_folder(path: str) -> Iterator[str]:
    """Like `atomic_file` for a folder: the old and the new one change places in one step where the system can."""
    if remote.is_remote(path):
        raise NotImplementedError(
            f"Folders are written to local disks only, not to {path}. Save one file there instead (zipped=True)."
        )
    path = os.path.realpath(path)
    temporary = beside(path, tempfile.mkdtemp)
    try:
        yield temporary
        mode = _mode_for(path)
        os.chmod(temporary, mode | (mode & 0o444) >> 2)  # whoever may read a folder may enter it
        for folder, _, files in os.walk(temporary):
            for file in files:
                sync_file(os.path.join(folder, file))
            sync_folder(folder)
        with _explained(path):
            _take_place(temporary, path)
        sync_folder(os.path.dirname(path))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)  # what failed, or the old one


def _take_place(new: str, path: str) -> None:
    """Give `new` the name `path`; what had it before then is at `new`, or nowhere."""
    if not os.path.lexists(path):
        os.rename(new, path)
    elif not _exchange(new, path):
        # For a moment there is neither. The old one is kept beside until the new one is there.
        aside = beside(path, tempfile.mkdtemp)
        os.rename(path, os.path.join(aside, "old"))
        try:
            os.rename(new, path)
        except BaseException:
            os.rename(os.path.join(aside, "old"), path)
            os.rmdir(aside)
            raise
        shutil.rmtree(aside)


def _exchange(one: str, other: str) -> bool:
    """Swap two names in one step; False where the system or the file system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2  # Linux
    except (AttributeError, OSError, TypeError):
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), one, None, other)
