"""Kernels of diagonals and triangles."""

from __future__ import annotations

import torch

TABLE = {"diagonal": torch.diagonal, "diag": torch.diag, "tril": torch.tril, "triu": torch.triu}
