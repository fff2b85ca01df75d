"""Opening HDF5 files one does not trust: everything in them is looked at before anything is read."""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
import os
import zlib
from typing import Any, Dict, Iterator, NamedTuple, Optional

from ksave import sniff
from ksave.archive import check_ratio
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError, check_array, visible

# Other filters would load plug-ins found on the machine, or take the size of their result from the file on trust.
_DEFLATE, _SHUFFLE, _FLETCHER32, _LZF = 1, 2, 3, 32000
_FILTERS = {_DEFLATE, _SHUFFLE, _FLETCHER32, _LZF}
_CHUNK = 4 << 20
_HEAP = b"GCOL\x01\0\0\0"
_MAX_HEAP = 1 << 30
_MAX_PATH = 10_000  # each group is listed with the whole of its path
_MAX_ATTRIBUTES = 1000  # of one object; files of Keras have a few, long lists of names a few dozen


def h5py() -> Any:
    """The h5py module, imported when it is first needed."""
    return importlib.import_module("h5py")


class Entry(NamedTuple):
    """An array in a file."""

    shape: tuple[int, ...]
    nbytes: int


# Group to the names in it, without "/" at the front; arrays have an entry, groups None.
Listing = Dict[str, Dict[str, Optional[Entry]]]


def listed_bytes(listing: Listing) -> int:
    """Size of all arrays in a list, unpacked."""
    return sum(entry.nbytes for inside in listing.values() for entry in inside.values() if entry is not None)


def open_checked(source: Any, name: str | None = None, limits: Limits = DEFAULT, text: bool = False) -> Any:
    """`open_listed` without the list."""
    return open_listed(source, name, limits, text)[0]


def open_listed(
    source: Any, name: str | None = None, limits: Limits = DEFAULT, text: bool = False
) -> tuple[Any, Listing]:
    """Open an HDF5 file for reading after checking all of it.

    Args:
        source: a path, or a seekable binary file.
        name: what the file is called in errors.
        limits: bounds on number, depth and size of what is inside.
        text: attributes that hold text will be read.

    Returns:
        An `h5py.File`, and all that is in it.

    Raises:
        CorruptFileError: not an HDF5 file, or damaged.
        UnsafeFileError: links, external or virtual storage, Python objects, shape or compression bombs.
    """
    name = name or str(source)
    if isinstance(source, str):
        if not os.path.exists(source):
            raise FileNotFoundError(f"There is no file {source}.")
        sniff.require(source, "hdf5", "an HDF5 file")
    else:
        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        if source.read(8) != sniff.HDF5:
            raise CorruptFileError(f"{name} is not an HDF5 file.")
        source.seek(0)
    try:
        file = h5py().File(source, "r")
    except FileNotFoundError:
        raise  # it was replaced a moment ago
    except OSError as error:
        raise CorruptFileError(f"{name} is a damaged or truncated HDF5 file ({error}).") from error
    try:
        with damage(name):
            if isinstance(source, str):
                size = file.id.get_filesize()  # of the file that was opened, whatever has its name by now
            check = _Check(name, size, getattr(source, "packed", size), limits)
            check.file(file)
            if text or check.text:
                check.texts(file, check_heaps(source, name))
    except BaseException:
        file.close()
        raise
    return file, check.listing


def check_heaps(source: Any, name: str) -> int:
    """Refuse damaged heaps of variable-length text; gives the length of the longest text in them.

    The HDF5 library follows their sizes without looking, and does not come back from one that is zero.
    """
    longest = 0
    file = open(source, "rb") if isinstance(source, str) else source  # noqa: SIM115
    try:
        at, tail = 0, b""
        left = 4 * file.seek(0, os.SEEK_END) + _CHUNK  # heaps lie side by side; a few more may be seen in numbers
        file.seek(0)
        while chunk := file.read(_CHUNK):
            block = tail + chunk
            found = block.find(_HEAP)
            while found >= 0:
                place = at - len(tail) + found
                size, length = _check_heap(file, place, name)
                longest, left = max(longest, length), left - size
                if left < 0:
                    raise UnsafeFileError(f"{name}: heaps of text lie inside of each other.")
                found = block.find(_HEAP, found + 1)
            at += len(chunk)
            tail = block[-len(_HEAP) + 1 :]
            file.seek(at)
        file.seek(0)
    finally:
        if file is not source:
            file.close()
    return longest


