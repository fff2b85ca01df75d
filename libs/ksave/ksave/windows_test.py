from __future__ import annotations

import errno
import os
import zipfile
import zlib

import h5py
import numpy as np
import pytest

from ksave import archive, windows
from ksave.stored_member import stored_member
from ksave.stores import Reader, Writer
from ksave.windows import SummedWindow, Window

RNG = np.random.default_rng(0)
# Small, summed in one piece, and divided between two threads.
ARRAYS = [RNG.normal(size=n).astype("float32") for n in (0, 3, 40_000, 1_000_003, 2_000_000)]


def write(path, arrays=ARRAYS):
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("first.txt", "first")
        with stored_member(target, "w.h5") as member, h5py.File(member, "w") as file:
            for i, array in enumerate(arrays):
                file[str(i)] = array
            file["4"][:10] = 7.0  # a piece is written over
        target.writestr("last.txt", "last")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("windows") / "a.zip")
    write(path)
    return path


def test_other_readers_agree_on_the_checksum(path):
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None  # computes and compares it anew
        assert file.read("last.txt") == b"last"


def test_what_is_read_is_summed_and_compared(path):
    with archive.ZipReader(path) as source:
        member = source.open("w.h5", verified=False)
        with h5py.File(member) as file:
            for i, array in enumerate(ARRAYS):
                expected = array.copy()
                expected[:10] = 7.0 if i == 4 else expected[:10]
                np.testing.assert_array_equal(file[str(i)][()], expected)
        member.verify()
        member.close()


def test_a_changed_byte_is_found_wherever_it_is(path, tmp_path):
    with open(path, "rb") as file:
        content = bytearray(file.read())
    begin = content.index(b"\x89HDF")
    end = content.rindex(b"last.txt")
    end = content.rindex(b"last.txt", 0, end) - 60
    for place in np.linspace(begin + 5000, end, 7).astype(int):
        changed = bytearray(content)
        changed[place] ^= 1
        broken = str(tmp_path / "b.zip")
        with open(broken, "wb") as file:
            file.write(changed)
        with archive.ZipReader(broken) as source:
            member = source.open("w.h5", verified=False)
            with h5py.File(member) as file:
                for key in file:
                    file[key][()]
            with pytest.raises(archive.CorruptFileError, match="checksum"):
                member.verify()
            member.close()
            with pytest.raises(archive.CorruptFileError, match="checksum"):
                source.open("w.h5")


def test_one_array_is_read_alone(tmp_path, monkeypatch):
    path = str(tmp_path / "m.weights.h5")
    writer = Writer(path)
    for name in ("a", "b", "c"):
        writer.store(name, name)["0"] = ARRAYS[3]
    writer.close()
    read = []
    fill = Window._fill
    monkeypatch.setattr(Window, "_fill", lambda self, view, at: read.append(len(view)) or fill(self, view, at))
    with Reader.open(SummedWindow(open(path, "rb", buffering=0), 0, os.path.getsize(path))) as reader:
        np.testing.assert_array_equal(reader.store("b")["0"], ARRAYS[3])
    assert ARRAYS[3].nbytes <= sum(read) < 1.1 * ARRAYS[3].nbytes


def test_an_error_while_writing_is_kept(tmp_path, monkeypatch):
    window = SummedWindow(open(tmp_path / "x", "wb+", buffering=0), 0)  # noqa: SIM115

    def full(*args):
        raise OSError(28, "No space left on device")

    with window:
        assert window.write(b"abc") == 3
        monkeypatch.setattr(os, "pwrite", full)
        for data in (b"d", bytes(5 << 20)):  # in this thread and in the other one
            assert window.write(data) == len(data)
        monkeypatch.undo()
        assert window.write(b"e") == 1 and window.seek(0, 2) == 5 + (5 << 20)
        with pytest.raises(OSError, match="No space left"):
            window.check()
    assert (tmp_path / "x").read_bytes() == b"abc"


def test_a_file_that_is_cut_off(tmp_path):
    (tmp_path / "x").write_bytes(bytes(3 << 20))
    with SummedWindow(open(tmp_path / "x", "rb", buffering=0), 10, 5 << 20) as window:
        assert window.readinto(bytearray(4 << 20)) == (3 << 20) - 10
        with pytest.raises(EOFError):
            window.checksum()
    with SummedWindow(open(tmp_path / "x", "rb", buffering=0), 10, (3 << 20) - 10) as window:
        assert window.checksum() == zlib.crc32(bytes((3 << 20) - 10))


@pytest.mark.parametrize("failing", [0, 1])
def test_what_a_sync_under_way_met_is_told(tmp_path, monkeypatch, failing):
    # The system tells such an error once; the sync at the end of a save would hear nothing of it.
    calls = []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == failing + 1:
            raise OSError(errno.EIO, "no longer there")

    monkeypatch.setattr(windows, "_SYNC", 1000)
    monkeypatch.setattr(os, "fsync", fsync)

    def write_weights(path):
        with Writer(path) as writer:
            for i, array in enumerate(ARRAYS):
                writer.file[str(i)] = array

    for save in (write, write_weights):
        calls.clear()
        with pytest.raises(OSError, match="no longer there"):
            save(str(tmp_path / "a"))


def test_what_is_written_again_or_deleted_at_the_end(tmp_path):
    # HDF5 shortens the file then: what was summed beyond its end counts no more.
    path, large = tmp_path / "a.keras", np.arange(300_000, dtype="float32")
    with zipfile.ZipFile(path, "w") as target, stored_member(target, "model.weights.h5") as member:
        with Writer(member) as writer:
            store = writer.store("a", None)
            for key, value in (("0", large), ("1", large), ("1", large[:5]), ("2", large)):
                store[key] = value
                writer.file.flush()
            del store["2"]
    with zipfile.ZipFile(path) as whole:
        assert whole.testzip() is None
    with archive.open_archive(str(path)) as source, Reader.open(source.open("model.weights.h5")) as reader:
        assert reader.paths() == {"a": {"0": (300_000,), "1": (5,)}}
        np.testing.assert_array_equal(reader.store("a")["1"], large[:5])
