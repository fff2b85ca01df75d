"""Hostile zip and tar containers, built on the fly: each is refused before anything is unpacked."""

from __future__ import annotations

import io
import json
import os
import struct
import tarfile
import zipfile

import pytest

import ksave
from ksave.archive import open_archive
from ksave.extract import extract_archive
from ksave.fake_layers import small_model
from ksave.limits import Limits

BAD_NAMES = [
    "../evil.txt",
    "assets/../../evil.txt",
    "/etc/evil.txt",
    "assets\\..\\evil.txt",
    "C:/evil.txt",
    "C:evil.txt",
    "assets//evil.txt",
    "assets/./evil.txt",
    "assets/..",
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.keras"
    ksave.save_model(small_model(), path)
    return path


def _add(path, name, content=b"x", **attributes):
    info = zipfile.ZipInfo("placeholder")
    info.filename = info.orig_filename = name
    for key, value in attributes.items():
        setattr(info, key, value)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(info, content)


def _refused(path, said):
    with pytest.raises(ksave.UnsafeFileError, match=said):
        ksave.load_model(path)
    with pytest.raises(ksave.UnsafeFileError, match=said):
        ksave.load_weights(small_model(), path)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_leave_the_folder(path, name):
    _add(path, name)
    _refused(path, "Names are relative")
    assert os.listdir(path.parent) == ["m.keras"]


def test_a_name_with_a_zero_byte(path):
    # zipfile cuts such names, so the bytes are put in by hand.
    _add(path, "assets/x_y")
    path.write_bytes(path.read_bytes().replace(b"assets/x_y", b"assets/x\0y"))
    with pytest.raises((ksave.UnsafeFileError, ksave.CorruptFileError)):
        ksave.load_model(path)


def test_symbolic_links(path):
    _add(path, "assets/link", b"/etc/passwd", external_attr=0o120777 << 16)
    _refused(path, "link or device")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["config.json", "Config.JSON"])
def test_duplicate_members(path, name):
    _add(path, name, b"{}")
    _refused(path, "two members")


def test_encrypted_members(path):
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(data)
    _refused(path, "encrypted")


def test_unusual_compression(path):
    _add(path, "assets/x", b"y" * 1000, compress_type=zipfile.ZIP_LZMA)
    _refused(path, "unusual method")


def test_compression_bomb(path):
    _add(path, "assets/bomb", bytes(64 << 20), compress_type=zipfile.ZIP_DEFLATED)
    _refused(path, "bomb")


def test_a_lie_about_the_size_is_found(path):
    _add(path, "assets/bomb", bytes(4 << 20), compress_type=zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)  # says that it unpacks to 10 bytes
    path.write_bytes(data)
    with pytest.raises((ksave.CorruptFileError, ksave.UnsafeFileError)):
        ksave.load_model(path)


def test_overlapping_members(path):
    data = bytearray(path.read_bytes())
    first = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]  # both begin at the same place
    path.write_bytes(data)
    _refused(path, "overlaps")


def test_too_many_members(path):
    with pytest.raises(ksave.UnsafeFileError, match="members"):
        open_archive(str(path), Limits(members=2))


def test_nested_zip_is_just_bytes(path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("../evil", b"x")
    _add(path, "assets/inner.zip", inner.getvalue())
    ksave.load_model(path)
    assert os.listdir(path.parent) == ["m.keras"]


def test_links_in_folders(tmp_path):
    path = tmp_path / "m.keras"
    ksave.save_model(small_model(), path, zipped=False)
    os.symlink("/etc/passwd", path / "assets" / "link")
    _refused(path, "link or device")


def test_json_bombs(path):
    for text, said in [
        ("[" * 5000 + "]" * 5000, "nested"),
        ('{"class_name": "A", "class_name": "B", "config": {}}', "twice"),
    ]:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("config.json", text)
        with pytest.raises(ksave.UnsafeFileError, match=said):
            ksave.load_model(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", b'{"class_name": \xff}')
    with pytest.raises(ksave.CorruptFileError, match="not valid JSON"):
        ksave.load_model(path)


def test_deep_configs_below_the_json_limit(path):
    config: dict = {"units": 1}
    for _ in range(120):
        config = {"module": "x", "class_name": "Dense", "config": {"units": 1, "act": None, "like": config}}
        config["registered_name"] = "fake>Dense"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", json.dumps(config))
    with pytest.raises((ksave.UnsafeFileError, ksave.CorruptFileError)):
        ksave.load_model(path)  # no weights, or too deep: an error either way, not a crash


# -- tar and zip archives of get_file ---------------------------------------------------------------------


def _tar(path, *members):
    with tarfile.open(path, "w") as archive:
        for name, attributes, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content))


@pytest.mark.parametrize("name", BAD_NAMES[:7])
def test_tar_names(tmp_path, name):
    _tar(tmp_path / "a.tar", ("good.txt", {}, b"x"), (name, {}, b"x"))
    with pytest.raises(ksave.UnsafeFileError, match="Names are relative"):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert os.listdir(tmp_path) == ["a.tar"]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
def test_tar_links_and_devices(tmp_path, kind):
    _tar(tmp_path / "a.tar", ("x", {"type": kind, "linkname": "/etc/passwd"}, b""))
    with pytest.raises(ksave.UnsafeFileError, match="link, a device"):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert os.listdir(tmp_path) == ["a.tar"]


def test_tar_duplicates_and_bombs(tmp_path):
    _tar(tmp_path / "a.tar", ("x", {}, b"1"), ("x", {}, b"2"))
    with pytest.raises(ksave.UnsafeFileError, match="two members"):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("zeros")
        info.size = 32 << 20
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    with pytest.raises(ksave.UnsafeFileError, match="too much"):
        extract_archive(str(tmp_path / "b.tar.gz"), str(tmp_path / "out"))


def test_truncated_tar(tmp_path):
    _tar(tmp_path / "a.tar", ("x", {}, b"1" * 5000), ("y", {}, b"1" * 5000))
    whole = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "a.tar").write_bytes(whole[:7000])
    with pytest.raises(ksave.CorruptFileError):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))


@pytest.mark.parametrize("name", BAD_NAMES)
def test_zip_names(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("good.txt", b"x")
    _add(tmp_path / "a.zip", name)
    with pytest.raises(ksave.UnsafeFileError, match="Names are relative"):
        extract_archive(str(tmp_path / "a.zip"), str(tmp_path / "out"))
    assert os.listdir(tmp_path) == ["a.zip"]


def test_zip_links_and_bombs(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("good.txt", b"x")
    _add(tmp_path / "a.zip", "l", b"/etc/passwd", external_attr=0o120777 << 16)
    with pytest.raises(ksave.UnsafeFileError, match="link"):
        extract_archive(str(tmp_path / "a.zip"), str(tmp_path / "out"))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(64 << 20))
    with pytest.raises(ksave.UnsafeFileError, match="bomb"):
        extract_archive(str(tmp_path / "b.zip"), str(tmp_path / "out"))
