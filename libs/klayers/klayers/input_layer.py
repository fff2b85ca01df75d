"""`Input` and `InputLayer`: where symbolic tensors of a functional model come from."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from kops.dtypes import standardize_dtype
from kops.keras_tensor import KerasTensor
from kops.operation import Node
from kops.shapes import standardize_shape
from kspec import public


@public("keras.layers.InputLayer")
class InputLayer(Layer):
    """The source of one symbolic tensor. Use `Input`, which returns the tensor.

    Args:
        shape: dimensions without the batch.
        batch_size: size of the batch; None leaves it open.
        dtype: default `floatx`.
        sparse, ragged: whether the value will be sparse or ragged.
        batch_shape: dimensions with the batch, instead of `shape` and `batch_size`.
        input_tensor: a KerasTensor to use instead of a new one.
        optional: whether None may be given for it.
        name: optional.
    """

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: Any = None,
        ragged: Any = None,
        batch_shape: Any = None,
        input_tensor: Any = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name)
        if "input_shape" in kwargs:
            shape = kwargs.pop("input_shape")
        if "batch_input_shape" in kwargs:
            batch_shape = kwargs.pop("batch_input_shape")
        if kwargs:
            raise TypeError(f"InputLayer got unknown arguments: {', '.join(kwargs)}.")
        if input_tensor is not None:
            if not isinstance(input_tensor, KerasTensor):
                raise ValueError(f"input_tensor is a symbolic tensor, not {type(input_tensor).__name__}.")
            if batch_size is not None or shape is not None or batch_shape is not None:
                if batch_shape is None:
                    batch_shape = (batch_size, *standardize_shape(shape)) if shape is not None else None
                if batch_shape is not None and tuple(batch_shape) != input_tensor.shape:
                    raise ValueError(f"input_tensor has shape {input_tensor.shape}, not {tuple(batch_shape)}.")
            batch_shape = input_tensor.shape
            dtype = dtype or input_tensor.dtype
        elif shape is not None and batch_shape is not None:
            raise ValueError("Give shape (without the batch) or batch_shape (with it), not both.")
        elif batch_size is not None and batch_shape is not None:
            raise ValueError("batch_shape holds the batch size already; leave batch_size out.")
        elif shape is not None:
            batch_shape = (batch_size, *standardize_shape(shape))
        if batch_shape is None:
            raise ValueError("An input needs a shape, for example Input(shape=(28, 28, 1)) or Input(shape=()).")
        self._batch_shape = standardize_shape(batch_shape)
        self._input_dtype = standardize_dtype(dtype)
        self.sparse = bool(sparse)
        self.ragged = bool(ragged)
        self.optional = bool(optional)
        tensor = input_tensor
        if tensor is None:
            tensor = KerasTensor(
                self._batch_shape, self._input_dtype, sparse=self.sparse, ragged=self.ragged, name=self.name
            )
        self._input_tensor = tensor
        Node(self, (), {}, tensor)
        self.build(None)

    @property
    def batch_shape(self) -> Any:
        return self._batch_shape

    @property
    def dtype(self) -> str:
        return self._input_dtype

    def call(self) -> Any:
        """An input layer computes nothing; the model puts the value in its place."""
        return None

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_shape": self._batch_shape,
            "dtype": self._input_dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": self.optional,
        }


@public("keras.Input", "keras.layers.Input")
def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: Any = None,
    ragged: Any = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: Any = None,
    optional: bool = False,
) -> KerasTensor:
    """A symbolic tensor from which a functional model starts; the arguments are those of `InputLayer`.

    Example:
        >>> x = Input(shape=(28, 28, 1))
        >>> x.shape
        (None, 28, 28, 1)
    """
    layer = InputLayer(
        shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        sparse=sparse,
        ragged=ragged,
        batch_shape=batch_shape,
        name=name,
        input_tensor=tensor,
        optional=optional,
    )
    return layer.output
