"""What a file really is, told from its first bytes, for errors that say so."""

from __future__ import annotations

import os

HDF5 = b"\x89HDF\r\n\x1a\n"
_STARTS = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "empty zip"),
    (HDF5, "hdf5"),
    (b"\x93NUMPY", "numpy array (.npy)"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ", "xz archive"),
    (b"version https://git-lfs", "Git LFS pointer (the real file was not fetched: run 'git lfs pull')"),
    (b"<!DOCTYPE", "web page (the download probably failed)"),
    (b"<html", "web page (the download probably failed)"),
    (b"\x80", "Python pickle (never loaded: it can run any code)"),
    (b"{", "JSON text"),
)


def kind_of(path: str) -> str:
    """Name the kind of a file or folder: "zip", "hdf5", "empty" or words for an error message."""
    if os.path.isdir(path):
        if os.path.exists(os.path.join(path, "saved_model.pb")):
            return "TensorFlow SavedModel folder"
        return "folder"
    with open(path, "rb") as file:
        head = file.read(512)
    if not head:
        return "empty"
    for start, kind in _STARTS:
        if head.startswith(start):
            return kind
    if head[257:262] == b"ustar":
        return "tar archive"
    if head[4:8] == b"TFL3":
        return "TensorFlow Lite model"
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 40:
        return "safetensors file"
    if not head.strip(b"\0"):
        return "file that starts with zeros (a download or copy that did not finish?)"
    return "file of unknown kind"


def require(path: str, kind: str, expected: str) -> None:
    """Raise when a file is not of the kind; `expected` says in words what it should be."""
    from ksave.limits import CorruptFileError

    found = kind_of(path)
    if found != kind:
        words = {"zip": "zip archive, as .keras files are", "hdf5": "HDF5 file, as .h5 files are"}
        raise CorruptFileError(f"{path} is not {expected}: it is a {words.get(found, found)}.")
