"""Runs the commands on files whose configs and bytes were changed at random. Run on demand:

    python fuzz_commands.py [FILES] [SEED]

Every command must end with an exit code; an exception that the command line does not turn into words is printed.
"""

from __future__ import annotations

import os
import sys
import tempfile

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    libs = os.path.dirname(os.path.dirname(here))
    sys.path[1:1] = [os.path.join(libs, "kspec"), os.path.join(libs, "ksave")]
    from ksave.commands.mutations_test import run_all

    count, seed = (int(argument) for argument in (sys.argv[1:] + ["1000", "0"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        failures = run_all(range(seed, seed + count), folder)
    print(f"{len(failures)} of {count} files met an exception")
    sys.exit(1 if failures else 0)
