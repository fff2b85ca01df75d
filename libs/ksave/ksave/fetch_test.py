"""Downloads from a server that breaks off, changes its files and counts what it was asked for."""

from __future__ import annotations

import hashlib
import http.server
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import ksave
from ksave import fetch as fetch_module
from ksave.file_lock import file_lock

BODY = bytes(range(256)) * 4096  # 1 MiB
HALF = len(BODY) // 2


class Server(http.server.ThreadingHTTPServer):
    """Serves `body`; each of `cuts` is after how many bytes one answer breaks off."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.tag, self.cuts = BODY, '"one"', []
        self.asked: list[str | None] = []
        self.ranges = self.length = True
        self.delay = 0.0
        self.address = f"http://127.0.0.1:{self.server_port}/data.bin"

    def handle_error(self, request, address):
        """Clients that go away are meant to."""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(self.headers.get("Range"))
        if self.path in ("/first", "/second"):
            self.send_response(302)
            self.send_header("Location", {"/first": "/second", "/second": "/data.bin"}[self.path])
            self.end_headers()
            return
        if self.path != "/data.bin":
            self.send_error(404)
            return
        start = 0
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if wanted and server.ranges and self.headers.get("If-Range") in (None, server.tag):
            start = int(wanted[1])
            if start >= len(server.body):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(server.body) - 1}/{len(server.body)}")
        else:
            self.send_response(200)
        rest = server.body[start:]
        if server.length:
            self.send_header("Content-Length", str(len(rest)) if server.length is True else server.length)
        if server.tag:
            self.send_header("ETag", server.tag)
        self.end_headers()
        if server.cuts:
            rest = rest[: server.cuts.pop(0)]
        self.wfile.write(rest[: len(rest) // 2])
        time.sleep(server.delay)
        self.wfile.write(rest[len(rest) // 2 :])

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with Server() as running:
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.shutdown()


def _get(server, folder, **options):
    path = ksave.get_file("data.bin", server.address, cache_dir=folder, **options)
    with open(path, "rb") as file:
        return file.read()


def _left(folder):
    return sorted(os.listdir(folder / "datasets"))


def test_goes_on_where_it_broke_off(tmp_path, server):
    server.cuts = [HALF]
    assert _get(server, tmp_path) == BODY
    assert server.asked == [None, f"bytes={HALF}-"] and _left(tmp_path) == ["data.bin"]


def test_the_next_call_goes_on(tmp_path, server):
    server.cuts = [HALF] + [0] * 9  # nothing comes after the first half
    with pytest.raises(OSError, match=rf"broke off after {HALF} of {len(BODY)} bytes. The next attempt goes on"):
        _get(server, tmp_path)
    assert _left(tmp_path) == [".data.bin.part", ".data.bin.part.json"]  # never under its name
    server.cuts, server.asked = [], []
    assert _get(server, tmp_path) == BODY and server.asked == [f"bytes={HALF}-"]
    assert _left(tmp_path) == ["data.bin"]


def test_another_file_meanwhile_is_fetched_whole(tmp_path, server):
    server.cuts = [HALF] + [0] * 9
    with pytest.raises(OSError, match="broke off"):
        _get(server, tmp_path)
    server.body, server.tag, server.cuts, server.asked = BODY[::-1], '"two"', [], []
    assert _get(server, tmp_path) == BODY[::-1] and server.asked == [f"bytes={HALF}-"]


def test_a_shorter_file_meanwhile(tmp_path, server):
    server.cuts = [HALF] + [0] * 9
    with pytest.raises(OSError, match="broke off"):
        _get(server, tmp_path)
    server.body, server.cuts = b"short", []
    assert _get(server, tmp_path) == b"short"


def test_without_a_tag_only_a_hash_allows_to_go_on(tmp_path, server):
    server.tag, server.cuts = None, [HALF]
    with pytest.raises(OSError, match="Try again"):
        _get(server, tmp_path)
    assert _left(tmp_path) == []
    server.cuts, server.asked = [HALF], []
    assert _get(server, tmp_path, file_hash=hashlib.sha256(BODY).hexdigest()) == BODY
    assert server.asked == [None, f"bytes={HALF}-"]


def test_pieces_of_two_files_are_noticed_by_the_hash(tmp_path, server):
    other = BODY[::-1]
    server.tag, server.body, server.cuts = None, other, [HALF] + [0] * 9
    right = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
    with pytest.raises(OSError, match="broke off"):
        _get(server, tmp_path, md5_hash=right)
    server.body, server.cuts, server.asked = BODY, [], []
    assert _get(server, tmp_path, md5_hash=right) == BODY
    assert server.asked == [f"bytes={HALF}-", None]  # once more, from the start
    server.body = other
    with pytest.raises(ksave.CorruptFileError, match="expected was"):
        _get(server, tmp_path, md5_hash=right, force_download=True)
    assert _get(server, tmp_path) == BODY and _left(tmp_path) == ["data.bin"]  # the old one is still there


def test_servers_without_ranges_or_lengths(tmp_path, server):
    server.ranges, server.cuts = False, [HALF]
    assert _get(server, tmp_path) == BODY and len(server.asked) == 2
    server.length = False
    assert _get(server, tmp_path, force_download=True) == BODY


def test_a_weak_tag_is_none(tmp_path, server):
    server.tag, server.cuts = 'W/"one"', [HALF]
    with pytest.raises(OSError, match="Try again"):
        _get(server, tmp_path)


def test_errors_name_the_address(tmp_path, server, monkeypatch):
    missing = server.address.replace("data.bin", "none.bin")
    with pytest.raises(OSError, match=f"Could not fetch {re.escape(missing)}: the server answered 404"):
        ksave.get_file("none.bin", missing, cache_dir=tmp_path)
    with pytest.raises(OSError, match=r"127.0.0.1:1/x.*refused.*Without a network, put the file at .*x"):
        ksave.get_file("x", "http://127.0.0.1:1/x", cache_dir=tmp_path)
    monkeypatch.setattr(fetch_module, "_TIMEOUT", 0.1)
    server.delay = 1.0
    with pytest.raises(OSError, match=r"data\.bin"):
        _get(server, tmp_path)
    assert "data.bin" not in _left(tmp_path)


def test_without_encryption_where_there_was_some():
    with pytest.raises(ksave.UnsafeFileError, match="not encrypted"):
        fetch_module._need_encryption("https://example.org/x", "http://example.org/x")
    with pytest.raises(ksave.UnsafeFileError, match="not encrypted"):
        fetch_module._need_encryption("https://example.org/x", "http://example.org/x", "https://example.org/y")
    fetch_module._need_encryption("http://example.org/x", "https://example.org/x")


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links")
def test_links_that_others_put_there_are_not_followed(tmp_path, server):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    for name in (".data.bin.part", ".data.bin.part.json", "data.bin.lock"):
        folder = tmp_path / name / "datasets"
        folder.mkdir(parents=True)
        (folder / name).symlink_to(victim)
        with pytest.raises(OSError, match="symbolic links"):
            _get(server, tmp_path / name)
        assert victim.read_bytes() == b"mine"


_CHILD = """
import sys
import ksave
print(open(ksave.get_file("data.bin", sys.argv[1], cache_dir=sys.argv[2]), "rb").read().__len__())
"""


def _child(server, folder):
    command = [sys.executable, "-c", _CHILD, server.address, str(folder)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def test_two_processes_fetch_once(tmp_path, server):
    server.delay = 0.5
    children = [_child(server, tmp_path) for _ in range(2)]
    assert [child.communicate(timeout=60)[0].strip() for child in children] == [str(len(BODY))] * 2
    assert server.asked == [None] and _left(tmp_path) == ["data.bin"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_process_leaves_no_lock_and_nothing_under_the_name(tmp_path, server):
    server.delay = 30.0
    child = _child(server, tmp_path)
    while not server.asked:
        time.sleep(0.01)
    part = tmp_path / "datasets" / ".data.bin.part"
    while not part.exists() or not part.stat().st_size:
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=60)
    assert "data.bin" not in _left(tmp_path)
    server.delay = 0.0
    assert _get(server, tmp_path) == BODY  # at once: the lock died with its owner
    assert _left(tmp_path) == ["data.bin"]


def test_the_lock_lets_one_in(tmp_path):
    inside, most, path = [], [], str(tmp_path / "x.lock")

    def work():
        for _ in range(20):
            with file_lock(path):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80 and os.listdir(tmp_path) == []


def test_every_step_on_the_way_is_looked_at(server, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(fetch_module, "_need_encryption", lambda *addresses: seen.append(addresses))
    root = server.address.rpartition("/")[0]
    ksave.get_file(origin=f"{root}/first", cache_dir=tmp_path)
    assert seen == [(f"{root}/first", f"{root}/second", server.address, server.address)]


@pytest.mark.parametrize("length", ["many", "-5", "\u0663", "9" * 5000])
def test_lengths_that_are_none(server, tmp_path, length):
    server.length = length.encode("utf-8").decode("latin-1")
    assert _get(server, tmp_path) == BODY
