from __future__ import annotations

import os
import stat

import pytest

from ksave import atomic
from ksave.atomic import atomic_file, atomic_folder


def test_file_appears_whole_or_not(tmp_path):
    path = tmp_path / "x"
    with atomic_file(str(path)) as temporary:
        with open(temporary, "w") as file:
            file.write("new")
        assert not path.exists() and os.path.dirname(temporary) == str(tmp_path)
    assert path.read_text() == "new"
    with pytest.raises(ZeroDivisionError), atomic_file(str(path)) as temporary:
        open(temporary, "w").close()
        1 / 0
    assert path.read_text() == "new" and os.listdir(tmp_path) == ["x"]


def test_mode_and_links_are_kept(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o640)
    os.symlink(path, tmp_path / "link")
    with atomic_file(str(tmp_path / "link")) as temporary, open(temporary, "w") as file:
        file.write("new")
    assert (tmp_path / "link").is_symlink() and path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    mask = os.umask(0o022)
    try:
        with atomic_file(str(tmp_path / "fresh")):
            pass
        assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o644
        with atomic_folder(str(tmp_path / "folder")):
            pass
        assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o755
    finally:
        os.umask(mask)


def test_folder_replaces_the_old_one_at_the_end(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.mkdir()
    (path / "old").write_text("old")
    rename = os.rename

    def fail(source, target):
        if target == str(path) and source.endswith(".part"):
            raise OSError("no")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)  # a system that cannot
    with pytest.raises(OSError, match="no"), atomic_folder(str(path)):
        pass
    monkeypatch.setattr(os, "rename", rename)
    assert os.listdir(tmp_path) == ["x"] and os.listdir(path) == ["old"]
    for name in ("by renaming", "by exchange"):
        with atomic_folder(str(path)) as temporary:
            open(os.path.join(temporary, name), "w").close()
        assert os.listdir(tmp_path) == ["x"] and os.listdir(path) == [name]
        monkeypatch.undo()


def test_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="Create it first"), atomic_file(str(tmp_path / "a" / "x")):
        pass
