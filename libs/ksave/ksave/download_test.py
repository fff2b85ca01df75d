from __future__ import annotations

import hashlib
import http.server
import io
import os
import stat
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

import ksave
from ksave.download import cache_home

TEXT = b"flowers" * 100


def _tar(members, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _zip(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


FILES = {
    "/a.txt": TEXT,
    "/d.tar.gz": _tar({"./d/x.txt": b"x", "d/y/z.txt": b"z"}),
    "/e.zip": _zip({"e/x.txt": b"x"}),
    "/evil.tar.gz": _tar({"good.txt": b"g", "../out.txt": b"o"}),
}


@pytest.fixture(scope="module")
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        hits: list[str] = []

        def do_GET(self):
            self.hits.append(self.path)
            body = FILES.get(self.path.partition("?")[0].replace("/short", ""))
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:50] if "/short" in self.path else body)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}", Handler.hits
        httpd.shutdown()


def test_fetched_once(tmp_path, server):
    address, hits = server
    hits.clear()
    for _ in range(2):
        path = ksave.get_file(origin=f"{address}/a.txt", cache_dir=tmp_path)
    assert path == str(tmp_path / "datasets" / "a.txt") and Path(path).read_bytes() == TEXT
    assert hits == ["/a.txt"]
    ksave.get_file(origin=f"{address}/a.txt", cache_dir=tmp_path, force_download=True)
    assert len(hits) == 2
    assert os.listdir(tmp_path / "datasets") == ["a.txt"]


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_hashes(tmp_path, server, algorithm):
    address, _ = server
    right = hashlib.new(algorithm, TEXT).hexdigest()
    path = ksave.get_file(origin=f"{address}/a.txt", cache_dir=tmp_path, file_hash=right.upper())
    Path(path).write_bytes(b"changed")
    ksave.get_file(origin=f"{address}/a.txt", cache_dir=tmp_path, file_hash=right, hash_algorithm=algorithm)
    assert Path(path).read_bytes() == TEXT
    with pytest.raises(ksave.CorruptFileError, match="not kept"):
        ksave.get_file("b", f"{address}/a.txt", cache_dir=tmp_path, file_hash="0" * len(right))
    assert not (tmp_path / "datasets" / "b").exists()


@pytest.mark.parametrize(
    ("name", "fname", "options", "inside", "kept"),
    [
        # Without a name, and under one without a dot, the archive is put aside.
        ("d.tar.gz", None, {"extract": True}, "d.tar.gz/d/y/z.txt", "d.tar.gz_archive"),
        ("d.tar.gz", "flowers", {"untar": True}, "flowers/d/x.txt", "flowers_archive"),
        ("e.zip", None, {"extract": True}, "e.zip/e/x.txt", "e.zip_archive"),
        ("d.tar.gz", "d.tar.gz", {"extract": True}, "d_extracted/d/x.txt", "d.tar.gz"),
        ("d.tar.gz", "q.tar.gz", {"untar": True}, "q_extracted/d/x.txt", "q.tar.gz"),
        ("e.zip", "my.data.v1.zip", {"extract": True, "archive_format": ["zip"]}, "my_extracted/e/x.txt", None),
    ],
)
def test_archives(tmp_path, server, name, fname, options, inside, kept):
    # The places are those of Keras 3.15.1.
    address, _ = server
    for _ in range(2):
        path = ksave.get_file(fname, f"{address}/{name}", cache_dir=tmp_path, **options)
    assert path == str(tmp_path / "datasets" / inside.split("/")[0])
    assert os.path.isfile(tmp_path / "datasets" / inside)
    seen = [name for name in os.listdir(tmp_path / "datasets") if not name.startswith(".")]
    assert sorted(seen) == sorted([inside.split("/")[0], kept or fname])


def test_two_archives_that_go_to_one_folder(tmp_path, server):
    address, _ = server
    places = [("my.v1.zip", "e.zip", "e"), ("my.v2.tgz", "d.tar.gz", "d"), ("my.v1.zip", "e.zip", "e")]
    for fname, name, inside in places:
        path = ksave.get_file(fname, f"{address}/{name}", cache_dir=tmp_path, extract=True)
        assert os.path.basename(path) == "my_extracted" and os.listdir(path) == [inside]


