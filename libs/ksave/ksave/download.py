"""Downloading files once and keeping them, with their hash compared and archives unpacked."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import urllib.parse
from typing import Any

from ksave.archive import check_name
from ksave.extract import extract_archive
from ksave.fetch import fetch
from ksave.file_lock import file_lock
from ksave.limits import CorruptFileError, UnsafeFileError
from kspec import public

_CHUNK = 1 << 18


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

    The file gets its name only when all of it has arrived and its hash is right; a download that broke off is gone
    on with. Processes that want the same file wait for each other, and it is fetched once.

    Args:
        fname: name in the cache; by default the last part of the address.
        origin: an http, https, ftp or file address.
        untar: older form of `extract` for tar archives.
        md5_hash: older form of `file_hash`.
        file_hash: expected hash in hexadecimal. A file in the cache with another one is fetched again.
        cache_subdir: folder below the cache, or the path of another folder.
        hash_algorithm: `"auto"` (told from the length of `file_hash`), `"sha256"` or `"md5"`.
        extract: unpack the archive, safely. Where to is told by `fname`: `"flowers"` keeps the archive as
            `flowers_archive` and unpacks to `flowers`; `"flowers.tar.gz"` keeps that and unpacks to
            `flowers_extracted`; without `fname` the last part of the address counts as a name without a dot.
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
    _check_algorithm(hash_algorithm)
    folder = os.path.join(os.fspath(cache_dir or cache_home()), cache_subdir)
    archive, target = name, name
    if (extract or untar) and fname and "." in name:
        target = f"{name.split('.')[0]}_extracted"
    elif extract or untar:
        archive = f"{name}_archive"
    path, target = os.path.join(folder, archive), os.path.join(folder, target)
    os.makedirs(folder, exist_ok=True)
    with file_lock(f"{path}.lock"):
        fresh = force_download or not _is_current(path, file_hash, hash_algorithm)
        if fresh:
            check = _hash_check(origin, file_hash, hash_algorithm)
            fetch(origin, path, check, hashed=file_hash is not None)
        if not (extract or untar):
            return path
        formats = "tar" if untar and not extract else archive_format
        if target == path:
            return path
        with file_lock(f"{target}.lock"):
            return _unpacked(path, target, formats, fresh)


def _is_current(path: str, file_hash: str | None, algorithm: str) -> bool:
    if not os.path.exists(path):
        return False
    if file_hash is None or hash_of(path, algorithm, file_hash) == file_hash.lower():
        return True
    print(f"{path} is there with another hash; fetching it again.", file=sys.stderr)
    return False


def _unpacked(archive: str, target: str, formats: Any, fresh: bool) -> str:
    folder, name = os.path.split(target)
    # Archives of several names can go to one folder; this file says which one is there.
    origin = os.path.join(folder, f".{name}.from")
    if fresh or not os.path.isdir(target) or _read(origin) not in (None, os.path.basename(archive)):
        # Unpacked aside first, so that what has the final name is whole.
        temporary = tempfile.mkdtemp(prefix=".unpack-", dir=folder)
        try:
            if not extract_archive(archive, temporary, formats):
                raise CorruptFileError(f"{archive} is not an archive of format {formats!r}.")
            os.chmod(temporary, 0o755)
            if os.path.isdir(target) and not os.path.islink(target):
                shutil.rmtree(target)
            elif os.path.lexists(target):
                os.unlink(target)
            os.rename(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        if name.endswith("_extracted"):
            with open(origin, "w", encoding="utf-8") as file:
                file.write(os.path.basename(archive))
    return target


def _read(path: str) -> str | None:
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
        return file.read()
    return None


def _hash_check(origin: str, expected: str | None, algorithm: str) -> Any:
    def check(path: str) -> str | None:
        found = expected and hash_of(path, algorithm, expected)
        if expected is None or found == expected.lower():
            return None
        return f"{origin} has the hash {found}, expected was {expected}. It was not kept."

    return check


def _check_algorithm(algorithm: str) -> None:
    if algorithm not in ("auto", "sha256", "md5"):
        raise ValueError(f"hash_algorithm is 'auto', 'sha256' or 'md5', not {algorithm!r}.")


def hash_of(path: str, algorithm: str = "auto", expected: str | None = None) -> str:
    """The hash of a file in hexadecimal; `"auto"` tells the algorithm from the length of `expected`."""
    if algorithm == "auto":
        algorithm = "md5" if expected is not None and len(expected) == 32 else "sha256"
    _check_algorithm(algorithm)
    digest = hashlib.sha256() if algorithm == "sha256" else hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
