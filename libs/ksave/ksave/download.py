"""Downloading files once and keeping them, with their hash compared and archives unpacked."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator

from ksave.archive import check_name
from ksave.extract import extract_archive
from ksave.limits import CorruptFileError, UnsafeFileError
from kspec import public

_CHUNK = 1 << 18
_TIMEOUT = 60  # seconds without any byte
_LOCK_AGE = 3600  # a lock this old was left behind by a process that died


def cache_home() -> str:
    """The folder of caches: `KERAS_HOME`, else `~/.keras`, else one below /tmp where that is read-only."""
    home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    parent = home if os.path.exists(home) else os.path.dirname(home)
    return home if os.access(parent, os.W_OK) else os.path.join(tempfile.gettempdir(), ".keras")


@public("keras.utils.get_file")
def get_file(
    fname: str | None = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: str | None = None,
    force_download: bool = False,
) -> str:
    """Download a file unless it is in the cache, and give its path.

    The file gets its name only when all of it has arrived and its hash is right. Processes that want the
    same file wait for each other.

    Args:
        fname: name in the cache; by default the last part of the address.
        origin: an http, https, ftp or file address.
        untar: older form of `extract` for tar archives.
        md5_hash: older form of `file_hash`.
        file_hash: expected hash in hexadecimal.
        cache_subdir: folder below the cache.
        hash_algorithm: `"auto"` (told from the length of `file_hash`), `"sha256"` or `"md5"`.
        extract: unpack the archive beside it, safely.
        archive_format: `"auto"`, `"tar"`, `"zip"`, a list of these, or None.
        cache_dir: instead of `KERAS_HOME` or `~/.keras`.
        force_download: fetch it again even if it is there.

    Returns:
        The path of the file, or of the folder of what was unpacked.

    Raises:
        ValueError: no address, an address of another kind, a bad name, or (CorruptFileError) a wrong hash.
        OSError: it could not be fetched.

    Example:
        >>> get_file(origin="https://example.org/flowers.tar.gz", extract=True)
    """
    if origin is None:
        raise ValueError('get_file() needs an address: get_file(origin="https://...").')
    if urllib.parse.urlsplit(origin).scheme not in ("http", "https", "ftp", "file"):
        raise UnsafeFileError(f"Files are fetched from http, https, ftp and file addresses, not {origin!r}.")
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    name = os.fspath(fname) if fname else os.path.basename(urllib.parse.urlsplit(origin).path)
    if not name:
        raise ValueError(f"The address {origin!r} has no file name at its end; give fname.")
    if os.path.basename(name) != name:
        raise ValueError(f"fname is a file name without folders, not {name!r}. Give the folder as cache_dir.")
    check_name(name, "get_file()")
    folder = os.path.join(cache_dir or cache_home(), cache_subdir)
    path = os.path.join(folder, name + ("_archive" if extract or untar else ""))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _lock(path + ".lock"):
        if force_download or not _is_current(path, file_hash, hash_algorithm):
            _download(origin, path, file_hash, hash_algorithm)
            fresh = True
        else:
            fresh = False
        if not (extract or untar):
            return path
        return _unpacked(path, os.path.join(folder, name), "tar" if untar else archive_format, fresh)


def _is_current(path: str, file_hash: str | None, algorithm: str) -> bool:
    if not os.path.exists(path):
        return False
    if file_hash is None or hash_of(path, algorithm, file_hash) == file_hash.lower():
        return True
    print(f"{path} is there with another hash; fetching it again.", file=sys.stderr)
    return False


def _unpacked(archive: str, target: str, formats: Any, fresh: bool) -> str:
    if fresh or not os.path.exists(target):
        # Unpacked aside first, so that what has the final name is whole.
        temporary = tempfile.mkdtemp(prefix=".unpack-", dir=os.path.dirname(target))
        try:
            if not extract_archive(archive, temporary, formats):
                raise CorruptFileError(f"{archive} is not an archive of format {formats!r}.")
            os.chmod(temporary, 0o755)
            if os.path.isdir(target):
                shutil.rmtree(target)
            elif os.path.lexists(target):
                os.unlink(target)
            os.rename(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return target


def hash_of(path: str, algorithm: str = "auto", expected: str | None = None) -> str:
    """The hash of a file in hexadecimal; `"auto"` tells the algorithm from the length of `expected`."""
    if algorithm == "auto":
        algorithm = "md5" if expected is not None and len(expected) == 32 else "sha256"
    if algorithm not in ("sha256", "md5"):
        raise ValueError(f"hash_algorithm is 'auto', 'sha256' or 'md5', not {algorithm!r}.")
    digest = hashlib.sha256() if algorithm == "sha256" else hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _download(origin: str, path: str, file_hash: str | None, algorithm: str) -> None:
    handle, temporary = tempfile.mkstemp(prefix=".fetch-", suffix=".part", dir=os.path.dirname(path))
    try:
        try:
            with urllib.request.urlopen(origin, timeout=_TIMEOUT) as answer, os.fdopen(handle, "wb") as file:
                length = int(answer.headers.get("Content-Length") or 0)
                done = 0
                with _progress(os.path.basename(path), length) as show:
                    while chunk := answer.read(_CHUNK):
                        file.write(chunk)
                        done += len(chunk)
                        show(done)
                file.flush()
                os.fsync(file.fileno())
        except urllib.error.HTTPError as error:
            raise OSError(
                f"Could not fetch {origin}: the server answered {error.code} {error.reason}."
            ) from error
        except urllib.error.URLError as error:
            raise OSError(
                f"Could not fetch {origin}: {error.reason}. Without a network, put the file at {path}."
            ) from error
        if length and done != length:
            raise OSError(f"{origin} broke off after {done} of {length} bytes. Try again.")
        if file_hash is not None:
            found = hash_of(temporary, algorithm, file_hash)
            if found != file_hash.lower():
                raise CorruptFileError(
                    f"{origin} has the hash {found}, expected was {file_hash}. It was not kept."
                )
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


@contextlib.contextmanager
def _progress(name: str, length: int) -> Iterator[Any]:
    """A line that is written over while a terminal looks on, nothing otherwise."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    last = [0.0]

    def show(done: int) -> None:
        now = time.monotonic()
        if now - last[0] > 0.1 or done == length:
            last[0] = now
            share = (
                f"{100 * done // length:3d}% of {length / 1e6:.1f} MB" if length else f"{done / 1e6:.1f} MB"
            )
            print(f"\r{name}: {share}", end="", file=sys.stderr, flush=True)

    yield show
    print(file=sys.stderr)


@contextlib.contextmanager
def _lock(path: str) -> Iterator[None]:
    """One process at a time; a lock whose owner died is taken over."""
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if time.time() - os.path.getmtime(path) > _LOCK_AGE:
                    os.unlink(path)
            time.sleep(0.05)
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
