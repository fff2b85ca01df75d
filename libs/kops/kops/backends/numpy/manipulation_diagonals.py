"""Kernels of diagonals and triangles."""

from __future__ import annotations

import numpy as np

TABLE = {"diagonal": np.diagonal, "diag": np.diag, "tril": np.tril, "triu": np.triu}
