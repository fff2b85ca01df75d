from __future__ import annotations

import hashlib
import http.server
import io
import os
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
            body = FILES.get(self.path.replace("/short", ""))
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
    ("name", "options", "inside"),
    [
        ("d.tar.gz", {"extract": True}, "d/y/z.txt"),
        ("d.tar.gz", {"untar": True}, "d/x.txt"),
        ("e.zip", {"extract": True}, "e/x.txt"),
        ("e.zip", {"extract": True, "archive_format": ["zip"]}, "e/x.txt"),
    ],
)
def test_archives(tmp_path, server, name, options, inside):
    address, _ = server
    for _ in range(2):
        path = ksave.get_file(origin=f"{address}/{name}", cache_dir=tmp_path, **options)
    assert path == str(tmp_path / "datasets" / name) and os.path.isfile(os.path.join(path, inside))
    assert sorted(os.listdir(tmp_path / "datasets")) == [name, f"{name}_archive"]


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


def test_wrong_use(tmp_path):
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
