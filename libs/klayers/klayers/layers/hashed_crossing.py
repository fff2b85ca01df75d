"""HashedCrossing."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.category_codes import check_mode, encode, encoded_shape, refuse_sparse
from klayers.hashing import combine, fingerprint64
from klayers.host_arrays import on_host
from klayers.layer import Layer
from klayers.layers.settings import config_of, positive_int
from kops.keras_tensor import KerasTensor
from kspec import public

# Files depend on it.
_KEY = 0xDECAFCAFFE


@public("keras.layers.HashedCrossing")
class HashedCrossing(Layer):
    """Combinations of several features as bins, by a hash function.

    Works on the host, so it cannot be part of a compiled function.

    Args:
        num_bins: how many bins there are.
        output_mode: "int" or "one_hot", see `CategoryEncoding`.
        sparse: not supported.
        name, dtype: as of any layer.

    Call:
        a list or tuple of features, texts or integers, of shape `(batch,)` or `(batch, 1)`.

    Returns:
        Integers of the features' shape, or floats `(batch, num_bins)`.
    """

    def __init__(
        self,
        num_bins: int,
        output_mode: str = "int",
        sparse: bool = False,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        self.output_mode = check_mode(output_mode, ("int", "one_hot"))
        if self.output_mode == "int" and dtype is None:
            dtype = "int64"
        super().__init__(name=name, dtype=dtype)
        if kwargs:
            raise TypeError(f"HashedCrossing got unknown arguments: {', '.join(sorted(kwargs))}.")
        self.num_bins = positive_int(num_bins, "num_bins")
        self.sparse = refuse_sparse(sparse)

    def _check(self, shapes: list[Any]) -> None:
        if len(shapes) < 2:
            raise ValueError(f"HashedCrossing crosses at least two features, not {len(shapes)}.")
        for shape in shapes:
            if shape != shapes[0] or len(shape) > 2 or (len(shape) == 2 and shape[1] != 1):
                raise ValueError(
                    f"The features must all have the shape (batch,) or (batch, 1); got {', '.join(map(str, shapes))}."
                )

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(f"HashedCrossing takes a list of features, not {type(inputs).__name__}.")
        features = [on_host(x, self) for x in inputs]
        self._check([tuple(f.shape) for f in features])
        for f in features:
            if f.dtype.kind not in "iuU" and f.size:
                raise TypeError(f"HashedCrossing takes texts and integers, not {f.dtype}.")
        ids = []
        for row in zip(*(f.ravel().tolist() for f in features)):
            code = _KEY
            for value in row:
                part = fingerprint64(value.encode("utf-8")) if isinstance(value, str) else value & (2**64 - 1)
                code = combine(code, part)
            ids.append(code % self.num_bins)
        crossed = np.array(ids, "int64").reshape(features[0].shape)
        if self.output_mode == "int":
            return kops.convert_to_tensor(crossed, dtype=self.compute_dtype)
        return encode(kops.convert_to_tensor(crossed), "one_hot", self.num_bins, self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = [tuple(s) for s in input_shape]
        self._check(shapes)
        return encoded_shape(shapes[0], self.output_mode, self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        return KerasTensor(self.compute_output_shape([x.shape for x in inputs]), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {**config_of(self, "num_bins", "output_mode", "sparse", "name"), "dtype": self.dtype_policy.name}
