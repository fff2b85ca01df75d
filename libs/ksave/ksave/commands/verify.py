"""`ksave verify`: whether files are whole, safe and consistent."""

from __future__ import annotations

import argparse
import os
import sys

from ksave import inspection
from ksave.commands import show
from ksave.progress import progress

HELP = "read all of files and say what is wrong with them"
EXAMPLES = """\
What is looked at: everything that a load would check (links, foreign storage, bombs, names that leave the
folder, Python objects), all checksums, every number (finite or not), the classes that the config names, and
whether the weights are those of the layers that the config lists.

exit code: 0 when nothing is wrong, 1 otherwise

examples:
  ksave verify model.keras
  ksave verify --quiet downloads/*.keras || echo "do not load these"
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=".keras, .h5, .npz or .safetensors file")
    parser.add_argument("--json", action="store_true", help="print JSON: a list of problems for each file")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing about files that are right")


def run(options: argparse.Namespace) -> int:
    """Check the files."""
    problems = {}
    for path in options.files:
        total = os.path.getsize(path) if os.path.isfile(path) else 0
        with progress(f"Verifying {os.path.basename(path)}", total) as done:
            problems[path] = inspection.verify(path, progress=done)
        if options.json:
            continue
        if problems[path]:
            show.line(f"{path}:")
            for problem in problems[path]:
                for part in problem.splitlines():
                    show.line(f"  {part}")
        elif not options.quiet:
            show.line(f"{path}: ok")
        sys.stdout.flush()
    if options.json:
        show.as_json(problems)
    return 1 if any(problems.values()) else 0