def _check_heap(file: Any, place: int, name: str) -> tuple[int, int]:
    """The size of a heap, and of the longest text in it."""
    file.seek(place + len(_HEAP))
    size = int.from_bytes(file.read(8), "little")
    body = file.read(size - 16) if 16 <= size <= _MAX_HEAP else b""
    if len(body) != size - 16:
        raise CorruptFileError(f"{name} is damaged: a heap of text claims {size} bytes.")
    at = longest = 0
    while at + 16 <= len(body):
        index = int.from_bytes(body[at : at + 2], "little")
        length = int.from_bytes(body[at + 8 : at + 16], "little")
        # Object 0 is the free rest and counts its own header.
        step = length if index == 0 else 16 + (length + 7) // 8 * 8
        if step < 16 or at + step > len(body):
            raise CorruptFileError(f"{name} is damaged: an object in a heap of text has {length} bytes.")
        at += step
        longest = max(longest, length)
    return size, longest


@contextlib.contextmanager
def damage(name: str) -> Iterator[None]:
    """Says in our words what h5py says when it stumbles over damaged bytes."""
    try:
        yield
    except (RuntimeError, KeyError, OSError) as error:
        raise CorruptFileError(f"{name} is a damaged HDF5 file ({error}).") from error


class _Check:
    """Walks a file by its low-level interface, which follows no link and reads no data."""

    def __init__(self, name: str, size: int, packed: int, limits: Limits) -> None:
        self.name = name
        self.size = size
        self.packed = packed  # the size in an archive that it was unpacked from: packing twice multiplies
        self.limits = limits
        self.seen: set[int] = set()
        self.count = 0
        self.listing: Listing = {}
        self.text = False  # whether reading the arrays reads text of variable length
        self.unpacked = 0  # bytes of all arrays and texts
        self.words = 0  # texts of variable length in arrays
        self.noted: list[tuple[str, str, int]] = []  # owner, name and number of texts of attributes
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
                raise UnsafeFileError(f"{self.name}: groups are nested more than {self.limits.hdf5_depth} deep.")
            inside = self.listing.setdefault(path[1:], {})
            for raw in list(group):
                child = f"{path}/{self.text_of(raw)}"
                if len(child) > _MAX_PATH:
                    raise UnsafeFileError(f"{self.name}: the path {child[:80]}... is longer than {_MAX_PATH}.")
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
                    inside[self.text_of(raw)] = None
                    stack.append((found, child, depth + 1))
                elif isinstance(found, self.h5.h5d.DatasetID):
                    inside[self.text_of(raw)] = self.dataset(found, child)
                    self.attributes(found, child)
                else:
                    raise UnsafeFileError(f"{self.name}: {child} is neither a group nor an array.")

    def dataset(self, data: Any, path: str) -> Entry:
        where = f"{self.name}: {path}"
        kind = data.get_type()
        self.type(kind, where)
        self.readable(kind, data.get_space(), where)
        opaque = kind.get_class() == self.h5.h5t.OPAQUE  # then an attribute says what it is
        self.text |= opaque or kind.get_class() == self.h5.h5t.STRING and kind.is_variable_str()
        plan = data.get_create_plist()
        if plan.get_external_count():
            raise UnsafeFileError(f"{where} takes its data from another file. Model files do not.")
        if plan.get_layout() == self.h5.h5d.VIRTUAL:
            raise UnsafeFileError(f"{where} is put together from other arrays or files. Model files do not.")
        space = data.get_space()
        count = self.elements(space)
        if kind.get_class() == self.h5.h5t.STRING and kind.is_variable_str():
            self.words += count
        stored = data.get_storage_size()
        if stored > self.size:
            raise UnsafeFileError(f"{where} claims {stored} bytes in a file of {self.size}.")
        check_ratio(count * kind.get_size(), stored, where, self.limits)
        self.add(count * kind.get_size())
        if plan.get_layout() == self.h5.h5d.CHUNKED:
            self.chunks(data, plan, kind, where, stored)
        return Entry(space.shape, count * kind.get_size())

    def readable(self, kind: Any, space: Any, where: str) -> None:
        """Refuse what numpy has no array for, however little of it there is."""
        if space.get_simple_extent_type() == self.h5.h5s.NULL:
            raise CorruptFileError(f"{where} has no array in it.")
        check_array(space.get_simple_extent_dims(), kind.get_size(), where)
        try:
            kind.dtype  # noqa: B018
        except (TypeError, ValueError) as error:
            raise CorruptFileError(f"{where} is of a dtype that no array has ({error}).") from error

    def elements(self, space: Any) -> int:
        """The number of elements; HDF5's own would wrap around at 64 bits."""
        if space.get_simple_extent_type() == self.h5.h5s.NULL:
            return 0
        return math.prod(space.get_simple_extent_dims())

    def add(self, size: int) -> None:
        self.unpacked += size
        check_ratio(self.unpacked, self.packed, self.name, self.limits)

    def chunks(self, data: Any, plan: Any, kind: Any, where: str, stored: int) -> None:
        """Look at how the pieces of an array are packed: a piece is unpacked whole, whatever comes out of it."""
        size = math.prod(plan.get_chunk()) * kind.get_size()
        pieces: list[Any] = []
        # By number each one would be looked for from the first one on.
        data.chunk_iter(pieces.append)
        # They may lie outside of the array as it is now, and are unpacked all the same.
        check_ratio(size * max(len(pieces), 1), stored, f"All pieces of {where}", self.limits)
        filters = [plan.get_filter(index) for index in range(plan.get_nfilters())]
        codes = [code for code, _, _, _ in filters]
        if not _FILTERS.issuperset(codes):
            raise UnsafeFileError(f"{where} needs a filter plug-in. Model files do not.")
        packers = [place for place, code in enumerate(codes) if code in (_DEFLATE, _LZF)]
        if len(packers) > 1 or len(set(codes)) != len(codes):
            raise UnsafeFileError(f"{where} is packed more than once.")
        if packers and codes[packers[0]] == _LZF and filters[packers[0]][2][2:] != (size,):
            raise UnsafeFileError(f"{where} claims that its pieces unpack to another size than they have.")
        if packers and codes[packers[0]] == _DEFLATE:
            if codes[packers[0] + 1 :] not in ([], [_FLETCHER32]):
                raise UnsafeFileError(f"{where} is packed in an unusual order.")
            for piece in pieces:
                if not piece.filter_mask & 1 << packers[0]:
                    self.inflates(data.read_direct_chunk(piece.chunk_offset)[1], size, where)

    def inflates(self, packed: bytes, size: int, where: str) -> None:
        try:
            result = zlib.decompressobj().decompress(packed, size + 5)  # a checksum of 4 bytes may be inside
        except zlib.error as error:
            raise CorruptFileError(f"{where} is damaged ({error}).") from error
        if len(result) > size + 4:
            raise UnsafeFileError(f"{where} has a piece that unpacks to more than its {size} bytes: a bomb.")

    def attributes(self, owner: Any, path: str) -> None:
        count = self.h5.h5a.get_num_attrs(owner)
        if count > _MAX_ATTRIBUTES:
            raise UnsafeFileError(f"{self.name}: {path or '/'} has {count} attributes; that is too much.")
        names: list[bytes] = []
        if count:
            self.h5.h5a.iterate(owner, names.append)  # by number each one would be looked for from the first one on
        for raw in names:
            attribute = self.h5.h5a.open(owner, raw)
            name = self.text_of(raw)
            where = f"{self.name}: attribute {name!r} of {path or '/'}"
            kind = attribute.get_type()
            self.type(kind, where)
            count = self.elements(attribute.get_space())
            size = count * kind.get_size()
            if size > self.limits.attribute_bytes:
                raise UnsafeFileError(f"{where} has {size} bytes; that is too much.")
            if kind.get_class() == self.h5.h5t.STRING and kind.is_variable_str():
                self.noted.append((path or "/", name, count))

    def texts(self, file: Any, longest: int) -> None:
        """Refuse texts of which many share one place in the file, so that reading them would fill the memory."""
        check_ratio(self.words * longest, self.packed, f"The text in {self.name}", self.limits)
        for path, name, count in self.noted:
            check_ratio(count * longest, self.packed, f"{self.name}: attribute {name!r} of {path}", self.limits)
            value = file[path].attrs[name]
            self.add(sum(map(len, value.flat)) if hasattr(value, "flat") else len(value))

    def text_of(self, raw: bytes) -> str:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CorruptFileError(f"{self.name} is damaged: the name {raw!r} is no text.") from error
        if visible(text) != text:
            raise UnsafeFileError(f"{self.name}: the name {raw!r} has control characters.")
        return text

    def type(self, kind: Any, where: str) -> None:
        if kind.get_class() not in self.plain and not self._complex(kind):
            raise UnsafeFileError(f"{where} holds neither numbers nor text. Model files hold nothing else.")

    def _complex(self, kind: Any) -> bool:
        """Whether a type is that of complex numbers: two floats named r and i."""
        h5t = self.h5.h5t
        return (
            kind.get_class() == h5t.COMPOUND
            and [kind.get_member_name(index) for index in range(kind.get_nmembers())] == [b"r", b"i"]
            and all(kind.get_member_type(index).get_class() == h5t.FLOAT for index in range(2))
        )


