"""What can be done to zip and tar files and to folders. Each function changes or makes one in place."""

from __future__ import annotations

import io
import os
import struct
import tarfile
import unicodedata
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = {
    "parent": "../evil.txt",
    "parent_inside": "assets/../../evil.txt",
    "parent_at_the_end": "assets/..",
    "absolute": "/tmp/evil.txt",
    "backslashes": "assets\\..\\evil.txt",
    "share": "\\\\server\\evil.txt",
    "drive": "C:/evil.txt",
    "drive_relative": "C:evil.txt",
    "empty_part": "assets//evil.txt",
    "dot": "assets/./evil.txt",
    "control": "assets/\x1b[2Jevil.txt",
    "reversed": "assets/\u202etxt.live",
    "long": f"assets/{'n' * 256}",
    "deep": f"assets/{'n/' * 30_000}n",
}


def add(path: Path, name: str, content: bytes = b"x", **attributes: Any) -> None:
    """Put a member into a zip file, whatever its name."""
    info = zipfile.ZipInfo("placeholder")
    info.filename = info.orig_filename = name
    for key, value in attributes.items():
        setattr(info, key, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name stands there twice
        with zipfile.ZipFile(path, "a") as file:
            file.writestr(info, content)


def folder_in_place_of_a_file(path: Path) -> None:
    add(path, "assets/a")
    add(path, "assets/a/", b"")


def place_beyond_measure(path: Path) -> None:
    # In the list at the end the place of the last member is a number of 64 bits.
    data = path.read_bytes()
    entry, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    head, tail = bytearray(data[entry:end]), bytearray(data[end:])
    more = struct.pack("<HHQ", 1, 8, (1 << 64) - 1)
    length = struct.unpack_from("<H", head, 30)[0]
    name = 46 + struct.unpack_from("<H", head, 28)[0]
    struct.pack_into("<H", head, 30, len(more))
    struct.pack_into("<I", head, 42, 0xFFFFFFFF)
    head[name : name + length] = more
    struct.pack_into("<I", tail, 12, struct.unpack_from("<I", tail, 12)[0] + len(more) - length)
    path.write_bytes(data[:entry] + head + tail)


def _patch(path: Path, offset: int, form: str, value: int) -> None:
    """Change a field of the last entry of the list at the end of a zip file."""
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, data.rindex(b"PK\x01\x02") + offset, value)
    path.write_bytes(data)


def _name(name: str) -> Callable[[Path], None]:
    return lambda path: add(path, name)


def zero_byte(path: Path) -> None:
    add(path, "assets/x_y")
    path.write_bytes(path.read_bytes().replace(b"assets/x_y", b"assets/x\0y"))


def link(path: Path) -> None:
    add(path, "assets/link", b"/etc/passwd", external_attr=0o120777 << 16)


def device(path: Path) -> None:
    add(path, "assets/device", b"", external_attr=0o020666 << 16)


