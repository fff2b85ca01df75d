"""Archives that `get_file` unpacks: nothing lands outside, and nothing at all of a hostile one."""

from __future__ import annotations

import os
import tarfile
import zipfile
from pathlib import Path

import pytest

import ksave
from ksave.attacks.archive_attacks import GOOD, TAR, ZIP, tar
from ksave.attacks.canaries import bounded, nothing_runs
from ksave.extract import extract_archive
from ksave.limits import Limits

REFUSALS = (ksave.UnsafeFileError, ksave.CorruptFileError)
ATTACKS = {**TAR, **{f"zip_{name}": attack for name, attack in ZIP.items()}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    # Names are relative to the target, wherever the process happens to be.
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


def _hostile(folder, attack):
    path = folder / ("a.tar" if attack in TAR else "a.zip")
    if attack in ZIP or attack.startswith("zip_"):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("good.txt", b"x" * 100)
    ATTACKS[attack](path)
    return path


def _files(folder):
    return {file for file in folder.rglob("*") if file.is_file() or file.is_symlink()}


@pytest.mark.parametrize("attack", ATTACKS)
def test_extract_archive(folder, attack):
    path = _hostile(folder, attack)
    (folder / "out").mkdir()
    before = _files(folder)
    with bounded(), nothing_runs(), pytest.raises(REFUSALS):
        if not extract_archive(str(path), str(folder / "out")):
            raise ksave.CorruptFileError("no archive")
    # What is damaged in the middle is found in the middle; that may leave what came before, in `out`.
    assert {file for file in _files(folder) - before if (folder / "out") not in file.parents} == set()
    assert not any("evil" in str(file) for file in _files(folder))
    assert not os.path.exists("/tmp/evil.txt")


@pytest.mark.parametrize("attack", ATTACKS)
def test_get_file(folder, attack):
    path = _hostile(folder, attack)
    before = _files(folder)
    for options in (
        {"extract": True},
        {"untar": True} if attack in TAR else {"archive_format": "zip", "extract": True},
    ):
        with bounded(), pytest.raises(REFUSALS):
            ksave.get_file(origin=path.as_uri(), cache_dir=str(folder / "cache"), **options)
        left = {file.name for file in _files(folder) - before}
        assert left <= {f"{path.name}_archive", path.name, f"{path.name}.lock", f"{path.name}_archive.lock"}


def test_good_archives_are_unpacked(folder):
    for mode in ("w", "w:gz", "w:bz2", "w:xz"):
        path = folder / f"a.{mode[2:] or 'tar'}"
        tar(path, GOOD, ("sub", {"type": tarfile.DIRTYPE}, b""), ("./sub/b.bin", {}, bytes(5000)), mode=mode)
        out = folder / f"out_{mode[2:]}"
        assert extract_archive(str(path), str(out))
        assert (out / "good.txt").read_bytes() == b"x" and (out / "sub/b.bin").read_bytes() == bytes(5000)
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("sub/", b"")
        file.writestr("sub/c.txt", b"c" * 5000)
    assert extract_archive(str(folder / "a.zip"), str(folder / "out_zip"))
    assert (folder / "out_zip/sub/c.txt").read_bytes() == b"c" * 5000
    assert list(Path.cwd().iterdir()) == []


def test_too_many_members(folder):
    tar(folder / "a.tar", *((f"f{index}", {}, b"") for index in range(5)))
    with pytest.raises(ksave.UnsafeFileError, match="too much"):
        extract_archive(str(folder / "a.tar"), str(folder / "out"), limits=Limits(members=4))


@pytest.mark.parametrize(
    "origin", ["javascript:alert(1)", "data:text/plain,x", "gopher://127.0.0.1/x", "jar:file:///x", "x.txt", "//host/x"]
)
def test_addresses_of_other_kinds(folder, origin):
    with nothing_runs(), pytest.raises(ksave.UnsafeFileError, match="fetched from"):
        ksave.get_file("x.txt", origin, cache_dir=str(folder))


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/b", "..", "C:x", "x\0y"])
def test_names_that_leave_the_cache(folder, name):
    (folder / "source").write_bytes(b"x")
    with pytest.raises(ValueError):
        ksave.get_file(name, (folder / "source").as_uri(), cache_dir=str(folder / "cache"))
    assert not [file for file in _files(folder) if file.name != "source"]


def test_a_wrong_hash_leaves_nothing(folder):
    (folder / "source").write_bytes(b"x")
    origin = (folder / "source").as_uri()
    for hash_, algorithm in (("0" * 64, "sha256"), ("0" * 32, "md5"), ("0" * 64, "auto")):
        with pytest.raises((ksave.CorruptFileError, ValueError)):
            ksave.get_file("x", origin, file_hash=hash_, hash_algorithm=algorithm, cache_dir=str(folder / "c"))
    assert [file.name for file in _files(folder)] == ["source"]
