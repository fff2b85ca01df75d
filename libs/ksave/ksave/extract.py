"""Unpacking downloaded archives; nothing lands outside the folder it is unpacked to."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from typing import IO, Any, Iterator

from ksave.archive import check_members, check_name, open_zip
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError

_CHUNK = 1 << 20
_FORMATS = ("tar", "zip")


def extract_archive(path: str, folder: str, formats: Any = "auto", limits: Limits = DEFAULT) -> bool:
    """Unpack a tar (plain, gzip, bzip2, xz) or zip file into a folder.

    All members are checked before the first is written. Links, devices, absolute names and names with
    `..`, backslashes or drive letters are refused, as are archives that grow beyond the limits.

    Args:
        path: the archive.
        folder: where its content goes; made when it is not there.
        formats: `"auto"`, `"tar"`, `"zip"`, a list of these, or None for no unpacking.
        limits: bounds on members and sizes.

    Returns:
        False when the file is no archive of these formats.
    """
    wanted = _FORMATS if formats == "auto" else [formats] if isinstance(formats, str) else (formats or ())
    for name in wanted:
        if name not in _FORMATS:
            raise ValueError(f"Archives are of format 'tar' or 'zip', not {name!r}.")
    if "tar" in wanted and _is_tar(path):
        _extract_tar(path, folder, limits)
    elif "zip" in wanted and zipfile.is_zipfile(path):
        _extract_zip(path, folder, limits)
    else:
        return False
    return True


class _Stream(io.BufferedIOBase):
    """The unpacked bytes of a tar file, in reads of bounded size.

    tarfile reads the headers that hold long names at once, whatever size they claim, before it shows them.
    """

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            start = file.read(6)
        openers = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
        opener = next((opener for magic, opener in openers.items() if start.startswith(magic)), open)
        self._file: Any = opener(path, "rb")  # type: ignore[operator]
        self.path = path

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _CHUNK:
            raise UnsafeFileError(f"{self.path} has a header of {size} bytes; that is too much.")
        data: bytes = self._file.read(size)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        place: int = self._file.seek(offset, whence)
        return place

    def tell(self) -> int:
        place: int = self._file.tell()
        return place

    def close(self) -> None:
        self._file.close()
        super().close()


_DAMAGE = (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError, OverflowError, MemoryError)


@contextlib.contextmanager
def _damage(path: str) -> Iterator[None]:
    try:
        yield
    except UnsafeFileError:
        raise
    except _DAMAGE as error:
        raise CorruptFileError(f"{path} is a damaged or truncated tar archive ({error}).") from error


def _is_tar(path: str) -> bool:
    """Whether a file begins with the header of a tar archive, once it is unpacked."""
    try:
        with _Stream(path) as stream:
            tarfile.TarInfo.frombuf(stream.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
    except _DAMAGE:
        return False
    return True


def _extract_tar(path: str, folder: str, limits: Limits) -> None:
    budget = min(max(os.path.getsize(path) * limits.ratio, limits.free_bytes), limits.unpacked_bytes)
    with _damage(path), _Stream(path) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
        members, total = [], 0
        for count, member in enumerate(archive):
            if not (member.isfile() or member.isdir()) or member.sparse:  # type: ignore[attr-defined]
                raise UnsafeFileError(f"{path}: {member.name!r} is a link, a device or a sparse file.")
            name = _tar_name(member.name)
            if member.size < 0 or member.isdir() and member.size:
                raise UnsafeFileError(f"{path}: {member.name!r} claims a size of {member.size}.")
            total += member.size + tarfile.BLOCKSIZE
            if name:
                members.append((name, member))
            if count >= limits.members or total > budget:
                raise UnsafeFileError(f"{path} unpacks to too much ({total} bytes and more).")
        files = [name for name, member in members if member.isfile()]
        check_members(files, path, [name for name, member in members if member.isdir()])
        for name, member in members:
            if member.isdir():
                os.makedirs(os.path.join(folder, name), exist_ok=True)
            else:
                source: Any = archive.extractfile(member)
                _write(source, os.path.join(folder, name), member.size)


def _tar_name(name: str) -> str:
    # `tar -C folder .` makes names that begin with "./".
    while name.startswith("./"):
        name = name[2:]
    return "" if name in ("", ".") else check_name(name, "The archive").rstrip("/")


def _extract_zip(path: str, folder: str, limits: Limits) -> None:
    archive, infos = open_zip(path, limits)
    with contextlib.closing(archive.fp), archive:  # type: ignore[type-var]
        for info in infos:
            target = os.path.join(folder, *info.orig_filename.rstrip("/").split("/"))
            if info.is_dir():
                os.makedirs(target, exist_ok=True)
                continue
            try:
                with archive.open(info) as source:
                    _write(source, target, info.file_size)
            except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError) as error:
                raise CorruptFileError(f"{path}: {info.filename!r} is damaged ({error}).") from error


def _write(source: IO[bytes], target: str, size: int) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(target):
        raise UnsafeFileError(f"{target} is a link; it is not written through.")
    with source, open(target, "wb") as file:
        for chunk in _chunks(source, size):
            file.write(chunk)


def _chunks(source: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := source.read(min(_CHUNK, size))):
        size -= len(chunk)
        yield chunk
    if size:
        raise CorruptFileError("The archive ends in the middle of a member.")
