"""What can be done to an HDF5 file. Each function changes a good one in place; `HDF5` names them all."""

from __future__ import annotations

import functools
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

HUGE = 1 << 20


def _first(file: h5py.File) -> h5py.Dataset:
    """The first array of numbers with a dimension."""
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if getattr(item, "ndim", 0) else None)
    return file[found[0]]


def _replaced(path: Path, make: Callable[[h5py.Group, str, tuple[int, ...]], object]) -> None:
    """Put something else in the place of an array."""
    with h5py.File(path, "a") as file:
        data = _first(file)
        group, key, shape = data.parent, data.name.rpartition("/")[2], data.shape
        del group[key]
        make(group, key, shape)


def _secret(path: Path) -> str:
    secret = path.parent / "secret.h5"
    with h5py.File(secret, "w") as file:
        file["x"] = np.ones((4, 3), "float32")
        file["vars/0"] = np.ones((4, 3), "float32")
    return str(secret)


def external_link(path: Path) -> None:
    secret = _secret(path)
    _replaced(path, lambda group, key, _: group.__setitem__(key, h5py.ExternalLink(secret, "/x")))


def external_link_to_a_group(path: Path) -> None:
    # The arrays behind it are no links themselves.
    with h5py.File(path, "a") as file:
        file["layers/extra"] = h5py.ExternalLink(_secret(path), "/")


def external_link_in_place_of_a_group(path: Path) -> None:
    with h5py.File(path, "a") as file:
        top = _first(file).name.split("/")[1]
        del file[top]
        file[top] = h5py.ExternalLink(_secret(path), "/")


def soft_link(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.__setitem__(key, h5py.SoftLink("/elsewhere")))


def soft_link_to_a_group(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["other"] = h5py.SoftLink(_first(file).parent.name)


def soft_link_to_itself(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["loop"] = h5py.SoftLink("/loop")


def external_storage(path: Path) -> None:
    secret = path.parent / "secret.bin"
    secret.write_bytes(b"secret" * 100)
    _replaced(
        path,
        lambda group, key, shape: group.create_dataset(
            key, shape, "float32", external=[(str(secret), 0, h5py.h5f.UNLIMITED)]
        ),
    )


def external_storage_of_a_device(path: Path) -> None:
    _replaced(
        path,
        lambda group, key, shape: group.create_dataset(
            key, shape, "float32", external=[("/dev/zero", 0, h5py.h5f.UNLIMITED)]
        ),
    )


def virtual_data(path: Path) -> None:
    secret = _secret(path)

    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        layout = h5py.VirtualLayout((4, 3), "float32")
        layout[:] = h5py.VirtualSource(secret, "x", (4, 3))
        group.create_virtual_dataset(key, layout)

    _replaced(path, make)


def virtual_data_of_the_file_itself(path: Path) -> None:
    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        layout = h5py.VirtualLayout((4, 3), "float32")
        layout[:] = h5py.VirtualSource(".", group.name + "/again", (4, 3))
        group.create_virtual_dataset(key, layout)

    _replaced(path, make)


def cyclic_groups(path: Path) -> None:
    with h5py.File(path, "a") as file:
        parent = _first(file).parent
        parent["again"] = file["/"]
        parent["twice"] = parent


def group_in_two_places(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["again"] = _first(file).parent


def deep_groups(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file.create_group("/".join(["g"] * 300))


def shape_bomb(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (HUGE, HUGE), "float32"))


def shape_bomb_in_pieces(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (HUGE, HUGE), "float32", chunks=(1, 1 << 16)))


def shape_that_wraps_around(path: Path) -> None:
    # 2**33 * 2**33 elements are 4 to whoever counts in 64 bits.
    _replaced(path, lambda group, key, _: group.create_dataset(key, (1 << 33, 1 << 33), "float32", chunks=(1, 256)))


def many_small_bombs(path: Path) -> None:
    # Each is small enough to be let through alone.
    with h5py.File(path, "a") as file:
        for index in range(40):
            file.create_dataset(f"layers/bombs/vars/{index}", (3 << 20,), "float32", chunks=(256,))


def one_array_in_many_places(path: Path) -> None:
    with h5py.File(path, "a") as file:
        data = file.create_dataset("layers/bombs/vars/x", (3 << 20,), "float32", chunks=(256,))
        for index in range(40):
            file[f"layers/bombs/vars/{index}"] = data


def large_piece(path: Path) -> None:
    _replaced(
        path,
        lambda group, key, _: group.create_dataset(
            key, (4,), "float32", chunks=(1 << 28,), maxshape=(None,), compression="gzip"
        ),
    )


def large_element(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (2,), f"S{1 << 30}", chunks=(1,)))


def large_scalar(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (), f"S{1 << 30}"))


