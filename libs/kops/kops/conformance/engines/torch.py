"""`torch.compile` without graph breaks (eager code below it: the compiler's own lowering is not ours to test)."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import torch


def compiled(function: Any, arrays: list[Any], dynamic: bool) -> Any:
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="eager", dynamic=False)(*arrays)


def gradients(function: Any, arrays: list[Any], wanted: list[int]) -> list[np.ndarray]:
    arrays = [a.detach().clone().requires_grad_() if i in wanted else a for i, a in enumerate(arrays)]
    found = torch.autograd.grad(function(*arrays), [arrays[i] for i in wanted], allow_unused=True)
    return [np.zeros(arrays[i].shape) if g is None else g.numpy() for i, g in zip(wanted, found)]


def wide() -> Any:
    return contextlib.nullcontext()
