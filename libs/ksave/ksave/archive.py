"""The one reader of `.keras` containers: zip files, and folders of the same layout. Checks come first."""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import sys
import tempfile
import unicodedata
import zipfile
import zlib
from typing import Any, BinaryIO, Iterable

from ksave import sniff
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError, visible
from ksave.windows import SummedWindow, Window

_CHUNK = 1 << 20
_HELD = 200  # files of a folder that are held open; the weights are among them, assets may be more
_ATTEMPTS = 50
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Names of devices on Windows.
_MAX_PART, _MAX_NAME, _MAX_DEPTH = 255, 4096, 100  # bytes that file systems take, and folders in folders
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")


def check_name(name: str, where: str) -> str:
    """Refuse names of archive members that would leave the folder they are unpacked to."""
    size = len(name.encode("utf-8", "surrogatepass"))
    parts = name.rstrip("/").split("/")
    if size > _MAX_NAME or len(parts) > _MAX_DEPTH or size > _MAX_PART < max(len(p.encode()) for p in parts):
        raise UnsafeFileError(f"{where} has a member named {name[:80]!r}..., which is too long or too deep.")
    if (
        not name
        or "\\" in name
        or name.startswith("/")
        or re.match(r"[A-Za-z]:", name)
        or any(part in ("", ".", "..") for part in parts)
        or visible(name) != name
        or os.name == "nt"
        and any(":" in part or part[-1] in ". " or _RESERVED.match(part) for part in parts)
    ):
        raise UnsafeFileError(
            f"{where} has a member named {name!r}. Names are relative, with '/' between parts and no '..'."
        )
    return name


def check_members(files: Iterable[str], where: str, folders: Iterable[str] = ()) -> None:
    """Refuse files of which one would take the place of another, or of a folder, on any file system."""
    seen: set[str] = set()
    for name in files:
        check_name(name, where)
        folded = _folded(name)
        if folded in seen:
            raise UnsafeFileError(f"{where} has two members named {name!r}; readers would disagree.")
        seen.add(folded)
    for folded in [*seen, *(_folded(name.rstrip("/") + "/") for name in folders)]:
        parts = folded.split("/")
        if any("/".join(parts[:depth]) in seen for depth in range(1, len(parts))):
            raise UnsafeFileError(f"{where}: {folded!r} lies below a name that is a file, too.")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def open_zip(path: str, limits: Limits, packed: int | None = None) -> tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]:
    """A zip file and its members, after all of them were checked. Nothing has been unpacked yet.

    Args:
        path: the file.
        limits: bounds on number, size and compression of members.
        packed: its size in an archive that it was unpacked from.

    Raises:
        CorruptFileError: it is no zip file, or damaged.
        UnsafeFileError: it has members that such a file has no reason to have.
    """
    file = _Opening(path, 256 * limits.members)
    try:
        archive = zipfile.ZipFile(file)  # type: ignore[arg-type]
        file.most = sys.maxsize
        infos = archive.infolist()
        _check_infos(infos, path, limits, packed)
        _refuse_overlaps(file, infos, path)
    except (zipfile.BadZipFile, NotImplementedError, OSError, struct.error, UnicodeDecodeError, OverflowError) as error:
        file.close()
        raise CorruptFileError(
            f"{path} is a damaged or truncated zip file ({error}). Fetch or save it again."
        ) from error
    except BaseException:
        file.close()
        raise
    return archive, infos


class _Opening(io.FileIO):
    """Refuses one read of more than `most` bytes, such as that of a list of members without end."""

    def __init__(self, path: str, most: int) -> None:
        super().__init__(path, "rb")
        self.most = most

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0 or size > self.most:
            left = os.fstat(self.fileno()).st_size - self.tell()
            if left > self.most:
                raise UnsafeFileError(f"{self.name} has a list of members of more than {self.most} bytes.")
        return super().read(-1 if size is None else size)  # type: ignore[return-value]


def _check_infos(infos: list[zipfile.ZipInfo], path: str, limits: Limits, packed: int | None) -> None:
    if len(infos) > limits.members:
        raise UnsafeFileError(f"{path} has {len(infos)} members; at most {limits.members}.")
    total = 0
    for info in infos:
        name = check_name(info.orig_filename, path)
        if info.flag_bits & 0x1:
            raise UnsafeFileError(f"{path}: the member {name!r} is encrypted, which is not supported.")
        if info.compress_type not in _METHODS:
            raise UnsafeFileError(f"{path}: {name!r} is compressed by an unusual method.")
        if info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
            raise UnsafeFileError(f"{path}: {name!r} is not compressed, yet has two sizes.")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise UnsafeFileError(f"{path}: {name!r} is a link or device, not a plain file.")
        check_ratio(info.file_size, info.compress_size, f"{path}: {name!r}", limits)
        total += info.file_size
    files = (info.orig_filename for info in infos if not info.is_dir())
    check_members(files, path, (info.orig_filename for info in infos if info.is_dir()))
    if total > limits.unpacked_bytes:
        raise UnsafeFileError(f"{path} unpacks to {total} bytes; that is too much.")
    check_ratio(total, os.path.getsize(path) if packed is None else packed, path, limits)


