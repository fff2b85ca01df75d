"""Hashing."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.category_codes import check_mode, encode, encoded_shape, refuse_sparse
from klayers.hashing import bin_of
from klayers.host_arrays import on_host
from klayers.layer import Layer
from klayers.layers.settings import config_of, positive_int
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Hashing")
class Hashing(Layer):
    """Texts or integers as bins by a hash function, always the same.

    Works on the host, so it cannot be part of a compiled function.

    Args:
        num_bins: how many bins there are, that of `mask_value` included.
        mask_value: the input that is bin 0, which then no other input can be.
        salt: a number, or a pair of numbers, as the key of another hash function; None for FarmHash's Fingerprint64.
        output_mode: "int", "one_hot", "multi_hot" or "count", see `CategoryEncoding`.
        sparse: not supported.

    Returns:
        Integers of the inputs' shape; or floats, see `CategoryEncoding`.

    Source: https://github.com/google/farmhash; with a salt SipHash-2-4.
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        self.output_mode = check_mode(output_mode, ("int", "one_hot", "multi_hot", "count"))
        if self.output_mode == "int" and kwargs.get("dtype") is None:
            kwargs["dtype"] = "int64"
        super().__init__(**kwargs)
        self.num_bins = positive_int(num_bins, "num_bins")
        self.mask_value = mask_value
        self.salt = check_salt(salt)
        self.strong_hash = self.salt is not None
        self.sparse = refuse_sparse(sparse)

    def call(self, inputs: Any) -> Any:
        array = on_host(inputs, self)
        if array.dtype.kind not in "iubU" and array.size:
            raise TypeError(f"Hashing takes texts and integers, not {array.dtype}.")
        salt = None if self.salt is None else (self.salt[0], self.salt[1])
        masked = self.mask_value is not None
        bins = self.num_bins - masked if self.num_bins > 1 else self.num_bins
        flat = [
            0 if masked and v == self.mask_value else bin_of(str(v), bins, salt) + masked
            for v in array.ravel().tolist()
        ]
        ids = np.array(flat, "int64").reshape(array.shape)
        dtype = self.compute_dtype
        if self.output_mode == "int":
            return kops.convert_to_tensor(ids, dtype=dtype)
        return encode(kops.convert_to_tensor(ids), self.output_mode, self.num_bins, dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return encoded_shape(input_shape, self.output_mode, self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "num_bins", "salt", "mask_value", "output_mode", "sparse")}


def check_salt(salt: Any) -> list[int] | None:
    """A salt as two numbers."""
    if salt is None:
        return None
    if isinstance(salt, int) and not isinstance(salt, bool):
        return [salt, salt]
    if isinstance(salt, (tuple, list)) and len(salt) == 2:
        return [int(s) for s in salt]
    raise ValueError(f"salt must be a number, or two numbers, not {salt!r}.")
