"""What the commands that write files have in common: where to, asking first, progress."""

from __future__ import annotations

import argparse
import os

from ksave import remote, rewrite
from ksave.commands import show
from ksave.contents import Contents
from ksave.progress import progress


def add(parser: argparse.ArgumentParser) -> None:
    """Declare `--output` and `--force`."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write this file; by default the file is changed itself")
    parser.add_argument("-f", "--force", action="store_true", help="write over a file that is there")


def check(source: str, target: str, force: bool) -> None:
    """Refuse to write over another file without having been told to."""
    if remote.exists(target) and not force and not remote.same(source, target):
        raise FileExistsError(f"{target} exists. Pass --force to write over it.")


def write(contents: Contents, target: str) -> None:
    """Write the contents, which are still open, and say what could not be taken over."""
    if contents.path.endswith(".weights.json") and remote.same(contents.path, target):
        raise ValueError(f"{target} is the index of several files; write one file with -o NAME.weights.h5.")
    with progress(f"Writing {os.path.basename(target)}", contents.nbytes()) as done:
        rewrite.write(contents, target, done, folder=os.path.isdir(target))
    for note in contents.notes:
        show.line(f"  {note}")