def to_numpy(value: Any) -> Any:
    """A host array of a variable, tensor, array or number."""
    numpy = importlib.import_module("numpy")
    array = numpy.asarray(value)
    if array.dtype.hasobject and not all(isinstance(item, (str, bytes)) for item in array.flat):
        raise TypeError(f"Cannot store {type(value).__name__} in a weights file: it is not an array of numbers.")
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
        _write_plain(group, key, array)


def _write_plain(group: Any, key: str, array: Any) -> None:
    """`group.create_dataset(key, data=array)` by the low-level interface, several times as fast for small ones."""
    h5 = h5py()
    kind = h5.h5t.py_create(array.dtype, logical=True)
    space = h5.h5s.create_simple(array.shape) if array.shape else h5.h5s.create(h5.h5s.SCALAR)
    name, links = group._e(key, lcpl=True)
    data = h5.h5d.create(group.id, name, kind, space, _creation(), lcpl=links)
    if array.size:
        data.write(h5.h5s.ALL, h5.h5s.ALL, importlib.import_module("numpy").asarray(array, order="C"))


@functools.lru_cache(maxsize=1)
def _creation() -> Any:
    h5 = h5py()
    plan = h5.h5p.create(h5.h5p.DATASET_CREATE)
    plan.set_obj_track_times(False)  # the same weights give the same bytes
    plan.set_fill_time(h5.h5d.FILL_TIME_NEVER)
    return plan


