"""What this engine cannot do: op name -> reason. A listed op that works fails the conformance tests."""

from __future__ import annotations

# Eager: what NumPy cannot.
GAPS: dict[str, str] = {"jvp": "it has no derivatives."}

# While a graph is traced: ops that OpenVINO's op set cannot express. Functions that use them run eagerly.
GRAPH_GAPS: dict[str, str] = {
    "cholesky": "the op set has no decompositions of matrices.",
    "det": "it needs an LU decomposition, which the op set has not.",
    "eig": "the op set has no decompositions of matrices.",
    "eigh": "the op set has no decompositions of matrices.",
    "logdet": "it needs an LU decomposition, which the op set has not.",
    "lstsq": "it needs singular values, which the op set has not.",
    "lu_factor": "the op set has no decompositions of matrices.",
    "matrix_rank": "it needs singular values, which the op set has not.",
    "pinv": "it needs singular values, which the op set has not.",
    "qr": "the op set has no decompositions of matrices.",
    "slogdet": "it needs an LU decomposition, which the op set has not.",
    "svd": "the op set has no decompositions of matrices.",
    "unique": "it would need first positions and sizes that the op set's unique does not fix.",
    "ctc_loss": "its recurrence over steps of different numbers is not among the sequence ops.",
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