def duplicate(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        name = file.namelist()[0]
    add(path, name, b"{}")


def duplicate_in_capitals(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        name = file.namelist()[0]
    add(path, name.upper(), b"{}")


def duplicate_in_another_normal_form(path: Path) -> None:
    add(path, "assets/caf\u00e9")
    add(path, unicodedata.normalize("NFD", "assets/caf\u00e9"))


def file_below_a_file(path: Path) -> None:
    add(path, "assets/file")
    add(path, "assets/file/inside")


def encrypted(path: Path) -> None:
    _patch(path, 8, "<H", 1)


def unusual_compression(path: Path) -> None:
    add(path, "assets/x", b"y" * 1000, compress_type=zipfile.ZIP_LZMA)


def bomb(path: Path) -> None:
    add(path, "assets/bomb", bytes(24 << 20), compress_type=zipfile.ZIP_DEFLATED)


def many_small_bombs(path: Path) -> None:
    content = bytes(4 << 20)
    for index in range(10):
        add(path, f"assets/bomb{index}", content, compress_type=zipfile.ZIP_DEFLATED)


def huge_size(path: Path) -> None:
    add(path, "assets/bomb", bytes(1000), compress_type=zipfile.ZIP_DEFLATED)
    _patch(path, 24, "<I", 0xFFFFFFF0)


def two_sizes(path: Path) -> None:
    add(path, "assets/x", b"z" * 100)
    _patch(path, 24, "<I", 90)


def other_name_in_front(path: Path) -> None:
    add(path, "assets/inner")
    data = path.read_bytes()
    at = data.index(b"assets/inner")
    path.write_bytes(data[:at] + b"assets/other" + data[at + 12 :])


def overlapping(path: Path) -> None:
    data = bytearray(path.read_bytes())
    add(path, "assets/last")
    first = struct.unpack_from("<I", data, data.index(b"PK\x01\x02") + 42)[0]
    _patch(path, 42, "<I", first)


def list_without_end(path: Path) -> None:
    # The list of members claims 60 MB and more; its entries are all the same.
    data = path.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    at = data.rindex(b"PK\x01\x02")
    start = struct.unpack_from("<I", data, end + 16)[0]
    entry = data[at:end]
    count = (64 << 20) // len(entry)
    tail = bytearray(data[end:])
    struct.pack_into("<II", tail, 12, len(entry) * count, start)
    path.write_bytes(data[:start] + entry * count + tail)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


ZIP: dict[str, Callable[[Path], Any]] = {
    **{f"name_{kind}": _name(name) for kind, name in NAMES.items()},
    **{
        attack.__name__: attack
        for attack in (
            zero_byte,
            link,
            device,
            duplicate,
            duplicate_in_capitals,
            duplicate_in_another_normal_form,
            file_below_a_file,
            folder_in_place_of_a_file,
            place_beyond_measure,
            encrypted,
            unusual_compression,
            bomb,
            many_small_bombs,
            huge_size,
            two_sizes,
            other_name_in_front,
            overlapping,
            list_without_end,
            truncated,
        )
    },
}


# -- folders ----------------------------------------------------------------------------------------------


def link_to_a_file(path: Path) -> None:
    (path / "assets").mkdir(exist_ok=True)
    os.symlink("/etc/passwd", path / "assets" / "link")


def link_to_a_folder(path: Path) -> None:
    os.symlink("/etc", path / "other")


def link_in_place_of_the_weights(path: Path) -> None:
    secret = path.parent / "secret.h5"
    (path / "model.weights.h5").rename(secret)
    os.symlink(secret, path / "model.weights.h5")


def named_pipe(path: Path) -> None:
    # Whoever opened it would wait forever.
    (path / "model.weights.h5").unlink()
    os.mkfifo(path / "model.weights.h5")


FOLDER = {
    attack.__name__: attack for attack in (link_to_a_file, link_to_a_folder, link_in_place_of_the_weights, named_pipe)
}


# -- tar files --------------------------------------------------------------------------------------------


def tar(path: Path, *members: tuple[str, dict[str, Any], bytes], mode: str = "w") -> None:
    """Make a tar file of members `(name, attributes, content)`."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, attributes, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content))


GOOD = ("good.txt", {}, b"x")


def _tar_name(name: str) -> Callable[[Path], None]:
    return lambda path: tar(path, GOOD, (name, {}, b"x"))


def _tar_kind(kind: bytes, name: str = "x", target: str = "/etc/passwd") -> Callable[[Path], None]:
    return lambda path: tar(path, GOOD, (name, {"type": kind, "linkname": target}, b""))


def link_and_then_a_file_behind_it(path: Path) -> None:
    tar(path, ("out", {"type": tarfile.SYMTYPE, "linkname": ".."}, b""), ("out/evil.txt", {}, b"x"))


def long_chain_of_links(path: Path) -> None:
    # Names so long that resolving them fails, which once made the check of a link pass (CVE-2025-12638).
    step = "d" * 240
    members = []
    at = ""
    for letter in "abcdefghijklmnop":
        members.append((f"{at}{step}", {"type": tarfile.DIRTYPE}, b""))
        members.append((f"{at}{letter}", {"type": tarfile.SYMTYPE, "linkname": step}, b""))
        at += f"{letter}/"
    members.append((f"{at}{'l' * 254}", {"type": tarfile.SYMTYPE, "linkname": "../" * 16}, b""))
    members.append((f"{at}{'l' * 254}/evil.txt", {}, b"x"))
    tar(path, *members)


def tar_duplicate(path: Path) -> None:
    tar(path, ("x", {}, b"1"), ("x", {}, b"2"))


def tar_file_below_a_file(path: Path) -> None:
    tar(path, ("x", {}, b"1"), ("x/y", {}, b"2"))


def tar_bomb(path: Path) -> None:
    tar(path, ("zeros", {}, bytes(24 << 20)), mode="w:gz")


def tar_header_bomb(path: Path) -> None:
    # The header that holds a long name claims to have a gigabyte of it.
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 16))


def tar_extended_header_bomb(path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    path.write_bytes(info.tobuf(tarfile.USTAR_FORMAT) + bytes(1 << 16))


def tar_negative_size(path: Path) -> None:
    info = tarfile.TarInfo("x")
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[124:136] = b"\xff" * 11 + b"\x00"  # -256
    _write_head(path, head)


def _write_head(path: Path, head: bytearray) -> None:
    head[148:156] = b"%06o\0 " % (sum(head[:148]) + sum(head[156:512]) + 8 * 32)
    path.write_bytes(bytes(head) + bytes(1 << 12))


def tar_sparse_file(path: Path) -> None:
    info = tarfile.TarInfo("sparse")
    info.type = tarfile.GNUTYPE_SPARSE
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[386:410] = b"00000000000\0" + b"00000000000\0"
    head[483:495] = b"00000000000\0"
    _write_head(path, head)


def tar_truncated(path: Path) -> None:
    tar(path, ("x", {}, b"1" * 5000), ("y", {}, b"1" * 5000))
    path.write_bytes(path.read_bytes()[:7000])


TAR: dict[str, Callable[[Path], Any]] = {
    **{f"tar_name_{kind}": _tar_name(name) for kind, name in NAMES.items() if kind != "parent_at_the_end"},
    "tar_link": _tar_kind(tarfile.SYMTYPE),
    "tar_link_to_parent": _tar_kind(tarfile.SYMTYPE, target="../.."),
    "tar_hard_link": _tar_kind(tarfile.LNKTYPE),
    "tar_hard_link_with_a_bad_name": _tar_kind(tarfile.LNKTYPE, "../evil.txt", "good.txt"),
    "tar_character_device": _tar_kind(tarfile.CHRTYPE),
    "tar_block_device": _tar_kind(tarfile.BLKTYPE),
    "tar_named_pipe": _tar_kind(tarfile.FIFOTYPE),
    **{
        attack.__name__: attack
        for attack in (
            link_and_then_a_file_behind_it,
            long_chain_of_links,
            tar_duplicate,
            tar_file_below_a_file,
            tar_bomb,
            tar_header_bomb,
            tar_extended_header_bomb,
            tar_negative_size,
            tar_sparse_file,
            tar_truncated,
        )
    },
}