def text_attribute(owner: Any, key: str) -> str | None:
    """An attribute that is one text; None when it is not there.

    Raises:
        CorruptFileError: it is something else.
    """
    value = owner.attrs.get(key)
    return None if value is None else as_text(value, key, owner)


def as_text(value: Any, key: str, owner: Any) -> str:
    """The text of (a part of) an attribute."""
    try:
        # Text that is no UTF-8 comes as half characters, which cannot be encoded again.
        raw = value.encode("utf-8") if isinstance(value, str) else value
        if isinstance(raw, bytes):
            return raw.decode("utf-8")
    except UnicodeError:
        pass
    raise CorruptFileError(f"{owner.file.filename}: the attribute {key!r} of {owner.name} is no text.")


def root_number(file: Any, name: str) -> int | None:
    """An attribute of the root that is one whole number; None if it is anything else or not there."""
    h5 = h5py()
    if not h5.h5a.exists(file.id, name.encode()):
        return None
    attribute = h5.h5a.open(file.id, name.encode())
    # Text is not looked at: its bytes have not been checked.
    if attribute.get_type().get_class() != h5.h5t.INTEGER or attribute.shape != ():
        return None
    return int(file.attrs[name])


def describe(data: Any) -> tuple[tuple[int, ...], str, int]:
    """Shape, name of the dtype and bytes of a data set, without reading it."""
    if data.dtype.hasobject:
        return data.shape, "string", data.size * data.dtype.itemsize
    return data.shape, _opaque_name(data) or data.dtype.name, data.nbytes


def _opaque_name(data: Any) -> str | None:
    """What is in opaque bytes, if that is known: Keras leaves the name out."""
    if data.dtype.kind != "V":
        return None
    return text_attribute(data, "dtype") or ("bfloat16" if data.dtype.itemsize == 2 else None)


def dataset(file: Any, path: str) -> Any:
    """The data set at a path."""
    return h5py().Dataset(h5py().h5d.open(file.id, path.encode("utf-8")))


def _read_plain(data: Any) -> Any:
    """The array of numbers, at a multiple of 64 bytes: engines take such memory as it is."""
    np = importlib.import_module("numpy")
    dtype = data.dtype.newbyteorder("=")
    size = math.prod(data.shape) * dtype.itemsize
    raw = np.empty(size + 64, "u1")
    start = -raw.ctypes.data % 64
    array = raw[start : start + size].view(dtype).reshape(data.shape)
    if size:
        read_plain(data, array)
    return array


def read_plain(data: Any, memory: Any) -> None:
    """Read numbers into an array of their shape."""
    data.id.read(h5py().h5s.ALL, h5py().h5s.ALL, memory)


def read_array(data: Any) -> Any:
    """The array of a data set that `write_array` or Keras wrote."""
    from ksave.codecs import numpy_dtype

    if data.dtype.kind in "iufc" and data.shape:
        return _read_plain(data)
    array = data[()]
    if data.dtype.kind == "V":
        # Keras leaves the name out for float8: then the bytes stay opaque and the variable's dtype decides.
        name = _opaque_name(data)
        if name is not None:
            dtype = numpy_dtype(name)
            if dtype.itemsize != data.dtype.itemsize:
                raise CorruptFileError(f"{data.name} says it holds {name}, whose size is another.")
            return importlib.import_module("numpy").asarray(array).view(dtype)
    if data.dtype.hasobject:
        try:
            return data.asstr()[()]
        except UnicodeDecodeError as error:
            raise CorruptFileError(f"{data.file.filename}: {data.name} holds text that is none ({error}).") from error
    return array
