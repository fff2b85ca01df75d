"""One side of a comparison: a process that holds one `keras` (ours, or Keras 3.15.1) on one engine and times rows.

Reads row names from standard input, one a line; answers each with the seconds of processor time of one repetition.
Rows are in `rows.py`; the same code runs on every side.
"""

import gc
import sys
import time
import traceback

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
            seconds = (time.process_time() - start) / count
            gc.enable()
            answer = repr(seconds)
        except rows.NotHere as reason:
            answer = f"- {reason}"
        except Exception:
            traceback.print_exc()
            answer = "! " + traceback.format_exc().strip().splitlines()[-1][:150]
        print("ANSWER", answer, flush=True)


main()
