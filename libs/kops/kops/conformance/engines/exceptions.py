"""Which op does not pass which transformation of which engine, and why. Strict: what passes may not stand here."""

from __future__ import annotations

EXCEPTIONS: dict[str, dict[str, str]] = {
    "jax.vmap and lax.scan": {},
    "torch.func.vmap": {},
    "torch.func.grad": {},
    "torch.export": {},
    "tf.function(jit_compile=True)": {
        "det": "XLA has no LU decomposition.",
        "eig": "XLA has no decomposition of matrices that are not symmetric.",
        "eigh": "XLA's eigenvectors have signs of their own.",
        "i0": "XLA has no Bessel functions.",
        "logdet": "XLA has no LU decomposition.",
        "lu_factor": "XLA has no LU decomposition.",
        "slogdet": "XLA has no LU decomposition.",
        "unique": "NumPy computes it, which XLA cannot call.",
    },
}