def _refuse_overlaps(file: Any, infos: list[zipfile.ZipInfo], path: str) -> None:
    """Compare what stands before each member with the list at the end, and see that none covers another."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise UnsafeFileError(f"{path}: {info.filename!r} overlaps another member.")
        file.seek(info.header_offset)
        head = file.read(30)
        if len(head) < 30 or head[:4] != b"PK\x03\x04":
            raise CorruptFileError(f"{path} is damaged: {info.filename!r} is not where its list says.")
        name_length = int.from_bytes(head[26:28], "little")
        encoding = "utf-8" if info.flag_bits & 0x800 else "cp437"
        if file.read(name_length) != info.orig_filename.encode(encoding):
            raise UnsafeFileError(f"{path}: {info.filename!r} has another name in front of its data.")
        end = info.header_offset + 30 + name_length + int.from_bytes(head[28:30], "little")
        end += info.compress_size
    if end > os.path.getsize(path):
        raise CorruptFileError(f"{path} is truncated. Fetch or save it again.")


class ZipReader:
    """A checked `.keras` zip file.

    Args:
        path: the file.
        limits: bounds on number, size and compression of members.
        packed: its size in an archive that it was unpacked from.

    Raises:
        CorruptFileError: it is no zip file, or damaged.
        UnsafeFileError: it has members that a model file has no reason to have.
    """

    def __init__(self, path: str, limits: Limits = DEFAULT, packed: int | None = None) -> None:
        self.path = path
        self.limits = limits
        sniff.require(path, "zip", "a .keras file (a zip archive)")
        self._zip, infos = open_zip(path, limits, packed)
        self._members = {info.orig_filename: info for info in infos}

    def names(self) -> list[str]:
        """The names of all files inside."""
        return [name for name in self._members if not name.endswith("/")]

    def size(self, name: str) -> int:
        """The unpacked size of a member in bytes."""
        return self._members[name].file_size

    def packed(self, name: str) -> int:
        """The bytes that a member takes here."""
        return self._need(name).compress_size

    def read(self, name: str) -> bytes:
        """The content of a member, after its checksum was compared."""
        check_document(self._need(name).file_size, f"{self.path}: {name}", self.limits)
        try:
            return self._zip.read(self._need(name))
        except _DAMAGE as error:
            raise CorruptFileError(f"{self.path}: {name!r} is damaged ({error}).") from error

    def open(self, name: str, verified: bool = True) -> BinaryIO:
        """A seekable file of a member. An uncompressed one is read where it is, without a copy.

        Args:
            verified: its checksum is compared now. Otherwise it is summed while it is read, and whoever reads all of
                it calls `verify` in the end.
        """
        info = self._need(name)
        if info.compress_type != zipfile.ZIP_STORED:
            return self._unpacked(name)
        # Never by name again: by now another file may have it.
        whole: Any = self._zip.fp
        with Window(open(os.dup(whole.fileno()), "rb", buffering=0), info.header_offset, 30) as window:
            header = window.read(30)
        file = open(os.dup(whole.fileno()), "rb", buffering=0)  # noqa: SIM115
        start = info.header_offset + 30 + int.from_bytes(header[26:28], "little")
        start += int.from_bytes(header[28:30], "little")
        member = Member(file, start, info, f"{self.path}: {name!r}")
        try:
            if verified:
                member.verify()
        except BaseException:
            member.close()
            raise
        return member  # type: ignore[return-value]

    def _unpacked(self, name: str) -> BinaryIO:
        result: Any = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            result.packed = self.packed(name)
            with self._zip.open(self._need(name)) as source:
                while chunk := source.read(_CHUNK):
                    result.write(chunk)
        except _DAMAGE as error:
            result.close()
            raise CorruptFileError(f"{self.path}: {name!r} is damaged ({error}).") from error
        result.seek(0)
        return result

    def _need(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise CorruptFileError(
                f"{self.path} has no {name!r}, so it is not a whole .keras file. It has: "
                f"{', '.join(self.names()[:8]) or 'nothing'}."
            )
        return self._members[name]

    def extract(self, prefix: str, folder: str) -> None:
        """Unpack all members below `prefix` into `folder` (which gets the rest of their names)."""
        for name in self.names():
            if name.startswith(prefix):
                _place(self.open(name), name[len(prefix) :], folder)

    def close(self) -> None:
        file: Any = self._zip.fp
        self._zip.close()
        if file is not None:
            file.close()

    def __enter__(self) -> ZipReader:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()


class FolderReader:
    """A `.keras` folder (what `zipped=False` writes), with the interface of `ZipReader`.

    Its files are opened at once, so that they are those of one save, also when another one takes their place.
    """

    def __init__(self, path: str, limits: Limits = DEFAULT) -> None:
        self.path = path
        self.limits = limits
        self._held: dict[str, io.FileIO] = {}
        for _ in range(_ATTEMPTS):
            try:
                before = os.stat(path)
                self._list()
                self._hold()
                if os.path.samestat(before, os.stat(path)):
                    return
            except FileNotFoundError:
                pass  # it is being replaced
            except BaseException:
                self.close()
                raise
            self.close()
        raise CorruptFileError(f"{path} is being written all the time. Load it when that is over.")

    def _hold(self) -> None:
        for name in self.names()[:_HELD]:
            self._held[name] = open(os.path.join(self.path, *name.split("/")), "rb", buffering=0)  # noqa: SIM115

    def _list(self) -> None:
        path, limits = self.path, self.limits
        found: list[str] = []
        for folder, folders, files in os.walk(path):
            for entry in folders + files:
                full = os.path.join(folder, entry)
                mode = os.lstat(full).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    raise UnsafeFileError(f"{full} is a link or device, not a plain file.")
            found += [os.path.relpath(os.path.join(folder, file), path).replace(os.sep, "/") for file in files]
            if len(found) > limits.members:
                raise UnsafeFileError(f"{path} has more than {limits.members} files.")
        self._names = dict.fromkeys(sorted(found, key=lambda name: name.count("/")))

    def names(self) -> list[str]:
        return list(self._names)

    def packed(self, name: str) -> int:
        return self.size(name)

    def size(self, name: str) -> int:
        with self.open(name) as file:
            return file.seek(0, os.SEEK_END)

    def read(self, name: str) -> bytes:
        check_document(self.size(name), f"{self.path}: {name}", self.limits)
        with self.open(name) as file:
            return file.read()

    def open(self, name: str, verified: bool = True) -> BinaryIO:
        """A file of the folder; it has no checksum."""
        full = self._full(name)
        if name not in self._held:
            return open(full, "rb")
        file = open(os.dup(self._held[name].fileno()), "rb", buffering=0)  # noqa: SIM115
        return Window(file, 0, os.fstat(file.fileno()).st_size)  # type: ignore[return-value]

    def _full(self, name: str) -> str:
        if name not in self._names:
            raise CorruptFileError(f"{self.path} has no {name!r}, so it is not a whole .keras folder.")
        return os.path.join(self.path, *name.split("/"))

    def extract(self, prefix: str, folder: str) -> None:
        for name in self._names:
            if name.startswith(prefix):
                _place(self.open(name), name[len(prefix) :], folder)

    def close(self) -> None:
        for file in self._held.values():
            file.close()
        self._held.clear()

    def __enter__(self) -> FolderReader:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()


def open_archive(path: str, limits: Limits = DEFAULT) -> ZipReader | FolderReader:
    """The reader for a `.keras` file or folder."""
    if os.path.isdir(path):
        return FolderReader(path, limits)
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {path}.")
    return ZipReader(path, limits)


def check_ratio(unpacked: int, stored: int, what: str, limits: Limits) -> None:
    """Refuse data that would grow without measure when it is unpacked."""
    if unpacked > limits.free_bytes and unpacked > limits.ratio * max(stored, 1):
        raise UnsafeFileError(
            f"{what} holds {stored} bytes that claim to be {unpacked}. It looks like a decompression bomb."
        )


def check_document(size: int, what: str, limits: Limits) -> None:
    """Refuse a document that would be read into memory whole and is larger than any there is."""
    if size > limits.json_bytes:
        raise UnsafeFileError(f"{what} has {size} bytes; at most {limits.json_bytes} are read.")


def _place(source: BinaryIO, name: str, folder: str) -> None:
    check_name(name, "The archive")
    target = os.path.join(folder, *name.split("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with source, open(target, "xb") as file:
        while chunk := source.read(_CHUNK):
            file.write(chunk)


class Member(SummedWindow):
    """An uncompressed member of a zip file."""

    def __init__(self, file: io.FileIO, start: int, info: zipfile.ZipInfo, name: str) -> None:
        super().__init__(file, start, info.file_size)
        self._expected = info.CRC
        self._name = name

    def verify(self) -> None:
        """Refuse it when what was read, or what is left to read, is not what was written."""
        try:
            checksum = self.checksum()
        except EOFError as error:
            raise CorruptFileError(f"{self._name} is cut off: {error}. Fetch or save the file again.") from error
        if checksum != self._expected:
            raise CorruptFileError(
                f"{self._name} is damaged (its checksum does not match). Fetch or save the file again."
            )
