"""Row of `stop_gradient`; ops that take functions have tests of their own."""

from __future__ import annotations

from kops.conformance.rows import F, row

_WHY = "it takes functions: kops/ops/control_test.py runs it eager, compiled, nested and symbolic"
EXEMPT = dict.fromkeys(
    ["associative_scan", "fori_loop", "jvp", "map", "scan", "switch", "vectorized_map", "while_loop"], _WHY
)
ROWS = [row("stop_gradient", F(2, 3), ref=lambda x: x, dynamic="all", dtypes=("float32", "int32", "bfloat16"))]
