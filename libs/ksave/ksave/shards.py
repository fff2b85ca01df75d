"""Weights in several files beside an index, written so that the index names a whole set at every moment.

Keras finds the files by fixed names (`m_00000.weights.h5`), which the old set has too. So the new files first stand
beside the old ones under names of their own, and an index that names those takes the place of the old index. Then
they get the fixed names, and an index that names these follows. Every set carries a mark, in its index and in each
file, by which a reader sees that files belong together.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import tempfile
from typing import Any, Callable

from ksave import remote
from ksave.atomic import atomic_file, beside, sync_file, sync_folder
from ksave.stores import ShardWriter


def save_shards(write: Callable[[ShardWriter], None], path: str, limit: float) -> None:
    """Write a set.

    Args:
        write: fills the writer.
        path: of the index; ends in `.weights.json`.
        limit: bytes of one file, see `ShardWriter`.
    """
    if remote.is_remote(path):
        raise NotImplementedError(
            f"Sharded weights are written to local disks only, not to {path}. Leave max_shard_size out."
        )
    path = os.path.realpath(path)
    folder, base = os.path.split(path[: -len(".weights.json")])
    mark = secrets.randbits(52)
    staging = beside(path, tempfile.mkdtemp)
    passing: list[str] = []  # files that the index needs for a while at most
    try:
        with ShardWriter(os.path.join(staging, base), limit, mark) as writer:
            write(writer)
        names = [os.path.basename(file) for file in writer.files]
        for name in names:
            sync_file(os.path.join(staging, name))
        passing += (_named(path, base) or set()) - set(names)
        if os.path.exists(path):
            own = {name: f"{base}_{mark:013x}{name[len(base) :]}" for name in names}
            for name in names:
                passing.append(own[name])
                _link(os.path.join(staging, name), os.path.join(folder, own[name]))
            sync_folder(folder)
            named = {key: [own[name] for name in value] for key, value in writer.map.items()}
            _write_index(path, writer.total, named, mark)
        for name in names:
            os.replace(os.path.join(staging, name), os.path.join(folder, name))
        sync_folder(folder)
        _write_index(path, writer.total, writer.map, mark)
    finally:
        needed = _named(path, base)  # by whichever index has the name now
        for name in passing:
            if needed is not None and name not in needed:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))
        shutil.rmtree(staging, ignore_errors=True)


def _write_index(path: str, total: int, named: dict[str, list[str]], mark: int) -> None:
    index = {"metadata": {"total_size": float(total), "set": mark}, "weight_map": named}
    with atomic_file(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        json.dump(index, file, indent=4)


def _named(path: str, base: str) -> set[str] | None:
    """The files of this base name that the index names, None if it cannot be read; nothing else is ever deleted."""
    try:
        with open(path, encoding="utf-8") as file:
            values: Any = json.load(file)["weight_map"].values()
        names = {name for value in values for name in ([value] if isinstance(value, str) else value)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # there is none, or it is no index
    pattern = re.compile(rf"{re.escape(base)}(_[0-9a-f]{{13}})?_\d{{5}}\.weights\.h5")
    return {name for name in names if pattern.fullmatch(name)}


def _link(source: str, target: str) -> None:
    """Give a file a second name; where the file system has no such thing, copy it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        sync_file(target)
