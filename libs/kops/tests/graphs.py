"""OpenVINO graphs against eager over all ops and dtypes, on demand.

    python libs/kops/tests/graphs.py [--ops a,b] [--dtypes a,b] [--rows] [--out FILE]

Without `--rows` one row of each op. An op whose graph crashes the process is told, too. Exits non-zero when something
differs (`kops.conformance.engines.openvino_graphs`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "openvino"

import numpy as np


def check(queue: Any, op: str, dtypes: Any, every_row: bool) -> None:
    from kops.conformance.engines import openvino_graphs as graphs

    count, lines = 0, []
    for row, number, dtype in graphs.cases([op], every_row):
        if not dtypes or dtype in dtypes:
            count += 1
            lines += [f"{op}#{number} {dtype} | {fill} | {words}" for fill, words in graphs.faults(row, dtype)]
    queue.put((count, lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops")
    parser.add_argument("--dtypes")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--out", default="/tmp/kops-graphs.txt")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    from kops.conformance.engines import openvino_graphs as graphs

    start, count, found = time.time(), 0, []
    context = multiprocessing.get_context("fork")
    dtypes = options.dtypes and options.dtypes.split(",")
    for op in dict.fromkeys(row.op for row, _, _ in graphs.cases(options.ops and options.ops.split(","))):
        queue = context.SimpleQueue()
        process = context.Process(target=check, args=(queue, op, dtypes, options.rows))
        process.start()
        while queue.empty() and process.is_alive():
            time.sleep(0.01)
        number, lines = queue.get() if not queue.empty() else (0, [f"{op} | | ends the process"])
        process.join()
        count, found = count + number, found + lines
    Path(options.out).write_text("\n".join(found))
    print(f"{count} graphs in {time.time() - start:.0f} s, {len(found)} differences")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
