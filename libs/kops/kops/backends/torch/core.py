"""Tensors, dtypes and variables of the PyTorch engine."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import torch

from kops.backends.plain import *  # noqa: F403
from kops.backends.plain import python_dtype
from kops.backends.probing import probe
from kops.config import settings

NAME = "torch"
SEED_DTYPE = "int64"  # uint32 arithmetic is incomplete in PyTorch
HAS_GRADIENTS = True
compiling = torch.compiler.is_compiling

_SAME_NAMES = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128 "
    "float8_e4m3fn float8_e5m2"
)
_DTYPES = {name: getattr(torch, name) for name in _SAME_NAMES.split()}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_VIEWED = {"bfloat16": np.int16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}

_DEVICE = "cuda" if torch.cuda.is_available() else None


def in_range(value: Any, dtype: torch.dtype) -> Any:
    """A Python number as kernels take it: beyond a float's range it is infinite, which PyTorch refuses to round to."""
    if type(value) not in (int, float) or not dtype.is_floating_point:
        return value
    info = torch.finfo(dtype)
    rounded = info.max if abs(value) < info.max * (1 + info.eps / 4) else math.inf
    return math.copysign(rounded, value) if info.max < abs(value) < math.inf else value


def default_device() -> Any:
    """Where new tensors go: the open `device` scope, else a GPU if there is one, else the CPU."""
    if torch.compiler.is_compiling():  # it cannot ask, and obeys an open scope by itself
        return None if _scopes else _DEVICE
    current = torch.get_default_device()
    return _DEVICE if _DEVICE and current.type == "cpu" and not _scopes else current


_scopes: list[str] = []


def is_tensor(x: Any) -> bool:
    return isinstance(x, torch.Tensor)


def dtype_name(x: Any) -> str:
    return _NAMES[x.dtype]


def shape(x: Any) -> tuple[int, ...]:
    return tuple(x.shape)


def native_dtype(name: str) -> torch.dtype:
    try:
        return _DTYPES[name]
    except KeyError:
        raise TypeError(f"PyTorch has no dtype {name!r}. Choose one of: {', '.join(_DTYPES)}.") from None


def convert(x: Any, dtype: str | None) -> torch.Tensor:
    if isinstance(x, torch.Tensor):
        return x if dtype is None or _NAMES[x.dtype] == dtype else cast(x, dtype)
    if isinstance(x, (bool, int, float, complex)):
        if isinstance(x, float) and dtype is not None and "int" in dtype:
            x = int(x)
        return torch.tensor(
            x, dtype=_scalar_dtype(x) if dtype is None else native_dtype(dtype), device=default_device()
        )
    if isinstance(x, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in x):
        tensor = torch.stack([convert(v, dtype) for v in x])
        return tensor if dtype is None else cast(tensor, dtype)
    if isinstance(x, (list, tuple)) and torch.compiler.is_compiling():
        # Dynamo cannot look into NumPy arrays.
        kind = _scalar_dtype(next(iter(_numbers(x)), 0.0)) if dtype is None else native_dtype(dtype)
        return torch.tensor(x, dtype=kind, device=default_device())
    array = x if isinstance(x, np.ndarray) else np.asarray(x)
    if array.dtype == object or array.dtype.kind in "US":
        raise TypeError(
            f"PyTorch cannot hold {x!r}: it has no string or object tensors, and rows must have one length."
        )
    if dtype is None and not hasattr(x, "dtype"):
        dtype = python_dtype(array)
    tensor = _from_numpy(array)
    device = default_device()
    if device is not None and tensor.device != device:
        tensor = tensor.to(device)
    return tensor if dtype is None or _NAMES[tensor.dtype] == dtype else cast(tensor, dtype)


def _scalar_dtype(x: Any) -> torch.dtype:
    if isinstance(x, bool):
        return torch.bool
    if isinstance(x, int):
        return torch.int32 if -(2**31) <= x < 2**31 else torch.int64
    if isinstance(x, float):
        return _DTYPES[settings.floatx]
    return torch.complex128 if settings.floatx == "float64" else torch.complex64


def _numbers(x: Any) -> Any:
    for v in x:
        if isinstance(v, (list, tuple)):
            yield from _numbers(v)
        else:
            yield v


def _from_numpy(array: np.ndarray) -> torch.Tensor:
    name = array.dtype.name
    if name in _VIEWED:
        return torch.from_numpy(np.array(array).view(_VIEWED[name])).view(_DTYPES[name])
    if not array.flags.writeable or any(s < 0 for s in array.strides) or not array.dtype.isnative:
        array = np.array(array, dtype=array.dtype.newbyteorder("="))
    return torch.from_numpy(array) if array.ndim else torch.tensor(array.item(), dtype=_DTYPES[name])


def cast(x: torch.Tensor, dtype: str) -> torch.Tensor:
    if x.is_complex() and not dtype.startswith("complex"):
        x = x.real
    return x.to(_DTYPES[dtype])


def to_numpy(x: Any) -> np.ndarray:
    if not isinstance(x, torch.Tensor):
        return np.asarray(x)
    x = x.detach().cpu().resolve_conj().resolve_neg()
    name = _NAMES[x.dtype]
    if name in _VIEWED:
        raw = x.contiguous().view(torch.int16 if name == "bfloat16" else torch.uint8).numpy()
        return raw.view(getattr(ml_dtypes, name))
    return x.numpy()


def jit(function: Any) -> Any:
    return torch.compile(function, fullgraph=True)


def remat(function: Any) -> Any:
    from torch.utils.checkpoint import checkpoint

    return lambda *args, **kwargs: checkpoint(function, *args, use_reentrant=False, **kwargs)


def make_variable(value: torch.Tensor, trainable: bool, name: str) -> torch.nn.Parameter:
    # A copy: the parameter is written in place and must not share memory with what it was made from.
    return _parameter(value.detach().clone(), trainable)


def _parameter(value: torch.Tensor, trainable: bool) -> torch.nn.Parameter:
    differentiable = value.is_floating_point() or value.is_complex()
    return torch.nn.Parameter(value, requires_grad=trainable and differentiable)


def assign_variable(native: torch.nn.Parameter, value: torch.Tensor) -> torch.nn.Parameter:
    with torch.no_grad():
        native.copy_(value)
    return native


def own_variable(native: Any, array: np.ndarray, trainable: bool, name: str) -> torch.nn.Parameter:
    value = convert(array, None)
    return _parameter(value, trainable) if native is None else assign_variable(native, value)


def variable_memory(native: torch.nn.Parameter) -> np.ndarray | None:
    if native.device.type != "cpu" or not native.is_contiguous() or native.is_inference():
        return None
    torch.autograd.graph.increment_version(native)  # as any write in place: gradients that need the old are refused
    return to_numpy(native)


class _DeviceScope:
    def __init__(self, name: str) -> None:
        name = name.lower().replace("gpu", "cuda")
        self.name = "cpu" if name.startswith("cpu") else name
        self._device = torch.device(self.name)

    def __enter__(self) -> None:
        _scopes.append(self.name)
        self._device.__enter__()

    def __exit__(self, *exc: Any) -> None:
        self._device.__exit__(*exc)
        _scopes.pop()


def device_scope(name: str) -> Any:
    return _DeviceScope(name)


def layer_base() -> type:
    from kops.backends.torch.layer import LayerBase

    return LayerBase


def abstract_call(function: Any, args: Any, kwargs: Any) -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    def evaluate(call: Any, specs: Any) -> Any:
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
            return call([torch.ones(s, dtype=_DTYPES[d]) for s, d in specs])

    return probe(function, args, kwargs, evaluate)
