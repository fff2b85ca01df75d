"""Loading of the chosen engine: `engine()` is the module `kops.backends.<name>`.

An engine is a package with the names of `Engine` below. It is imported by the first thing that computes, never
before: `import kops` and `import keras` are cheap, and TensorFlow can import `keras` while it loads itself.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, Mapping, Protocol

from kops.config import settings


class Engine(Protocol):
    """What `kops/backends/<engine>/__init__.py` provides."""

    NAME: str
    TABLE: Mapping[str, Callable[..., Any]]  # op name -> kernel: native tensors in, native tensors out
    GAPS: Mapping[str, str]  # op name -> why this engine cannot
    SCALARS: frozenset[str]  # ops whose kernels take Python scalars as they are
    SEED_DTYPE: str  # in which SeedGenerator keeps its state
    HAS_GRADIENTS: bool

    def is_tensor(self, x: Any) -> bool: ...
    def dtype_name(self, x: Any) -> str: ...
    def shape(self, x: Any) -> tuple[int | None, ...]: ...
    def native_dtype(self, name: str) -> Any: ...
    def canonical(self, name: str) -> str:
        """The dtype that the engine really gives when asked for `name` (JAX without x64: 32 bits)."""

    def convert(self, x: Any, dtype: str | None) -> Any:
        """Anything array-like to a native tensor of that dtype (None: its own)."""

    def cast(self, x: Any, dtype: str) -> Any: ...
    def to_numpy(self, x: Any) -> Any: ...
    def lookup(self, name: str, arguments: Any) -> Callable[..., Any] | None:
        """The kernel for these arguments; only OpenVINO has two tables."""

    compiling: Callable[[], bool] | None
    """Whether a tracer that forbids side effects is running (torch.compile); None where there is no such thing."""

    def abstract_call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Shapes and dtypes that native code gives on symbolic arguments, as KerasTensors; or re-raise."""

    def adopt(self, function: Any) -> Any:
        """Mark a dispatching function so that the engine's source rewriting leaves it alone."""

    def jit(self, function: Any) -> Any: ...
    def make_variable(self, value: Any, trainable: bool, name: str) -> Any: ...
    def read_variable(self, native: Any) -> Any: ...
    def assign_variable(self, native: Any, value: Any) -> Any:
        """Write in place where the engine can; return what the variable holds from now on."""

    def own_variable(self, native: Any, array: Any, trainable: bool, name: str) -> Any:
        """Like `make_variable` (native is None) or `assign_variable`, but `array` is NumPy's and may be kept."""

    def device_scope(self, name: str) -> Any: ...
    def layer_base(self) -> type:
        """The class that makes layers at home on the engine: torch.nn.Module, a TensorFlow trackable, or object."""


_engine: Any = None


def engine() -> Any:
    """The active engine's module, imported at the first call."""
    global _engine
    if _engine is None:
        name = settings.backend
        try:
            _engine = importlib.import_module(f"kops.backends.{name}")
        except ModuleNotFoundError as error:
            if error.name and error.name.split(".")[0] == name:
                raise ModuleNotFoundError(
                    f"The backend is {name!r} but the package {name!r} is not installed. "
                    f"Install it with: pip install 'kops[{name}]', or choose another with KERAS_BACKEND.",
                    name=name,
                ) from error
            raise
        settings.engine_loaded = True
    return _engine


def compiling() -> bool:
    """Whether torch.compile is tracing: it warns of caches, needs none, and does not see into NumPy."""
    e = engine()
    return e.compiling is not None and e.compiling()
