"""TextVectorization."""

from __future__ import annotations

import re
import string
from typing import Any, Callable

import numpy as np

import kops
import ksave
from klayers.category_codes import MODES, check_mode, refuse_sparse
from klayers.host_arrays import batches, on_host
from klayers.layer import Layer
from klayers.layers.lookup import refuse_path
from klayers.layers.settings import config_of, positive_int
from klayers.layers.string_lookup import StringLookup
from kops.keras_tensor import KerasTensor
from kspec import public

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
# Of the alphabet's letters only, and at ASCII's spaces: so the vocabularies in files were made.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_SPACES = re.compile(r"[ \t\n\r\f\v]+")

_STANDARDIZE: dict[str, Callable[[str], str]] = {
    "lower_and_strip_punctuation": lambda t: _PUNCTUATION.sub("", t.translate(_LOWER)),
    "lower": lambda t: t.translate(_LOWER),
    "strip_punctuation": lambda t: _PUNCTUATION.sub("", t),
}
_SPLIT: dict[str, Callable[[str], list[str]]] = {
    "whitespace": lambda t: [w for w in _SPACES.split(t) if w],
    "character": list,
}


@public("keras.layers.TextVectorization")
class TextVectorization(Layer):
    """Texts as the indices of their words in a vocabulary.

    Works on the host, so it cannot be part of a compiled function.

    Args:
        max_tokens: size of the vocabulary at most, special tokens included.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", None, or a function of an array of
            texts that returns another.
        split: "whitespace", "character", None, or a function of an array of texts `(n,)` that returns a list of words
            for each.
        ngrams: words are joined in groups of up to so many; or a tuple of the sizes of groups.
        output_mode: "int": indices, 0 being padding and 1 unknown words; "multi_hot", "count" or "tf_idf": a vector
            for each text, in which 0 is unknown words, see `StringLookup`.
        output_sequence_length: "int" only: texts are cut or padded to so many indices; default the longest of a call.
        pad_to_max_tokens: vectors have `max_tokens` elements whatever the size of the vocabulary.
        vocabulary: list of words, or the path of a text file with one in a line; or None and `adapt(data)`.
        idf_weights: for "tf_idf", one number for each word.
        sparse, ragged: not supported.
        encoding: "utf-8".

    Call:
        texts `(batch,)` or `(batch, 1)`, or one text.

    Returns:
        Integers `(batch, words)`, or `(batch, vocabulary size)`.

    Example:
        >>> layer = TextVectorization(vocabulary=["hello", "world"])
        >>> layer(["Hello, you!"])
        [[2, 1]]
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("vocabulary_size", None)
        super().__init__(name=name, **kwargs)
        if ragged:
            raise ValueError("ragged=True is not supported: outputs are padded, dense tensors on every engine.")
        self._sparse = refuse_sparse(sparse)
        self._output_mode = check_mode(output_mode, tuple(m for m in MODES if m != "one_hot"))
        for what, value, known in (("standardize", standardize, _STANDARDIZE), ("split", split, _SPLIT)):
            if value is not None and value not in known and not callable(value):
                raise ValueError(f"{what} must be one of {', '.join(known)}, None or a function, not {value!r}.")
        if output_sequence_length is not None:
            positive_int(output_sequence_length, "output_sequence_length")
            if self._output_mode != "int":
                raise ValueError(f"output_sequence_length goes with output_mode='int', not {output_mode!r}.")
        self._standardize = standardize
        self._split = split
        self._ngrams_arg = ngrams
        self._ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams and tuple(ngrams)
        if self._ngrams and any(not isinstance(n, int) or n < 1 for n in self._ngrams):
            raise ValueError(f"ngrams must be a positive integer or a tuple of them, not {ngrams!r}.")
        self._output_sequence_length = output_sequence_length
        self._encoding = encoding
        self._max_tokens = max_tokens
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            pad_to_max_tokens=pad_to_max_tokens,
            mask_token="",
            output_mode=self._output_mode,
            encoding=encoding,
        )

    def build(self, input_shape: Any = None) -> None:
        return

    # The vocabulary

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the vocabulary: the most frequent words first.

        Args:
            data: array or list of texts, or an iterable of batches.
            batch_size: kept for compatibility.
            steps: how many batches at most.
        """
        self.reset_state()
        for batch in batches(data, self, steps):
            self.update_state(batch)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """Take in a batch of texts."""
        self._lookup_layer._take_in(self._words(on_host(data, self)))

    def reset_state(self) -> None:
        """Forget the data seen so far."""
        self._lookup_layer.reset_state()

    def finalize_state(self) -> None:
        """Make the vocabulary of the data seen."""
        self._lookup_layer.finalize_state()

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """The words in order of their indices."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """How many words there are, special ones included."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Set the vocabulary; see `StringLookup.set_vocabulary`."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights)

    # Calls

    def _words(self, texts: np.ndarray) -> list[list[str]]:
        """The words of each text."""
        if texts.ndim == 0:
            texts = texts.reshape(1)
        if texts.ndim > 1 and self._split is not None:
            if texts.ndim > 2 or texts.shape[1] != 1:
                raise ValueError(f"With split={self._split!r} texts must be (batch,) or (batch, 1), not {texts.shape}.")
            texts = texts[:, 0]
        if self._standardize in _STANDARDIZE:
            change = _STANDARDIZE[self._standardize]
            flat = [change(str(t)) for t in texts.ravel().tolist()]
            texts = np.array(flat, dtype=object).reshape(texts.shape)
        elif self._standardize is not None:
            texts = on_host(self._standardize(texts), self)
        if self._split is None:
            words = [list(row) if isinstance(row, list) else [row] for row in texts.tolist()]
        elif self._split in _SPLIT:
            words = [_SPLIT[self._split](t) for t in texts.tolist()]
        else:
            words = [list(map(str, row)) for row in self._split(texts)]
        if self._ngrams:
            words = [[" ".join(row[i : i + n]) for n in self._ngrams for i in range(len(row) - n + 1)] for row in words]
        return words

    def call(self, inputs: Any) -> Any:
        texts = on_host(inputs, self)
        lookup = self._lookup_layer
        if not lookup._tokens:
            raise ValueError("TextVectorization has no vocabulary: give it one, or call adapt(data).")
        ids = [[lookup._id(w) for w in row] for row in self._words(texts)]
        length = self._output_sequence_length if self._output_mode == "int" else None
        if length is None:
            length = max((len(row) for row in ids), default=0)
        # 0 is padding; in the other modes a negative id counts nowhere.
        fill = 0 if self._output_mode == "int" else -1
        padded = np.full((len(ids), length), fill, "int64")
        for i, row in enumerate(ids):
            padded[i, : len(row)] = row[:length]
        outputs = lookup._encoded(kops.convert_to_tensor(padded))
        return outputs[0] if texts.ndim == 0 else outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch = tuple(input_shape)[:1]
        if self._output_mode != "int":
            return (*batch, self._lookup_layer._depth())
        if self._split is None and len(input_shape) > 1 and self._output_sequence_length is None:
            return (*batch, input_shape[1])
        return (*batch, self._output_sequence_length)

    def compute_output_spec(self, inputs: Any) -> Any:
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=self._lookup_layer._output_dtype)

    # Files

    def get_build_config(self) -> None:
        return None

    def save_own_variables(self, store: Any) -> None:
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        self._lookup_layer.load_own_variables(store)

    def save_assets(self, dir_path: str) -> None:
        """Write the vocabulary, unless it is in the config."""
        self._lookup_layer.save_assets(dir_path)

    def load_assets(self, dir_path: str) -> None:
        """Read what `save_assets` wrote."""
        self._lookup_layer.load_assets(dir_path)

    def get_config(self) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            return ksave.serialize_keras_object(value) if callable(value) else value

        lookup = self._lookup_layer
        return {
            **super().get_config(),
            "max_tokens": self._max_tokens,
            "standardize": plain(self._standardize),
            "split": plain(self._split),
            "ngrams": self._ngrams_arg,
            "output_mode": self._output_mode,
            "output_sequence_length": self._output_sequence_length,
            **config_of(lookup, "pad_to_max_tokens", "sparse"),
            "ragged": False,
            "vocabulary": lookup.input_vocabulary,
            "idf_weights": lookup.input_idf_weights,
            "encoding": self._encoding,
            "vocabulary_size": self.vocabulary_size(),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        refuse_path(config.get("vocabulary"), cls.__name__)
        for name in ("standardize", "split"):
            if isinstance(config.get(name), dict):
                config[name] = ksave.deserialize_keras_object(config[name])
        if isinstance(config.get("ngrams"), list):
            config["ngrams"] = tuple(config["ngrams"])
        return super().from_config(config)
