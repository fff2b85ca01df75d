"""Weights of single layers as Keras 1 and 2 stored them, in today's form.

Keras 1 kept the gates of recurrent layers apart and, with "th" ordering, the filters of a convolution first. Theano
turned kernels around before it multiplied. The layers for cuDNN of Keras 2 had two biases and transposed matrices.
"""

from __future__ import annotations

from typing import Any, Callable

from ksave import hdf5

# Where the kernel of each gate stands in files of Keras 1, in today's order of gates: three arrays a gate.
_GATES = {"LSTM": (0, 6, 3, 9), "ConvLSTM2D": (0, 6, 3, 9), "GRU": (0, 3, 6)}
_KERNELS = ("Conv", "SeparableConv", "DepthwiseConv")


def in_todays_form(layer: Any, values: list[Any], names: list[str], backend: str | None) -> list[Any]:
    """The values of a layer's weights as the layer has them now.

    Args:
        layer: the layer that will take them.
        values: arrays or HDF5 data sets, in the order of the file.
        names: theirs. Those of Keras 1 end as in `dense_1_W`, later ones as in `dense_1/kernel:0`.
        backend: the engine that wrote the file, if it says so.

    Returns:
        The same values where nothing has to change.
    """
    kind = type(layer).__name__
    half = len(values) // 2
    if kind == "Bidirectional":
        return in_todays_form(layer.forward_layer, values[:half], names[:half], backend) + in_todays_form(
            layer.backward_layer, values[half:], names[half:], backend
        )
    if kind == "TimeDistributed":
        return in_todays_form(layer.layer, values, names, backend)
    gates = _GATES.get(kind, ())
    if gates and len(values) == 3 * len(gates):
        import numpy as np

        arrays = [_array(value) for value in values]
        return [np.concatenate([arrays[gate + part] for gate in gates], axis=-1) for part in range(3)]
    if kind in ("LSTM", "GRU") and len(values) == 3 and len(values[2].shape) == 1:
        units = values[1].shape[0]
        if values[2].shape[0] == 2 * units * len(gates):
            return _from_cudnn([_array(value) for value in values], len(gates))
    if kind.startswith(_KERNELS) and values:
        return _convolution(layer, values, names[0].endswith("_W"), backend)
    return values


def _array(value: Any) -> Any:
    return hdf5.read_array(value) if hasattr(value, "id") else value


def _convolution(layer: Any, values: list[Any], keras_1: bool, backend: str | None) -> list[Any]:
    first_channels = layer.data_format == "channels_first"
    theano = backend == "theano" or (keras_1 and backend is None and first_channels)
    if not keras_1 and not theano:
        return values
    rank = len(values[0].shape) - 2
    kernels = [_array(value) if len(value.shape) == rank + 2 else value for value in values]
    change: list[Callable[[Any], Any]] = []
    if keras_1 and type(layer).__name__ == "Conv1D":
        change.append(lambda kernel: kernel[:, 0])
    elif keras_1 and first_channels:
        change.append(lambda kernel: kernel.transpose(*range(2, rank + 2), 1, 0))
    if theano:
        change.append(lambda kernel: kernel[(slice(None, None, -1),) * (kernel.ndim - 2)])
    for step in change:
        kernels = [step(kernel) if len(kernel.shape) == rank + 2 else kernel for kernel in kernels]
    return kernels


def _from_cudnn(values: list[Any], gates: int) -> list[Any]:
    import numpy as np

    kernel, recurrent, bias = values
    kernel = np.hstack([part.T.reshape(part.shape, order="F") for part in np.hsplit(kernel, gates)])
    recurrent = np.hstack([part.T for part in np.hsplit(recurrent, gates)])
    halves = bias.reshape(2, -1)
    # A GRU keeps both, since the second one is multiplied by the reset gate.
    return [kernel, recurrent, halves.sum(0) if gates == 4 else halves]
