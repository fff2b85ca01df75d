"""`ksave rename`: other names for layers, other paths for weights."""

from __future__ import annotations

import argparse

from ksave import renaming
from ksave.commands import show, target
from ksave.contents import open_contents

HELP = "rename layers in a model, or move weights in a weights file"
EXAMPLES = """\
In files with a config (.keras, .h5) OLD is the name of a layer, or the path of names of a layer in a layer. It is
renamed where it stands, where the graph refers to it, in the losses and metrics by output, and beside its weights.
Weights are in .keras files by class and number (layers/dense_1), whatever the names; with --weights, and in
files without a config, OLD and NEW are such paths. The file is changed itself, unless -o says another.

exit code: 0, or 2 when it could not be done (then the file is as it was)

examples:
  ksave rename model.keras dense_7 logits
  ksave rename model.keras encoder/dense hidden -o renamed.keras
  ksave rename w.weights.h5 layers/dense layers/dense_1
  ksave rename model.keras dense a dense_1 b             several at once, in this order
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("names", nargs="+", metavar="OLD NEW", help="pairs of names")
    parser.add_argument(
        "--weights", action="store_true", help="the names are paths of weights, also where there is a config"
    )
    target.add(parser)


def run(options: argparse.Namespace) -> int:
    """Rename."""
    if len(options.names) % 2:
        raise ValueError("Names come in pairs: OLD NEW [OLD NEW ...].")
    output = options.output or options.file
    target.check(options.file, output, options.force)
    with open_contents(options.file) as contents:
        for old, new in zip(options.names[::2], options.names[1::2]):
            if options.weights or contents.config is None:
                renaming.rename_weights(contents, old, new)
            else:
                renaming.rename_layer(contents, old, new)
        target.write(contents, output)
    for old, new in zip(options.names[::2], options.names[1::2]):
        show.line(f"{output}: {old} is now {new}")
    return 0
