"""`torch.compile` without graph breaks (eager code below it: the compiler's own lowering is not ours to test)."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from kops.conformance.engines.batches import flat, mapped, twice


def compiled(function: Any, arrays: list[Any], dynamic: bool) -> Any:
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="eager", dynamic=False)(*arrays)


def gradients(function: Any, arrays: list[Any], wanted: list[int]) -> list[np.ndarray]:
    arrays = [a.detach().clone().requires_grad_() if i in wanted else a for i, a in enumerate(arrays)]
    found = torch.autograd.grad(function(*arrays), [arrays[i] for i in wanted], allow_unused=True)
    return [np.zeros(arrays[i].shape) if g is None else g.numpy() for i, g in zip(wanted, found)]


def wide() -> Any:
    return contextlib.nullcontext()


def _vmap(function: Any, arrays: list[Any], diff: bool) -> Any:
    samples = twice(arrays)
    several = [torch.stack(pair) for pair in zip(*samples)]
    yield torch.func.vmap(function)(*several), mapped(function, samples, torch.stack)


def _grad(function: Any, arrays: list[Any], diff: bool) -> Any:
    if not diff:
        return
    wanted = tuple(i for i, x in enumerate(arrays) if x.is_floating_point())

    def total(*xs: Any) -> Any:
        return sum(x.float().sum() for x in flat(function(*xs)) if x.is_floating_point())

    found = torch.func.grad(total, argnums=wanted)(*arrays)
    yield found, [torch.from_numpy(g) for g in gradients(total, arrays, list(wanted))]


class _Module(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *arrays: Any) -> Any:
        return self.function(*arrays)


def _export(function: Any, arrays: list[Any], diff: bool) -> Any:
    program = torch.export.export(_Module(function), tuple(arrays), strict=False)
    yield program.module()(*arrays), function(*arrays)


COMPOSITIONS = {"torch.func.vmap": _vmap, "torch.func.grad": _grad, "torch.export": _export}


def native_names(function: Any, arrays: list[Any]) -> set[str]:
    """Of the functions that are called in Python, and of the kernels below."""
    names: set[str] = set()

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            names.add(getattr(func, "__name__", str(func)))
            return func(*args, **(kwargs or {}))

    class Kernels(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            names.add(func.name())
            return func(*args, **(kwargs or {}))

    with Functions(), Kernels():
        function(*arrays)
    return names
