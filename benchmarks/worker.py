"""One side of a comparison: a process that holds one `keras` (ours, or Keras 3.15.1) on one engine and times rows.

Reads row names from standard input, one a line; answers each with the seconds of processor time of one repetition,
or with `{name: seconds}` where a row times many things itself. Rows are in `rows.py` and `ops.py`; the same code runs
on every side.
"""

import gc
import json
import sys
import time
import traceback

import ops  # noqa: F401 - registers its rows
import rows


def main():
    side, engine = sys.argv[1:3]
    ready = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in ready:
                run = rows.prepare(name, side, engine)
                run()  # compile, build, fill caches
                ready[name] = run
            gc.collect()
            gc.disable()
            start = time.process_time()
            count = ready[name]()
            seconds = time.process_time() - start
            gc.enable()
            answer = json.dumps(count) if isinstance(count, dict) else repr(seconds / count)
        except rows.NotHere as reason:
            answer = f"- {reason}"
        except Exception:
            traceback.print_exc()
            answer = "! " + traceback.format_exc().strip().splitlines()[-1][:150]
        print("ANSWER", answer, flush=True)


main()