def compression_bomb(path: Path) -> None:
    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        data = group.create_dataset(
            key, (24, 1 << 20), "uint8", chunks=(1, 1 << 20), compression="gzip", compression_opts=1
        )
        data[:] = 0

    _replaced(path, make)


@functools.cache
def _bomb() -> bytes:
    """A packed gigabyte: the same packed megabyte again and again."""
    packer = zlib.compressobj()
    first, block = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + block * ((1 << 10) - 1) + packer.flush()


def piece_that_unpacks_to_more(path: Path) -> None:
    # The shape is small and true; the bytes of its only piece are those of a gigabyte.
    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        data = group.create_dataset(key, (1 << 20,), "uint8", chunks=(1 << 20,), compression="gzip")
        data.id.write_direct_chunk((0,), _bomb())

    _replaced(path, make)


def packed_twice(path: Path) -> None:
    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((1 << 10,))
        plan.set_deflate(9)
        plan.set_filter(32000, h5py.h5z.FLAG_OPTIONAL, ())
        kind, space = h5py.h5t.NATIVE_UINT8, h5py.h5s.create_simple((1 << 10,))
        h5py.h5d.create(group.id, key.encode(), kind, space, plan)

    _replaced(path, make)


def filter_of_unknown_kind(path: Path) -> None:
    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((1 << 10,))
        plan.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (1,))
        kind, space = h5py.h5t.NATIVE_UINT8, h5py.h5s.create_simple((1 << 10,))
        h5py.h5d.create(group.id, key.encode(), kind, space, plan)

    _replaced(path, make)


def filter_that_trusts_the_file(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, data=np.arange(64), chunks=(64,), scaleoffset=4))


def _shared_texts(path: Path, count: int) -> None:
    """Make `count` references to texts point to the first of them, which is long."""
    data = path.read_bytes()
    # A reference is the length, the place of a heap and the number of an object in it.
    place = re.search(re.escape(struct.pack("<I", 1 << 20)) + rb".{8}\x01\0\0\0", data, re.DOTALL)
    assert place is not None
    at = place.start()
    path.write_bytes(data[:at] + place[0] * count + data[at + 16 * count :])


def texts_that_share_one_place(path: Path) -> None:
    count = 5000
    texts = ["x" * (1 << 20), *["y"] * (count - 1)]
    _replaced(path, lambda group, key, _: group.create_dataset(key, data=texts, dtype=h5py.string_dtype()))
    _shared_texts(path, count)


def texts_of_an_attribute_that_share_one_place(path: Path) -> None:
    count = 3000
    texts = np.array(["x" * (1 << 20), *["y"] * (count - 1)], dtype=object)
    with h5py.File(path, "a") as file:
        file.attrs.create("names", texts, dtype=h5py.string_dtype())
    _shared_texts(path, count)


def heap_without_end(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file.attrs["text"] = "z" * 4000
    data = bytearray(path.read_bytes())
    at = data.rindex(b"GCOL\x01\0\0\0")
    struct.pack_into("<Q", data, at + 16 + 8, 0)  # the first object
    struct.pack_into("<H", data, at + 16, 0)
    path.write_bytes(data)


def python_objects(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (2,), h5py.vlen_dtype("float32")))


def opaque_pickles(path: Path) -> None:
    def make(group: h5py.Group, key: str, shape: tuple[int, ...]) -> None:
        data = group.create_dataset(key, data=np.zeros(shape, "V8"))
        data.attrs["dtype"] = "object"

    _replaced(path, make)


def references(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (2,), h5py.ref_dtype))


def region_references(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (2,), h5py.regionref_dtype))


def compound_types(path: Path) -> None:
    kind = np.dtype([("a", "f4"), ("b", "f4")])
    _replaced(path, lambda group, key, _: group.create_dataset(key, (2,), kind))