def test_a_folder_that_a_crash_left_is_unpacked_again(tmp_path, server):
    address, _ = server
    options = {"origin": f"{address}/e.zip", "cache_dir": tmp_path, "extract": True}
    path = Path(ksave.get_file(**options))
    os.rename(path, path.with_name("gone"))
    assert (Path(ksave.get_file(**options)) / "e" / "x.txt").read_bytes() == b"x"


def test_what_is_no_archive(tmp_path, server):
    address, _ = server
    with pytest.raises(ksave.CorruptFileError, match="not an archive"):
        ksave.get_file(origin=f"{address}/a.txt", cache_dir=tmp_path, extract=True)
    with pytest.raises(ValueError, match="'tar' or 'zip'"):
        ksave.get_file(origin=f"{address}/e.zip", cache_dir=tmp_path, extract=True, archive_format="rar")


def test_evil_archive_writes_nothing(tmp_path, server):
    address, _ = server
    with pytest.raises(ksave.UnsafeFileError, match=r"\.\./out"):
        ksave.get_file(origin=f"{address}/evil.tar.gz", cache_dir=tmp_path, extract=True)
    assert os.listdir(tmp_path / "datasets") == ["evil.tar.gz_archive"]


def test_a_broken_download_is_never_taken_for_whole(tmp_path, server):
    address, _ = server
    with pytest.raises(OSError, match="broke off after 50"):
        ksave.get_file(origin=f"{address}/short/a.txt", cache_dir=tmp_path)
    with pytest.raises(OSError, match="404"):
        ksave.get_file(origin=f"{address}/none.txt", cache_dir=tmp_path)
    with pytest.raises(OSError, match="put the file at"):
        ksave.get_file(origin="http://127.0.0.1:1/x.txt", cache_dir=tmp_path)
    assert os.listdir(tmp_path / "datasets") == []


def test_two_at_once_fetch_once(tmp_path, server):
    address, hits = server
    hits.clear()
    threads = [
        threading.Thread(target=ksave.get_file, kwargs={"origin": f"{address}/a.txt", "cache_dir": tmp_path})
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hits == ["/a.txt"]


def test_other_ways_to_say_where(tmp_path, server):
    address, hits = server
    elsewhere = tmp_path / "else"
    options = {"origin": f"{address}/a.txt?version=2", "cache_subdir": str(elsewhere)}
    assert ksave.get_file(**options) == str(elsewhere / "a.txt")
    assert ksave.get_file(Path("b.txt"), f"{address}/a.txt", cache_dir=tmp_path, cache_subdir="m/n") == str(
        tmp_path / "m" / "n" / "b.txt"
    )
    local = (tmp_path / "m" / "n" / "b.txt").as_uri()
    assert Path(ksave.get_file("c.txt", local, cache_dir=tmp_path)).read_bytes() == TEXT
    assert stat.S_IMODE(os.stat(elsewhere / "a.txt").st_mode) & 0o044 == 0o044 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_wrong_use(tmp_path):
    with pytest.raises(ValueError, match="not 'sha512'"):
        ksave.get_file("x", "http://127.0.0.1:1/x", cache_dir=tmp_path, hash_algorithm="sha512")
    with pytest.raises(ValueError, match="needs an address"):
        ksave.get_file("x")
    for origin in ("data:text/plain,x", "javascript:x", "/etc/passwd", "gopher://x/y"):
        with pytest.raises(ksave.UnsafeFileError, match="addresses"):
            ksave.get_file("x", origin, cache_dir=tmp_path)
    for name in ("../x", "/etc/x", "a/b"):
        with pytest.raises(ValueError, match="without folders"):
            ksave.get_file(name, "http://127.0.0.1:1/x", cache_dir=tmp_path)
    for origin in ("http://127.0.0.1:1/..", "http://127.0.0.1:1/a\\b"):
        with pytest.raises(ksave.UnsafeFileError, match="Names are relative"):
            ksave.get_file(None, origin, cache_dir=tmp_path)
    with pytest.raises(ValueError, match="no file name"):
        ksave.get_file(None, "http://127.0.0.1:1/", cache_dir=tmp_path)


def test_cache_home(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "k"))
    assert cache_home() == str(tmp_path / "k")
    monkeypatch.delenv("KERAS_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_home() == str(tmp_path / ".keras")
    monkeypatch.setenv("HOME", "/nonexistent/place")
    assert cache_home().endswith(".keras") and cache_home().startswith("/tmp")
