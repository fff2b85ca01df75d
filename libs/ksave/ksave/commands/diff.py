"""`ksave diff`: where two files differ."""

from __future__ import annotations

import argparse
from typing import Any

from ksave import comparison
from ksave.commands import show
from ksave.contents import open_contents
from ksave.progress import progress

HELP = "compare two files: layers, arguments, weights"
EXAMPLES = """\
Versions and dates are not compared. The size of a difference is shown as its largest element, and as the norm of the
difference over the norm of the first file's array.

exit code: 0 when the files hold the same, 1 when they differ, 2 when they cannot be compared

examples:
  ksave diff before.keras after.keras
  ksave diff --no-optimizer checkpoint.keras released.keras
  ksave diff --weights-only --rtol 1e-5 on_gpu.keras on_cpu.weights.h5
  ksave diff old.h5 new.keras                formats may differ
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", metavar="A")
    parser.add_argument("second", metavar="B")
    parser.add_argument("--weights-only", action="store_true", help="do not compare configs and other files")
    parser.add_argument("--no-optimizer", action="store_true", help="leave the state of the optimizer out")
    parser.add_argument("--rtol", type=float, default=0.0, help="numbers are equal when |a - b| <= atol + rtol * |a|")
    parser.add_argument("--atol", type=float, default=0.0, help="see --rtol; both are 0 by default")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing, only exit")


def run(options: argparse.Namespace) -> int:
    """Compare the files."""
    with open_contents(options.first) as first, open_contents(options.second) as second:
        with progress("Comparing", first.nbytes()) as done:
            found = comparison.compare(
                first,
                second,
                configs=not options.weights_only,
                optimizer=not options.no_optimizer,
                rtol=options.rtol,
                atol=options.atol,
                progress=done,
            )
    different = any(found[key] for key in ("layers", "config", "weights", "assets"))
    if options.json:
        show.as_json({"different": different, **found})
    elif not options.quiet:
        _show(found, options)
    return 1 if different else 0


def _show(found: dict[str, Any], options: argparse.Namespace) -> None:
    show.table(
        "Layers", ("", "layer", "class"), [(row["change"], row["name"], row["class"]) for row in found["layers"]]
    )
    rows = [(row["where"], _value(row["first"]), _value(row["second"])) for row in found["config"]]
    show.table("Config", ("where", options.first, options.second), rows)
    weights = [
        (row["path"], row["change"], _number(row.get("max")), _number(row.get("relative"))) for row in found["weights"]
    ]
    head = ("array", "difference", "largest", "relative norm")
    show.table("Weights", head, weights, ("largest", "relative norm"))
    show.table("Other files", ("", "file"), [(row["change"], row["name"]) for row in found["assets"]])
    configs = len(found["layers"]) + len(found["config"])
    show.line(
        f"{found['equal']} arrays are equal, {len(found['weights'])} differ; "
        f"{configs} difference{'s' * (configs != 1)} in the configs."
    )


def _value(value: Any) -> str:
    text = repr(value) if not isinstance(value, comparison.Missing) else "-"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
