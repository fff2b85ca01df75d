"""Writing an uncompressed member of a zip file in place, through a seekable file."""

from __future__ import annotations

import contextlib
import os
import time
import zipfile
from typing import Any, Iterator

from ksave.windows import SummedWindow


@contextlib.contextmanager
def stored_member(target: zipfile.ZipFile, name: str) -> Iterator[SummedWindow]:
    """A seekable file that becomes a member at the end of the block: large data are written once, in place.

    Args:
        target: a zip file on disk that is open for writing, to which nothing else is added meanwhile.
        name: the member's.
    """
    file: Any = target.fp
    info = zipfile.ZipInfo(name, time.localtime()[:6])
    info.CRC = info.compress_size = info.file_size = 0  # corrected below
    info.external_attr = 0o600 << 16
    info.header_offset = target.start_dir
    file.seek(info.header_offset)
    file.write(info.FileHeader(zip64=True))
    start = file.tell()
    file.flush()
    # A file of its own, without the buffer of the other, over the same bytes.
    with SummedWindow(open(os.dup(file.fileno()), "rb+", buffering=0), start) as window:
        yield window
        window.check()
        info.CRC = window.checksum()
    window.check()  # what its last sync said
    end = file.seek(0, os.SEEK_END)
    info.file_size = info.compress_size = end - start
    file.seek(info.header_offset)
    file.write(info.FileHeader(zip64=True))
    file.seek(end)
    target.start_dir = end
    target.filelist.append(info)
    target.NameToInfo[name] = info
