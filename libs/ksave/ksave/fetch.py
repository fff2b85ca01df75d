"""One file from an address to a path: whole or not at all, going on where an earlier attempt broke off.

What has arrived is kept in `.NAME.part` beside the file, and in `.NAME.part.json` what the server called it (its
strong ETag, RFC 9110 section 8.8.1). The next attempt asks for the rest on the condition that the server still has
the same (`If-Range`); otherwise it begins anew. Without an ETag the rest is asked for only when a hash is known.
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import os
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable

from ksave.limits import CorruptFileError, UnsafeFileError
from ksave.progress import progress

_CHUNK = 1 << 18
_TIMEOUT = 60  # seconds without any byte
_ATTEMPTS = 5  # while each one brings more
_TIMEOUTS = (TimeoutError, socket.timeout)  # two classes until Python 3.10


class _BrokenOff(OSError):
    """The connection ended before the file did."""


@dataclasses.dataclass
class _Part:
    """What has arrived of a file.

    Args:
        path: where it is.
        origin: the address it came from.
        tag: the ETag under which it came, or None.
        hashed: a hash will tell whether what was put together is right.
    """

    path: str
    origin: str
    hashed: bool
    tag: str | None = None

    @property
    def note(self) -> str:
        return f"{self.path}.json"

    def begun(self) -> int:
        """Bytes of an earlier attempt that may be gone on with."""
        try:
            with open(self.note, encoding="utf-8") as file:
                noted = json.load(file)
            size = os.path.getsize(self.path)
        except (OSError, ValueError):
            return 0
        if not isinstance(noted, dict) or noted.get("origin") != self.origin:
            return 0
        self.tag = noted.get("tag") if isinstance(noted.get("tag"), str) else None
        return size if self.tag or self.hashed else 0

    def name(self, tag: str | None) -> None:
        """Remember what the server calls the file that begins to arrive."""
        self.tag = tag
        with open(self.note, "w", encoding="utf-8", opener=_own) as file:
            json.dump({"origin": self.origin, "tag": tag}, file)

    def drop(self) -> None:
        for path in (self.path, self.note):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def fetch(origin: str, path: str, check: Callable[[str], str | None], hashed: bool = False) -> None:
    """Download a file. Only one process may do so at a time (see `file_lock`).

    Args:
        origin: the address.
        path: the file, which is written over when all of the new one is there.
        check: given the path of what arrived, it says in words what is wrong with it, or None.
        hashed: `check` compares a hash, so that pieces of two attempts cannot be mixed up unnoticed.

    Raises:
        OSError: it could not be fetched.
        CorruptFileError: `check` had something to say.
        UnsafeFileError: the server sends from https to an address without it.
    """
    folder, name = os.path.split(path)
    part = _Part(os.path.join(folder, f".{name}.part"), origin, hashed)
    begun = part.begun()
    _all_of_it(part, path)
    problem = check(part.path)
    if problem is not None and begun:  # of two files in one? Once more from the start
        part.drop()
        _all_of_it(part, path)
        problem = check(part.path)
    if problem is not None:
        part.drop()
        raise CorruptFileError(problem)
    os.chmod(part.path, _mode())
    os.replace(part.path, path)
    part.drop()


def _own(path: str, flags: int) -> int:
    # In a folder that others may write to, a link under this name would lead elsewhere.
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _all_of_it(part: _Part, path: str) -> None:
    for attempt in range(_ATTEMPTS):
        before = part.begun()
        try:
            _some_of_it(part, before)
            return
        except _BrokenOff as error:
            now = part.begun()
            if attempt + 1 < _ATTEMPTS and now > before:
                continue
            if now:
                raise OSError(f"{error} The next attempt goes on from there.") from error
            part.drop()
            raise OSError(f"{error} Try again.") from error
        except urllib.error.HTTPError as error:
            if error.code == 416:  # the file is not that long any more
                part.drop()
                continue
            part.drop()
            raise OSError(f"Could not fetch {part.origin}: the server answered {error.code} {error.reason}.") from error
        except (urllib.error.URLError, *_TIMEOUTS, ConnectionError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            words = f"no answer for {_TIMEOUT} seconds" if isinstance(reason, _TIMEOUTS) else str(reason)
            raise OSError(
                f"Could not fetch {part.origin}: {words}. Without a network, put the file at {path}."
            ) from error
    raise OSError(f"Could not fetch {part.origin}: the connection broke off {_ATTEMPTS} times.")


def _some_of_it(part: _Part, begun: int) -> None:
    """Let the file, or the rest of it, arrive."""
    request = urllib.request.Request(part.origin, headers={"Accept-Encoding": "identity"})
    if begun:
        request.add_header("Range", f"bytes={begun}-")
        if part.tag:
            request.add_header("If-Range", part.tag)
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
        # urllib notes here where it was sent on the way.
        _need_encryption(part.origin, *getattr(request, "redirect_dict", ()), answer.geturl())
        start, total = _place(answer, begun)
        if start is None or start != begun:
            start = 0
            if getattr(answer, "status", 200) == 206:
                part.drop()
                raise OSError(f"{part.origin}: the server sends another piece than it was asked for. Try again.")
        if start == 0:
            part.name(_strong_tag(answer.headers.get("ETag")))
        done = start
        with open(part.path, "rb+" if start else "wb", opener=_own) as file:
            file.truncate(start)
            file.seek(start)
            with progress(os.path.basename(part.path)[1 : -len(".part")], total) as show:
                show(start)
                try:
                    while chunk := answer.read(_CHUNK):
                        file.write(chunk)
                        done += len(chunk)
                        show(len(chunk))
                except (http.client.HTTPException, ConnectionError, *_TIMEOUTS) as error:
                    raise _BrokenOff(_how_far(part.origin, done, total)) from error
            file.flush()
            os.fsync(file.fileno())
    if total and done != total:
        raise _BrokenOff(_how_far(part.origin, done, total))


def _how_far(origin: str, done: int, total: int) -> str:
    return f"{origin} broke off after {done} of {total or 'an unknown number of'} bytes."


def _place(answer: Any, begun: int) -> tuple[int | None, int]:
    """Where the bytes of an answer begin, and how long the whole file is (0: not known)."""
    if getattr(answer, "status", 200) != 206:
        length = answer.headers.get("Content-Length") or ""
        return 0, int(length) if re.fullmatch("[0-9]{1,18}", length) else 0
    found = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)", answer.headers.get("Content-Range") or "")
    if found is None:
        return None, 0
    return int(found[1]), 0 if found[2] == "*" else int(found[2])


def _strong_tag(tag: str | None) -> str | None:
    return tag if tag and re.fullmatch(r'"[\x21\x23-\x7e]*"', tag) else None


def _need_encryption(origin: str, *further: str) -> None:
    if urllib.parse.urlsplit(origin).scheme == "https":
        for address in further:
            if urllib.parse.urlsplit(address).scheme != "https":
                raise UnsafeFileError(f"{origin} sends to {address}, which is not encrypted; it is not followed.")
