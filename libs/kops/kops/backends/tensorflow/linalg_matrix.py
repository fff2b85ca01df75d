"""Kernels of decompositions and solvers."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.kernel_tables import kernels
from kops.backends.tensorflow.eager import holds, kept, recording

_la = tf.linalg


def _adjoint(x: Any) -> Any:
    rank = x.shape.rank
    y = tf.transpose(x, kept((*range(rank - 2), rank - 1, rank - 2)))
    return tf.math.conj(y) if x.dtype.is_complex else y


def _cholesky(x: Any, upper: bool) -> Any:
    # Of the symmetric part, as on JAX: the gradient then belongs to the function that is computed.
    if not recording() and holds(x, lambda v: v == v.conj().swapaxes(-1, -2)):
        factor = _la.cholesky(x)
    else:
        factor = _la.cholesky(tf.multiply(tf.add(x, _adjoint(x)), 0.5))
    return _adjoint(factor) if upper else factor


def _vectors(solver: Any) -> Any:
    """A solver of matrices that takes vectors, too."""

    def solve(a: Any, b: Any, *static: Any) -> Any:
        if b.shape.rank == a.shape.rank - 1:
            return tf.squeeze(solver(a, b[..., None], *static), -1)
        return solver(a, b, *static)

    return solve


def _solve(a: Any, b: Any) -> Any:
    if a.shape[:-2] != b.shape[:-2] or None in a.shape[:-2]:  # tf.linalg.solve does not broadcast
        batch = tf.broadcast_dynamic_shape(tf.shape(a)[:-2], tf.shape(b)[:-2])
        a = tf.broadcast_to(a, tf.concat([batch, tf.shape(a)[-2:]], 0))
        b = tf.broadcast_to(b, tf.concat([batch, tf.shape(b)[-2:]], 0))
    return _la.solve(a, b)


def _lu_factor(x: Any) -> Any:
    m, n = x.shape[-2:]
    if m is None or m != n:
        raise NotImplementedError(
            f"lu_factor on the tensorflow backend needs square matrices of known size; got {x.shape}. Use qr, or pad."
        )
    lu, order = _la.lu(x)
    # TensorFlow gives the final order of the rows; exchanging them one after the other tells the pivots.
    current = tf.broadcast_to(tf.range(n), tf.shape(order))
    pivots = []
    for i in range(n):
        place = tf.argmax(tf.cast(tf.equal(current, order[..., i : i + 1]), tf.int32), axis=-1, output_type=tf.int32)
        pivots.append(place)
        moved = tf.where(tf.range(n) == place[..., None], current[..., i : i + 1], current)
        current = tf.where(tf.range(n) == i, order[..., i : i + 1], moved)
    return lu, tf.stack(pivots, axis=-1) if pivots else order


def _svd(x: Any, full_matrices: bool, compute_uv: bool) -> Any:
    if not compute_uv:
        return _la.svd(x, compute_uv=False)
    s, u, v = _la.svd(x, full_matrices=full_matrices)
    return u, s, _adjoint(v)


TABLE = {
    **kernels(_cholesky, _lu_factor, _svd),
    "det": _la.det,
    "slogdet": lambda x: tuple(_la.slogdet(x)),
    "inv": _la.inv,
    "solve": _vectors(_solve),
    "solve_triangular": _vectors(lambda a, b, lower: _la.triangular_solve(a, b, lower=lower)),
    "qr": lambda x, mode: tuple(_la.qr(x, full_matrices=mode == "complete")),
    "eig": lambda x: tuple(_la.eig(x)),
    "eigh": lambda x: tuple(_la.eigh(x)),
}
