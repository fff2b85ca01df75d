"""Activation graph kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kops.backends.kernel_tables import kernels, native
from kops.backends.numpy.nn_activations import SELU_ALPHA, SELU_SCALE
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, node


def _float(value: float, like: Any) -> Any:
    return opset.convert(opset.constant(np.float32(value)), node(like).get_element_type())


def _plain(build: Any) -> Any:
    return lambda x: GraphTensor(build(node(x)))


def leaky_relu(x: Any, negative_slope: float) -> Any:
    return GraphTensor(opset.prelu(node(x), _float(negative_slope, x)))


def elu(x: Any, alpha: float) -> Any:
    return GraphTensor(opset.elu(node(x), float(alpha)))


def selu(x: Any) -> Any:
    return GraphTensor(opset.selu(node(x), _float(SELU_ALPHA, x), _float(SELU_SCALE, x)))


def relu(x: Any) -> Any:
    return GraphTensor(opset.relu(node(x))) if opset.is_float(node(x)) else kops.maximum(x, 0)


def relu6(x: Any) -> Any:
    return GraphTensor(opset.clamp(node(x), 0.0, 6.0)) if opset.is_float(node(x)) else kops.clip(x, 0, 6)


def gelu(x: Any, approximate: bool) -> Any:
    return GraphTensor(opset.gelu(node(x), "tanh" if approximate else "erf"))


def _over_axes(build: Any) -> Any:
    """OpenVINO takes one axis; several are brought to the end and joined."""

    def kernel(x: Any, axis: Any) -> Any:
        rank = len(x.shape)
        axes = list(range(rank)) if axis is None else [a % rank for a in ([axis] if isinstance(axis, int) else axis)]
        if len(axes) == 1:
            return GraphTensor(build(node(x), axes[0]))
        order = [a for a in range(rank) if a not in axes] + axes
        moved = opset.transpose(node(x), opset.constant(np.array(order)))
        kept = [0] * (rank - len(axes))
        joined = opset.reshape(moved, opset.constant(np.array([*kept, -1])), special_zero=True)
        result = opset.reshape(build(joined, len(kept)), opset.shape_of(moved), special_zero=False)
        return GraphTensor(opset.transpose(result, opset.constant(np.argsort(order))))

    return kernel


TABLE = {
    **native(opset, "sigmoid softplus", _plain),
    **kernels(relu, relu6, leaky_relu, elu, selu, gelu),
    "silu": lambda x: GraphTensor(opset.swish(node(x), _float(1.0, x))),
    "softmax": _over_axes(opset.softmax),
    "log_softmax": _over_axes(opset.log_softmax),
}
