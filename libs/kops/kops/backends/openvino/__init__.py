"""OpenVINO as an engine: eager ops are NumPy's, `jit` builds and compiles an OpenVINO graph.

One op at a time, an OpenVINO model costs more to compile and call than NumPy needs for the whole computation. So a
native tensor is a NumPy array and its kernels are those of the NumPy engine. While `jit` traces a function, tensors
are `GraphTensor`s and ops go to the graph kernels of this folder; composites work in both worlds unchanged.
`kops.engine.Engine` lists what `core` defines; what OpenVINO's does not is NumPy's.
"""

from __future__ import annotations

from typing import Any, Callable

from kops.backends.numpy.core import *  # noqa: F403
from kops.backends.numpy.table import SCALARS, TABLE
from kops.backends.openvino.core import *  # type: ignore[assignment]  # noqa: F403
from kops.backends.openvino.core import GraphTensor
from kops.backends.openvino.gaps import GAPS, GRAPH_GAPS
from kops.backends.openvino.graph_kernels import graph_kernel


def _holds_graph_tensor(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(_holds_graph_tensor(v) for v in x)
    return isinstance(x, GraphTensor)


def lookup(name: str, arguments: Any) -> Callable[..., Any] | None:
    """NumPy's kernel, or the graph kernel when a GraphTensor is among the arguments."""
    if not any(_holds_graph_tensor(x) for x in arguments):
        return TABLE.get(name)
    return graph_kernel(name)
