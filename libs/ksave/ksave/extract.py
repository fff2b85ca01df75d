"""Unpacking downloaded archives; nothing lands outside the folder it is unpacked to."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from typing import IO, Any, Iterator

from ksave.archive import check_name, check_ratio
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
    if "tar" in wanted and tarfile.is_tarfile(path):
        _extract_tar(path, folder, limits)
    elif "zip" in wanted and zipfile.is_zipfile(path):
        _extract_zip(path, folder, limits)
    else:
        return False
    return True


def _extract_tar(path: str, folder: str, limits: Limits) -> None:
    budget = max(os.path.getsize(path) * limits.ratio, limits.free_bytes)
    with tarfile.open(path) as archive:
        members, total = [], 0
        try:
            for member in archive:
                name = _tar_name(member.name)
                if not (member.isfile() or member.isdir()) or member.sparse:  # type: ignore[attr-defined]
                    raise UnsafeFileError(f"{path}: {member.name!r} is a link, a device or a sparse file.")
                total += member.size
                if name:
                    members.append((name, member))
                if len(members) > limits.members or total > min(budget, limits.unpacked_bytes):
                    raise UnsafeFileError(f"{path} unpacks to too much ({total} bytes and more).")
        except (tarfile.TarError, EOFError, OSError) as error:
            raise CorruptFileError(f"{path} is a damaged or truncated tar archive ({error}).") from error
        _refuse_twice(path, [name for name, member in members if member.isfile()])
        for name, member in members:
            if member.isdir():
                os.makedirs(os.path.join(folder, name), exist_ok=True)
            else:
                _write(archive.extractfile(member), os.path.join(folder, name), member.size)  # type: ignore[arg-type]


def _tar_name(name: str) -> str:
    # `tar -C folder .` makes names that begin with "./".
    while name.startswith("./"):
        name = name[2:]
    return "" if name in ("", ".") else check_name(name, "The archive").rstrip("/")


def _extract_zip(path: str, folder: str, limits: Limits) -> None:
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        if len(infos) > limits.members or sum(info.file_size for info in infos) > limits.unpacked_bytes:
            raise UnsafeFileError(f"{path} unpacks to too much.")
        for info in infos:
            check_name(info.orig_filename, path)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise UnsafeFileError(f"{path}: {info.filename!r} is a link or device.")
            if info.flag_bits & 1:
                raise UnsafeFileError(f"{path}: {info.filename!r} is encrypted.")
            check_ratio(info.file_size, info.compress_size, f"{path}: {info.filename!r}", limits)
        _refuse_twice(path, [info.filename for info in infos])
        for info in infos:
            target = os.path.join(folder, *info.filename.rstrip("/").split("/"))
            if info.is_dir():
                os.makedirs(target, exist_ok=True)
            else:
                try:
                    with archive.open(info) as source:
                        _write(source, target, info.file_size)
                except (zipfile.BadZipFile, EOFError) as error:
                    raise CorruptFileError(f"{path}: {info.filename!r} is damaged ({error}).") from error


def _refuse_twice(path: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UnsafeFileError(f"{path} has two members named {name!r}.")
        seen.add(name)


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
