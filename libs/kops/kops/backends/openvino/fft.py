"""Graph kernels of Fourier transforms and frames. OpenVINO has real and imaginary part in a last axis of length 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.openvino import opset
from kops.backends.openvino.build import cut, i64, length, rank
from kops.backends.openvino.core import GraphTensor, node


def _joined(x: Any) -> Any:
    return opset.concat([opset.unsqueeze(node(p), i64([-1])) for p in x], -1).output(0)


def _parts(x: Any) -> tuple[GraphTensor, GraphTensor]:
    x = x.output(0)
    halves = opset.split(x, i64(rank(x) - 1), 2).outputs()
    real, imaginary = (GraphTensor(opset.squeeze(h, i64([-1]))) for h in halves)
    return real, imaginary


def _transform(build: Any, ndim: int) -> Any:
    def kernel(x: Any) -> Any:
        joined = _joined(x)
        n = rank(joined) - 1
        return _parts(build(joined, i64(range(n - ndim, n))))

    return kernel


def _size(n: int | None) -> Any:
    return None if n is None else i64([n])


def _rfft(x: Any, n: int | None) -> Any:
    graph = node(x)
    last = rank(graph) - 1
    if n is not None:
        # The CPU plugin takes no size beyond the input's: fill up with zeros, then cut.
        zero = opset.convert(opset.constant(np.float32(0)), graph.get_element_type())
        longer = opset.pad(graph, i64([0] * (last + 1)), i64([0] * last + [n]), "constant", zero)
        graph = cut(longer, last, 0, n)
    return _parts(opset.rdft(graph, i64([last])))


def _irfft(x: Any, n: int | None) -> GraphTensor:
    joined = _joined(x)
    return GraphTensor(opset.irdft(joined, i64([rank(joined) - 2]), _size(n)))


def _frames(x: Any, size: int, stride: int) -> GraphTensor:
    graph = node(x)
    n = length(graph, rank(graph) - 1)
    last = opset.subtract(i64(n) if isinstance(n, int) else n, i64(size - 1))
    starts = opset.unsqueeze(opset.range(i64(0), last, i64(stride), ov.Type.i64), i64([1]))
    places = opset.add(starts, i64(np.arange(size)[None]))
    return GraphTensor(opset.gather(graph, places, i64(rank(graph) - 1)))


TABLE = {
    "fft": _transform(opset.dft, 1),
    "fft2": _transform(opset.dft, 2),
    "ifft2": _transform(opset.idft, 2),
    "rfft": _rfft,
    "irfft": _irfft,
    "extract_sequences": _frames,
}
