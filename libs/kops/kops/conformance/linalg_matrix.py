"""Rows of decompositions and solvers. Factors that are unique up to signs are checked by what they multiply to."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import F, L, case, row

_RNG = np.random.default_rng(3)
_A = _RNG.normal(size=(2, 3, 3))
POSITIVE = L(_A @ np.swapaxes(_A, -1, -2) + np.eye(3))
SQUARE = L(_RNG.normal(size=(2, 3, 3)) + 2 * np.eye(3))
TALL = L(_RNG.normal(size=(2, 4, 3)))
LOW_RANK = L(_RNG.normal(size=(4, 2)) @ _RNG.normal(size=(2, 3)))
LOWER = L(np.tril(_RNG.normal(size=(3, 3))) + 2 * np.eye(3))
BAD = [case(F(3)), case(F(2, 3))]
# Rounded to ints the matrices would be singular.
FLOATS = ("float16", "bfloat16", "float32")
NOT_UNIQUE = "the factors are unique up to signs; linalg_matrix_test checks their products"


def _lu(x):
    lu, pivots = x.copy(), np.zeros(x.shape[:-1], int)
    for b in range(len(x)):
        for i in range(x.shape[-1]):
            p = i + np.argmax(np.abs(lu[b, i:, i]))
            pivots[b, i] = p
            lu[b, [i, p]] = lu[b, [p, i]]
            for r in range(i + 1, x.shape[-1]):
                lu[b, r, i] /= lu[b, i, i]
                lu[b, r, i + 1 :] -= lu[b, r, i] * lu[b, i, i + 1 :]
    return lu, pivots


def _vector_solve(a, b):
    return np.linalg.solve(a, b[..., None])[..., 0]


ROWS = [
    row("cholesky", POSITIVE, sweep=FLOATS, ref=np.linalg.cholesky, grad=True, dtypes=("float32", "float64"), bad=BAD),
    row("cholesky", POSITIVE, sweep=FLOATS, upper=True,
        ref=lambda x, upper: np.swapaxes(np.linalg.cholesky(x), -1, -2).conj()),
    row("cholesky_inverse", LOWER, sweep=FLOATS, ref=lambda x: np.linalg.inv(np.tril(x) @ np.tril(x).conj().T),
        grad=True, bad=BAD, dynamic=False, note="the size of the matrix must be known"),
    row("cholesky_inverse", L(np.asarray(LOWER.make("")).T), sweep=FLOATS, upper=True,
        ref=lambda x, upper: np.linalg.inv(np.triu(x).conj().T @ np.triu(x)),
        dynamic=False, note="the size of the matrix must be known"),
    row("det", SQUARE, ref=np.linalg.det, grad=True, bad=BAD),
    row("slogdet", SQUARE, ref=np.linalg.slogdet, bad=BAD),
    row("logdet", POSITIVE, sweep=FLOATS, ref=lambda x: np.log(np.linalg.det(x).real), grad=True, bad=BAD),
    row("inv", SQUARE, sweep=FLOATS, ref=np.linalg.inv, grad=True, dtypes=("float32", "float64", "float16"), bad=BAD),
    row("solve", SQUARE, F(2, 3, 2), sweep=FLOATS, ref=np.linalg.solve, grad=True,
        bad=[case(F(3, 3), F(2, 2)), case(F(2, 3), F(2)), case(F(3, 3), F(3, 3, 3))]),
    row("solve", SQUARE, F(2, 3), sweep=FLOATS, ref=_vector_solve),
    row("solve_triangular", LOWER, F(3, 2), sweep=FLOATS, lower=True,
        ref=lambda a, b, lower: np.linalg.solve(np.tril(a), b), grad=True),
    row("solve_triangular", SQUARE, F(2, 3), sweep=FLOATS, ref=lambda a, b: _vector_solve(np.triu(a), b),
        bad=[case(F(3, 3), F(2))]),
    row("lu_factor", SQUARE, sweep=FLOATS, ref=_lu, bad=[case(F(3))], dynamic="first"),
    row("qr", TALL, ref=None, note=NOT_UNIQUE, bad=[case(F(3)), case(F(3, 3), mode="raw")]),
    row("qr", TALL, mode="complete", ref=None, note=NOT_UNIQUE),
    row("eig", SQUARE, ref=None, note=NOT_UNIQUE, bad=BAD),
    row("eigh", POSITIVE, ref=None, note=NOT_UNIQUE, bad=BAD),
    row("svd", TALL, ref=None, note=NOT_UNIQUE, bad=[case(F(3))]),
    row("svd", TALL, full_matrices=False, ref=None, note=NOT_UNIQUE),
    row("svd", TALL, compute_uv=False, ref=lambda x, compute_uv: np.linalg.svd(x, compute_uv=False), grad=True),
    row("matrix_rank", LOW_RANK, ref=2, bad=[case(F(3))]),
    row("matrix_rank", F(2, 4, 0), ref=np.zeros(2)),
    row("pinv", F(4, 0), ref=np.zeros((0, 4))),
    row("matrix_rank", L(np.diag([3.0, 2.0, 0.1])), 0.5, ref=lambda x, tol: 2),
    row("pinv", TALL, ref=np.linalg.pinv, grad=True, bad=[case(F(3))], tol=1e-4),
    row("pinv", L(np.diag([4.0, 1.0, 0.0])), rcond=0.5, ref=np.diag([0.25, 0.0, 0.0])),
    row("lstsq", L(_RNG.normal(size=(5, 3))), F(5, 2), ref=lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], tol=1e-4,
        bad=[case(F(4, 3), F(3)), case(F(2, 4, 3), F(4))]),
    row("lstsq", LOW_RANK, F(4), ref=lambda a, b: np.linalg.lstsq(a, b, rcond=1e-6)[0], tol=1e-3),
]  # fmt: skip
