"""StringLookup."""

from __future__ import annotations

from typing import Any

from klayers.layers.lookup import LookupLayer
from kspec import public


@public("keras.layers.StringLookup")
class StringLookup(LookupLayer):
    """Texts as their indices in a vocabulary, or the other way.

    Works on the host, so it cannot be part of a compiled function.

    Args:
        max_tokens: size of the vocabulary at most, special tokens included.
        num_oov_indices: how many indices share the unknown tokens (by a hash function); with 0 they are an error.
        mask_token: a token that becomes 0 ("int" only).
        oov_token: what unknown indices become when inverted.
        vocabulary: list or array of tokens, or the path of a text file with one in a line; or None and `adapt(data)`.
        idf_weights: for "tf_idf", one number for each token.
        invert: indices become tokens.
        output_mode: "int", or see `CategoryEncoding`; "tf_idf" is "count" times each token's `idf_weights`.
        pad_to_max_tokens: vectors have `max_tokens` elements whatever the size of the vocabulary.
        sparse: not supported.
        encoding: "utf-8".
        salt: of the hash function, see `Hashing`.

    Example:
        >>> StringLookup(vocabulary=["a", "b"])([["b", "z"]])
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
        "oov_method",
        "salt",
        "encoding",
    )
    vocabulary_dtype = "string"

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: str = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        encoding: str = "utf-8",
        name: str | None = None,
        salt: Any = None,
        **kwargs: Any,
    ) -> None:
        if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
            raise ValueError(f"Texts are Unicode here; encoding must be 'utf-8', not {encoding!r}.")
        self.encoding = encoding
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
            salt=salt,
            name=name,
            **kwargs,
        )

    def _token(self, value: Any) -> str:
        return value.decode("utf-8") if isinstance(value, bytes) else str(value)
