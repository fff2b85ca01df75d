"""`ksave strip`: a file without the state of its optimizer."""

from __future__ import annotations

import argparse

from ksave import remote
from ksave.commands import show, target
from ksave.contents import open_contents

HELP = "take the state of the optimizer out of a file"
EXAMPLES = """\
A model trained with Adam is three times as large as its weights; to predict, the rest is not needed. What the model
was compiled with (loss, metrics, optimizer) stays, so that it can be evaluated; training starts the optimizer afresh.
The file is changed itself, unless -o says another.

exit code: 0, or 2 when it could not be done (then the file is as it was)

examples:
  ksave strip trained.keras -o released.keras
  ksave strip --compile trained.keras         forget loss, metrics and optimizer, too
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--compile", action="store_true", help="take the compile configuration out, too")
    target.add(parser)


def run(options: argparse.Namespace) -> int:
    """Strip."""
    output = options.output or options.file
    target.check(options.file, output, options.force)
    with open_contents(options.file) as contents:
        found = contents.drop_optimizer()
        settings = options.compile and contents.config is not None and contents.config.pop("compile_config", None)
        if not found and not settings and remote.same(options.file, output):
            show.line(f"{options.file} has no state of an optimizer; nothing was changed.")
            return 0
        state = sum(array.nbytes for array in found)
        target.write(contents, output)
    before, after = contents.size, remote.size(output)
    show.line(
        f"{output}: {len(found)} arrays of the optimizer ({show.size(state)}) taken out; "
        f"{show.size(before)} became {show.size(after)}, {show.size(before - after)} saved."
    )
    return 0
