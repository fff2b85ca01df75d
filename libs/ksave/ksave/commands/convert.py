"""`ksave convert`: from one format to another."""

from __future__ import annotations

import argparse
import io
from typing import BinaryIO, Callable

from ksave import inspection, legacy_layout, remote, rewrite
from ksave.commands import show, target
from ksave.contents import Contents, config_of, open_contents

HELP = "convert between .keras, .weights.h5, .h5, .npz and .safetensors"
EXAMPLES = """\
The formats are told by the endings:
  .keras         model: config, weights, state of the optimizer, other files such as vocabularies
  .weights.h5    weights and state of the optimizer (reads .weights.json, an index of several, too)
  .h5            model in the layout of Keras 1 and 2; of weights without a config: weights in that layout
  .npz           arrays, for numpy.load; named as in .weights.h5
  .safetensors   arrays, for any framework; named as in .weights.h5
From weights to a model the config is missing: --config says where it is. Nothing is made up: what the new format
has no place for (vocabularies in .h5) is an error, not a loss.

In .h5 files weights are found by their order. It is known from the config for the layers of Keras, but not for
quantized ones and those with LoRA, for SpectralNormalization, and for layers that hold custom layers: such a file is
refused. Variables of custom layers are named variable, variable_1.

exit code: 0, or 2 when it could not be done (then nothing was written)

examples:
  ksave convert old.h5 new.keras
  ksave convert model.keras model.safetensors
  ksave convert tuned.npz tuned.keras --config model.keras
  ksave convert old_weights.h5 new.weights.h5 --config model.json      config of model.to_json()
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("output", metavar="TO")
    parser.add_argument("--config", metavar="FILE", help="the model: a .keras or .h5 file, or JSON")
    parser.add_argument("--no-optimizer", action="store_true", help="leave the state of the optimizer out")
    parser.add_argument("-f", "--force", action="store_true", help="write over a file that is there")


def run(options: argparse.Namespace) -> int:
    """Convert."""
    target.check(options.source, options.output, options.force)
    if not options.output.endswith(rewrite.ENDINGS):
        raise ValueError(
            f"The format of {options.output} is not known: its name ends in none of {', '.join(rewrite.ENDINGS)}."
        )
    with open_contents(options.source) as contents:
        if options.config:
            add_config(contents, options.config)
            misfits = list(inspection.misfits(contents))
            if misfits:
                raise ValueError(
                    f"{options.source} does not hold the weights of {options.config}:\n  " + "\n  ".join(misfits)
                )
        if options.no_optimizer:
            contents.drop_optimizer()
        count = len(contents.arrays)
        target.write(contents, options.output)
    show.line(f"{options.output}: {count} arrays, {show.size(remote.size(options.output))}")
    return 0


def add_config(contents: Contents, path: str) -> None:
    """Give weights the model of another file."""
    if path.endswith(".json"):
        with open(path, "rb") as file:
            config = legacy_layout.modern_config(config_of(file.read(), path))
        metadata, assets = {}, {}
    else:
        with open_contents(path, convert=False) as other:
            if other.config is None:
                raise ValueError(f"{path} has no config. Give a .keras or .h5 file of the model, or JSON.")
            config, metadata = other.config, other.metadata
            assets = {name: _read_later(path, name) for name in other.assets}
    if contents.legacy:
        contents.arrays, contents.names = legacy_layout.to_store(config, contents.legacy_layers())
        contents.legacy = False
    contents.config = config
    contents.metadata = {**metadata, **contents.metadata}
    contents.assets = contents.assets or assets
    contents.kind = "model"


def _read_later(path: str, name: str) -> Callable[[], BinaryIO]:
    """The asset is read when it is written; the file it is in is opened for that."""

    def read() -> BinaryIO:
        with open_contents(path, convert=False) as other, other.assets[name]() as file:
            return io.BytesIO(file.read())

    return read
