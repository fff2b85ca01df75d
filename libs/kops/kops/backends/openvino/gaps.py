"""What this engine cannot do: op name -> reason. A listed op that works fails the conformance tests."""

from __future__ import annotations

# Eager: what NumPy cannot.
GAPS: dict[str, str] = {"jvp": "it has no derivatives."}

# While a graph is traced: ops that OpenVINO's op set cannot express. Functions that use them run eagerly.
GRAPH_GAPS: dict[str, str] = {
    "eig": "the op set has no decompositions of matrices.",
    "eigh": "the op set has no decompositions of matrices.",
    "lstsq": "it needs singular values, which the op set has not.",
    "matrix_rank": "it needs singular values, which the op set has not.",
    "pinv": "it needs singular values, which the op set has not.",
    "svd": "the op set has no decompositions of matrices.",
    "unique": "it would need first positions and sizes that the op set's unique does not fix.",
    "nextafter": "the op set cannot read the bits of a number.",
    "polar": "the op set has no complex numbers.",
    "view": "the op set cannot read the bits of a number.",
    "view_as_complex": "the op set has no complex numbers.",
}