def array_types(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (2,), np.dtype(("f4", (3, 3)))))
    with h5py.File(path, "a") as file:
        kind = h5py.h5t.array_create(h5py.h5t.NATIVE_FLOAT, (1 << 10, 1 << 10))
        h5py.h5d.create(file.id, b"grid", kind, h5py.h5s.create_simple((2,)))


def named_types(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["type"] = np.dtype("float32")


def references_in_attributes(path: Path) -> None:
    with h5py.File(path, "a") as file:
        _first(file).attrs.create("x", file["/"].ref, dtype=h5py.ref_dtype)


def control_characters_in_names(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file.create_group("layers/\x1b]0;owned\x07")


def pieces_outside_of_the_array(path: Path) -> None:
    # Each column is one element long, the pieces of it sixteen megabytes.
    packed = zlib.compress(bytes(16 << 20), 9)
    with h5py.File(path, "a") as file:
        data = file.create_dataset(
            "layers/extra/vars/0", (4, 1), "u1", maxshape=(None, None), chunks=(1, 16 << 20), compression="gzip"
        )
        for row in range(4):
            data.id.write_direct_chunk((row, 0), packed)


def long_paths(path: Path) -> None:
    # Each group at the end of one is listed with all of it.
    with h5py.File(path, "a") as file:
        file.create_group("/".join(["n" * 6000] * 2))


def attributes_without_number(path: Path) -> None:
    with h5py.File(path, "a") as file:
        group = file.create_group("layers/extra")
        for number in range(1001):
            group.attrs[str(number)] = 1


def heaps_inside_of_each_other(path: Path) -> None:
    # Numbers that look like heaps of text, each of which goes on to the end.
    size = 40 * 5000
    raw = bytearray(size)
    for at in range(0, size - 40, 40):
        struct.pack_into("<4sIQ", raw, at, b"GCOL", 1, size - at)
        struct.pack_into("<HHIQ", raw, at + 16, 1, 1, 0, (size - at - 32) // 8 * 8)
    with h5py.File(path, "a") as file:
        file["layers/extra/vars/0"] = np.frombuffer(bytes(raw), "u1")
        file.attrs["text"] = "text"


def empty_shape_that_no_array_has(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, (0, 1 << 62, 1 << 62), "f4"))


def place_without_an_array(path: Path) -> None:
    _replaced(path, lambda group, key, _: group.create_dataset(key, data=h5py.Empty("f4")))


def numbers_of_seven_bytes(path: Path) -> None:
    kind = h5py.h5t.NATIVE_B64.copy()
    kind.set_size(7)
    _replaced(
        path, lambda group, key, shape: h5py.h5d.create(group.id, key.encode(), kind, h5py.h5s.create_simple(shape))
    )


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def other_kind_of_file(path: Path) -> None:
    path.write_bytes(b"\x80\x04cos\nsystem\n(S'true'\ntR.")


HDF5: dict[str, Callable[[Path], Any]] = {
    attack.__name__: attack
    for attack in (
        external_link,
        external_link_to_a_group,
        external_link_in_place_of_a_group,
        soft_link,
        soft_link_to_a_group,
        soft_link_to_itself,
        external_storage,
        external_storage_of_a_device,
        virtual_data,
        virtual_data_of_the_file_itself,
        cyclic_groups,
        group_in_two_places,
        deep_groups,
        shape_bomb,
        shape_bomb_in_pieces,
        shape_that_wraps_around,
        many_small_bombs,
        one_array_in_many_places,
        large_piece,
        large_element,
        large_scalar,
        compression_bomb,
        piece_that_unpacks_to_more,
        packed_twice,
        filter_of_unknown_kind,
        filter_that_trusts_the_file,
        texts_that_share_one_place,
        texts_of_an_attribute_that_share_one_place,
        heap_without_end,
        python_objects,
        opaque_pickles,
        references,
        region_references,
        compound_types,
        array_types,
        named_types,
        references_in_attributes,
        control_characters_in_names,
        pieces_outside_of_the_array,
        long_paths,
        attributes_without_number,
        heaps_inside_of_each_other,
        empty_shape_that_no_array_has,
        place_without_an_array,
        numbers_of_seven_bytes,
        truncated,
        other_kind_of_file,
    )
}

# What these spoil is not read by everyone who opens the file; then nothing is refused, and nothing happens.
NOT_READ_BY_ALL = {
    "texts_of_an_attribute_that_share_one_place",
    "heap_without_end",
    "heaps_inside_of_each_other",
    "opaque_pickles",
}
