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

# Dtypes that graphs do not have, or hold in others, and ops with limits of their own. What would go wrong is refused.
_WIDE = (
    "the CPU has 32 bits. Numbers beyond int32 are refused when they come in, and ops that make new numbers of this "
    "dtype while the graph is built; moving, choosing and comparing is exact. Cast to int32, or run eagerly."
)
GRAPH_LIMITS: dict[str, str] = {
    **dict.fromkeys(("complex64", "complex128"), "the op set has no complex numbers. Run eagerly."),
    "float64": "the CPU would compute it in float32. Cast to float32, or run eagerly.",
    "int64": _WIDE,
    "max_pool": "the CPU pools integers as floats, and their maxima by slices need known sizes. Give them, or cast.",
    "uint32": "the CPU divides and shifts in int32, which differs from 2**31 on. Cast to int32, or run eagerly.",
    "uint64": _WIDE,
}
