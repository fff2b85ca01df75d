"""Opening HDF5 files one does not trust: everything in them is looked at before anything is read."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any, Iterator

from ksave import sniff
from ksave.archive import check_ratio
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError

# deflate, shuffle, fletcher32, szip, nbit, scaleoffset, lzf. Others would load plug-ins found on the machine.
_FILTERS = {1, 2, 3, 4, 5, 6, 32000}
_CHUNK = 4 << 20
_HEAP = b"GCOL\x01\0\0\0"
_MAX_HEAP = 1 << 30


def h5py() -> Any:
    """The h5py module, imported when it is first needed."""
    return importlib.import_module("h5py")


def open_checked(source: Any, name: str | None = None, limits: Limits = DEFAULT, text: bool = False) -> Any:
    """Open an HDF5 file for reading after checking all of it.

    Args:
        source: a path, or a seekable binary file.
        name: what the file is called in errors.
        limits: bounds on number, depth and size of what is inside.
        text: attributes that hold text will be read.

    Returns:
        An `h5py.File`.

    Raises:
        CorruptFileError: not an HDF5 file, or damaged.
        UnsafeFileError: links, external or virtual storage, Python objects, shape or compression bombs.
    """
    name = name or str(source)
    if isinstance(source, str):
        if not os.path.exists(source):
            raise FileNotFoundError(f"There is no file {source}.")
        sniff.require(source, "hdf5", "an HDF5 file")
        size = os.path.getsize(source)
    else:
        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        if source.read(8) != sniff.HDF5:
            raise CorruptFileError(f"{name} is not an HDF5 file.")
        source.seek(0)
    try:
        file = h5py().File(source, "r")
    except OSError as error:
        raise CorruptFileError(f"{name} is a damaged or truncated HDF5 file ({error}).") from error
    try:
        with damage(name):
            check = _Check(name, size, limits)
            check.file(file)
        if text or check.text:
            check_heaps(source, name)
    except BaseException:
        file.close()
        raise
    return file


def check_heaps(source: Any, name: str) -> None:
    """Refuse damaged heaps of variable-length text.

    The HDF5 library follows their sizes without looking, and does not come back from one that is zero.
    """
    file = open(source, "rb") if isinstance(source, str) else source  # noqa: SIM115
    try:
        at, tail = 0, b""
        file.seek(0)
        while chunk := file.read(_CHUNK):
            block = tail + chunk
            found = block.find(_HEAP)
            while found >= 0:
                place = at - len(tail) + found
                _check_heap(file, place, name)
                found = block.find(_HEAP, found + 1)
            at += len(chunk)
            tail = block[-len(_HEAP) + 1 :]
            file.seek(at)
        file.seek(0)
    finally:
        if file is not source:
            file.close()


def _check_heap(file: Any, place: int, name: str) -> None:
    file.seek(place + len(_HEAP))
    size = int.from_bytes(file.read(8), "little")
    body = file.read(size - 16) if 16 <= size <= _MAX_HEAP else b""
    if len(body) != size - 16:
        raise CorruptFileError(f"{name} is damaged: a heap of text claims {size} bytes.")
    at = 0
    while at + 16 <= len(body):
        index = int.from_bytes(body[at : at + 2], "little")
        length = int.from_bytes(body[at + 8 : at + 16], "little")
        # Object 0 is the free rest and counts its own header.
        step = length if index == 0 else 16 + (length + 7) // 8 * 8
        if step < 16 or at + step > len(body):
            raise CorruptFileError(f"{name} is damaged: an object in a heap of text has {length} bytes.")
        at += step


@contextlib.contextmanager
def damage(name: str) -> Iterator[None]:
    """Says in our words what h5py says when it stumbles over damaged bytes."""
    try:
        yield
    except (RuntimeError, KeyError, OSError) as error:
        raise CorruptFileError(f"{name} is a damaged HDF5 file ({error}).") from error


class _Check:
    """Walks a file by its low-level interface, which follows no link and reads no data."""

    def __init__(self, name: str, size: int, limits: Limits) -> None:
        self.name = name
        self.size = size
        self.limits = limits
        self.seen: set[int] = set()
        self.count = 0
        self.text = False  # whether reading the arrays reads text of variable length
        self.h5 = h5py()
        h5t = self.h5.h5t
        self.plain = {h5t.INTEGER, h5t.FLOAT, h5t.STRING, h5t.OPAQUE, h5t.ENUM, h5t.BITFIELD}

    def file(self, file: Any) -> None:
        root = self.h5.h5g.open(file.id, b"/")
        self.seen.add(self.h5.h5o.get_info(root).addr)
        stack = [(root, "", 0)]
        while stack:
            group, path, depth = stack.pop()
            self.attributes(group, path)
            if depth > self.limits.hdf5_depth:
                raise UnsafeFileError(
                    f"{self.name}: groups are nested more than {self.limits.hdf5_depth} deep."
                )
            for raw in list(group):
                child = f"{path}/{self.text_of(raw)}"
                self.count += 1
                if self.count > self.limits.hdf5_objects:
                    raise UnsafeFileError(f"{self.name} has more than {self.limits.hdf5_objects} objects.")
                if group.links.get_info(raw).type != self.h5.h5l.TYPE_HARD:
                    raise UnsafeFileError(
                        f"{self.name}: {child} is a link to another place or file. Model files have none."
                    )
                found = self.h5.h5o.open(group, raw)
                if isinstance(found, self.h5.h5g.GroupID):
                    address = self.h5.h5o.get_info(found).addr
                    if address in self.seen:
                        raise UnsafeFileError(f"{self.name}: {child} is a group that stands in two places.")
                    self.seen.add(address)
                    stack.append((found, child, depth + 1))
                elif isinstance(found, self.h5.h5d.DatasetID):
                    self.dataset(found, child)
                    self.attributes(found, child)
                else:
                    raise UnsafeFileError(f"{self.name}: {child} is neither a group nor an array.")

    def dataset(self, data: Any, path: str) -> None:
        where = f"{self.name}: {path}"
        kind = data.get_type()
        self.type(kind, where)
        opaque = kind.get_class() == self.h5.h5t.OPAQUE  # then an attribute says what it is
        self.text |= opaque or kind.get_class() == self.h5.h5t.STRING and kind.is_variable_str()
        plan = data.get_create_plist()
        if plan.get_external_count():
            raise UnsafeFileError(f"{where} takes its data from another file. Model files do not.")
        if plan.get_layout() == self.h5.h5d.VIRTUAL:
            raise UnsafeFileError(f"{where} is put together from other arrays or files. Model files do not.")
        for index in range(plan.get_nfilters()):
            if plan.get_filter(index)[0] not in _FILTERS:
                raise UnsafeFileError(f"{where} needs a filter plug-in. Model files do not.")
        space = data.get_space()
        count = space.get_simple_extent_npoints() if space.get_simple_extent_type() else 0
        stored = data.get_storage_size()
        if stored > self.size:
            raise UnsafeFileError(f"{where} claims {stored} bytes in a file of {self.size}.")
        check_ratio(count * kind.get_size(), stored, where, self.limits)

    def attributes(self, owner: Any, path: str) -> None:
        for index in range(self.h5.h5a.get_num_attrs(owner)):
            attribute = self.h5.h5a.open(owner, index=index)
            where = f"{self.name}: attribute {self.text_of(attribute.name)!r} of {path or '/'}"
            self.type(attribute.get_type(), where)
            space = attribute.get_space()
            count = space.get_simple_extent_npoints() if space.get_simple_extent_type() else 0
            size = count * attribute.get_type().get_size()
            if size > self.limits.attribute_bytes:
                raise UnsafeFileError(f"{where} has {size} bytes; that is too much.")

    def text_of(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CorruptFileError(f"{self.name} is damaged: the name {raw!r} is no text.") from error

    def type(self, kind: Any, where: str) -> None:
        if kind.get_class() not in self.plain:
            raise UnsafeFileError(f"{where} holds neither numbers nor text. Model files hold nothing else.")


def to_numpy(value: Any) -> Any:
    """A host array of a variable, tensor, array or number."""
    numpy = importlib.import_module("numpy")
    array = numpy.asarray(value)
    if array.dtype.hasobject and not all(isinstance(item, (str, bytes)) for item in array.flat):
        raise TypeError(
            f"Cannot store {type(value).__name__} in a weights file: it is not an array of numbers."
        )
    return array


def write_array(group: Any, key: str, value: Any) -> None:
    """Store an array in a group as Keras does: types that HDF5 lacks as opaque bytes with their name."""
    array = to_numpy(value)
    if array.dtype.type.__module__ == "ml_dtypes":
        data = group.create_dataset(key, data=array.view(f"V{array.dtype.itemsize}"))
        data.attrs["dtype"] = array.dtype.name
    elif array.dtype.kind in "UO":
        group.create_dataset(key, data=array.astype(object), dtype=h5py().string_dtype())
    else:
        group.create_dataset(key, data=array)


def read_array(data: Any) -> Any:
    """The array of a data set that `write_array` or Keras wrote."""
    from ksave.codecs import numpy_dtype

    array = data[()]
    if data.dtype.kind == "V":
        # Keras leaves the name out for float8: then the bytes stay opaque and the variable's dtype decides.
        name = data.attrs.get("dtype")
        if name is None and data.dtype.itemsize == 2:
            name = "bfloat16"
        if name is not None:
            dtype = numpy_dtype(name.decode() if isinstance(name, bytes) else name)
            if dtype.itemsize != data.dtype.itemsize:
                raise CorruptFileError(f"{data.name} says it holds {name}, whose size is another.")
            return importlib.import_module("numpy").asarray(array).view(dtype)
    if data.dtype.hasobject:
        return data.asstr()[()]
    return array
