"""One row of sample arguments per op, and the suite that checks every engine with them."""

from __future__ import annotations

from typing import Any


def check(*rows: Any) -> None:
    """Run the suite on ops of your own: values, dtypes, shapes, eager and symbolic alike, compiled, gradients, config.

    Needs pytest. Call it in a test of yours, once for each engine (`KERAS_BACKEND`).

    Args:
        *rows: what `kops.conformance.rows.row` makes.

    Raises:
        AssertionError: the op, the arguments and the engine, and what does not agree.

    Example:
        >>> from kops.conformance.rows import F, row
        >>> check(row("scaled_tanh", F(2, 3), scale=3.0, ref=lambda x, scale: scale * np.tanh(x), grad=True))
    """
    import pytest

    from kops.conformance import suite

    tests = [
        suite.test_value, suite.test_dtype_and_shape, suite.test_dynamic, suite.test_bad, suite.test_compiled,
        suite.test_gradient, suite.test_node,
    ]  # fmt: skip
    name = f"yours.{rows[0].op}"
    suite.ROWS[name] = list(rows)
    try:
        for test in tests:
            try:
                test(name)
            except pytest.skip.Exception:
                continue  # the rows or the engine leave this out
    finally:
        del suite.ROWS[name]
