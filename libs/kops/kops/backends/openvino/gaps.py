"""What this engine cannot do: op name -> reason. A listed op that works fails the conformance tests."""

from __future__ import annotations

# Eager: what NumPy cannot.
GAPS: dict[str, str] = {"jvp": "it has no derivatives."}

# While a graph is traced: ops that OpenVINO's op set cannot express. Functions that use them run eagerly.
GRAPH_GAPS: dict[str, str] = {
    "bincount": "the size of its output depends on values.",
    "cumprod": "the op set has no running product.",
    "gcd": "the op set has no greatest common divisor, and a loop over all elements would not pay.",
    "lcm": "it needs gcd, which the op set has not.",
    "nancumprod": "it needs cumprod, which the op set has not.",
    "nextafter": "the op set cannot read the bits of a number.",
    "polar": "the op set has no complex numbers.",
    "view": "the op set cannot read the bits of a number.",
    "view_as_complex": "the op set has no complex numbers.",
}
