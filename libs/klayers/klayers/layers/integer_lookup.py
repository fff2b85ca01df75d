"""IntegerLookup."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.layers.lookup import LookupLayer
from kspec import public


@public("keras.layers.IntegerLookup")
class IntegerLookup(LookupLayer):
    """Integers as their indices in a vocabulary, or the other way.

    Args:
        max_tokens: size of the vocabulary at most, special tokens included.
        num_oov_indices: how many indices share the unknown integers; with 0 they are an error.
        mask_token: an integer that becomes 0 ("int" only).
        oov_token: what unknown indices become when inverted.
        vocabulary: list or array of integers, or the path of a text file with one in a line; or None and `adapt(data)`.
        vocabulary_dtype: "int64" or "int32".
        idf_weights: for "tf_idf", one number for each token.
        invert: indices become integers of the vocabulary.
        output_mode: "int", or see `CategoryEncoding`; "tf_idf" is "count" times each token's `idf_weights`.
        sparse: not supported.
        pad_to_max_tokens: vectors have `max_tokens` elements whatever the size of the vocabulary.
        oov_method: how unknown integers share `num_oov_indices`: "floormod" (their remainder) or "farmhash".
        salt: see `Hashing`.

    Example:
        >>> IntegerLookup(vocabulary=[12, 36])([[36, 7]])
        [[2, 0]]
    """

    _config_names = (
        "invert",
        "max_tokens",
        "num_oov_indices",
        "oov_token",
        "mask_token",
        "output_mode",
        "sparse",
        "pad_to_max_tokens",
        "vocabulary_dtype",
        "oov_method",
        "salt",
    )

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: int = -1,
        vocabulary: Any = None,
        vocabulary_dtype: str = "int64",
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        salt: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if vocabulary_dtype not in ("int64", "int32"):
            raise ValueError(f"vocabulary_dtype must be 'int64' or 'int32', not {vocabulary_dtype!r}.")
        self.vocabulary_dtype = vocabulary_dtype
        super().__init__(
            max_tokens=max_tokens,
            num_oov_indices=num_oov_indices,
            mask_token=mask_token,
            oov_token=oov_token,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            invert=invert,
            output_mode=output_mode,
            pad_to_max_tokens=pad_to_max_tokens,
            sparse=sparse,
            oov_method=oov_method,
            salt=salt,
            name=name,
            **kwargs,
        )

    def _token(self, value: Any) -> int:
        return int(value)

    @property
    def _names_dtype(self) -> str:
        return self.vocabulary_dtype

    def _names(self, ids: np.ndarray) -> Any:
        return kops.convert_to_tensor(super()._names(ids).astype(self.vocabulary_dtype))

    def call(self, inputs: Any) -> Any:
        """In ops, so that it can be compiled; where values decide about errors or hashes, on the host."""
        hashed = self.num_oov_indices > 1 and (self.oov_method == "farmhash" or self.salt is not None)
        if self.invert or not self._tokens or self.num_oov_indices == 0 or hashed:
            return super().call(inputs)
        table = dict(self.lookup_table)
        if self.mask_token is not None:
            table.setdefault(self.mask_token, 0 if self.output_mode == "int" else -1)
        keys = np.array(sorted(table), self.vocabulary_dtype)
        places = np.array([table[k] for k in keys.tolist()], "int32")
        if isinstance(inputs, (list, tuple)):
            inputs = np.asarray(inputs)
        x = kops.cast(inputs, self.vocabulary_dtype)
        keys = kops.cast(keys, x.dtype)
        at = kops.minimum(kops.searchsorted(keys, x), len(places) - 1)
        which = kops.cast(kops.mod(x, self.num_oov_indices), "int32") if self.num_oov_indices > 1 else 0
        unknown = kops.cast(self._oov_start + which, "int32")
        ids = kops.where(kops.take(keys, at) == x, kops.take(places, at), unknown)
        return self._encoded(kops.cast(ids, "int64"))
