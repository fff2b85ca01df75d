"""Loads files with flipped bytes and says when that ends in anything but an error of ours. Run on demand:

    python fuzz_reader.py [SEED [COUNT]]

Each file has ten seconds; one that hangs or crashes the process stays behind as `fuzz_SEED.keras`, and a stack
trace is printed.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import tempfile
import warnings

import numpy as np

import ksave
from ksave.tests.fake_layers import small_model


def main(seed: int = 0, count: int = 2000) -> None:
    """Try `count` files made from one `.keras` and one `.weights.h5` file."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        kinds = {".weights.h5": ksave.save_weights, ".keras": ksave.save_model}
        for ending, save in kinds.items():
            path = os.path.join(folder, f"whole{ending}")
            save(small_model(), path)
            with open(path, "rb") as file:
                whole = file.read()
            target = f"fuzz_{seed}{ending}"
            for _ in range(count):
                data = bytearray(whole)
                for place in rng.integers(0, len(whole), int(rng.integers(1, 6))):
                    data[place] ^= int(rng.integers(1, 256))
                with open(target, "wb") as file:
                    file.write(data)
                faulthandler.dump_traceback_later(10, exit=True)
                # Refused in our words; anything else ends the run with its stack trace.
                with contextlib.suppress(ValueError, ksave.UnknownObjectError):
                    if ending == ".keras":
                        ksave.load_model(target)
                    else:
                        ksave.load_weights(small_model(), target)
            faulthandler.cancel_dump_traceback_later()
            os.unlink(target)
            print(f"{count} damaged {ending} files: errors of ours, or loaded")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
