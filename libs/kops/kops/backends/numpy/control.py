"""Control flow needs no kernels where everything computes at once."""

from __future__ import annotations

TABLE = {"stop_gradient": lambda x: x}
