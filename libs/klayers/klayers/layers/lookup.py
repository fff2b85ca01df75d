"""The base of StringLookup and IntegerLookup: a vocabulary, and the places of tokens in it."""

from __future__ import annotations

import collections
import os
from typing import Any

import numpy as np

import kops
import ksave
from klayers.category_codes import MODES, check_mode, encode, encoded_shape, refuse_sparse
from klayers.hashing import bin_of
from klayers.host_arrays import batches, on_host
from klayers.layer import Layer
from klayers.layers.hashing import check_salt
from klayers.layers.settings import config_of
from kops.keras_tensor import KerasTensor


class LookupLayer(Layer):
    """Tokens as indices into a vocabulary: first the mask token (for "int" only), then `num_oov_indices` places for
    tokens that are not in it, then its tokens.

    Subclasses say in `_token` what a token is.
    """

    _config_names: tuple[str, ...] = ()

    def __init__(
        self,
        max_tokens: Any,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary: Any,
        idf_weights: Any,
        invert: bool,
        output_mode: str,
        pad_to_max_tokens: bool,
        sparse: bool,
        salt: Any,
        oov_method: str = "floormod",
        **kwargs: Any,
    ) -> None:
        kwargs.pop("vocabulary_size", None)
        super().__init__(**kwargs)
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(f"max_tokens must be larger than 1, not {max_tokens}.")
        if pad_to_max_tokens and max_tokens is None:
            raise ValueError("pad_to_max_tokens=True needs max_tokens.")
        if num_oov_indices < 0:
            raise ValueError(f"num_oov_indices must not be negative, got {num_oov_indices}.")
        ksave.claim_variable((num_oov_indices,), 8)
        self.output_mode = check_mode(output_mode, MODES)
        if invert and self.output_mode != "int":
            raise ValueError(f"invert=True goes with output_mode='int', not {output_mode!r}.")
        if invert and num_oov_indices != 1:
            raise ValueError(f"invert=True goes with num_oov_indices=1, not {num_oov_indices}.")
        if idf_weights is not None and self.output_mode != "tf_idf":
            raise ValueError(f"idf_weights go with output_mode='tf_idf', not {output_mode!r}.")
        if oov_method not in ("floormod", "farmhash"):
            raise ValueError(f"oov_method must be 'floormod' or 'farmhash', not {oov_method!r}.")
        self.max_tokens = max_tokens
        self.num_oov_indices = num_oov_indices
        self.mask_token = mask_token
        self.oov_token = oov_token
        self.invert = invert
        self.pad_to_max_tokens = pad_to_max_tokens
        self.sparse = refuse_sparse(sparse)
        self.salt = check_salt(salt)
        self.oov_method = oov_method
        self.input_vocabulary = _plain(vocabulary)
        self.input_idf_weights = _plain(idf_weights)
        self.idf_weights: np.ndarray | None = None
        self._tokens: list[Any] = []
        self.lookup_table: dict[Any, int] = {}
        self._index()
        self.reset_state()
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def _token(self, value: Any) -> Any:
        raise NotImplementedError

    # The vocabulary

    @property
    def _specials(self) -> list[Any]:
        mask = [self.mask_token] if self.mask_token is not None and self.output_mode == "int" else []
        return mask + [self.oov_token] * self.num_oov_indices

    def _index(self) -> None:
        self._start = len(self._specials)
        self._oov_start = self._start - self.num_oov_indices
        self.lookup_table = {t: i + self._start for i, t in enumerate(self._tokens)}

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The tokens in order of their indices.

        Args:
            include_special_tokens: whether the mask token and the tokens for unknown ones are part of it.
        """
        return (self._specials if include_special_tokens else []) + list(self._tokens)

    def vocabulary_size(self) -> int:
        """How many tokens there are, special ones included."""
        return self._start + len(self._tokens)

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Set the vocabulary.

        Args:
            vocabulary: list or array of tokens, the most important first, with or without the special tokens in front;
                or the path of a text file with one token in a line.
            idf_weights: for "tf_idf": one number for each token.
        """
        if isinstance(vocabulary, str):
            with open(vocabulary, encoding="utf-8", newline="") as file:
                vocabulary = file.read().split("\n")
            if vocabulary and vocabulary[-1] == "":
                vocabulary.pop()
            vocabulary = [t[:-1] if t.endswith("\r") else t for t in vocabulary]
        tokens = [self._token(t) for t in _plain(vocabulary)]
        if not tokens:
            raise ValueError("A vocabulary must have at least one token.")
        specials = self._specials
        fronted = bool(specials) and tokens[: len(specials)] == specials
        if fronted:
            tokens = tokens[len(specials) :]
        repeated = [t for t, n in collections.Counter(tokens).items() if n > 1]
        if repeated:
            raise ValueError(f"The vocabulary has tokens twice: {repeated[:10]}.")
        for kind, special in (("mask", self.mask_token), ("oov", self.oov_token)):
            if special is not None and special in tokens and special in specials:
                raise ValueError(f"The {kind} token {special!r} belongs in front of the vocabulary or not in it.")
        if self.max_tokens is not None and len(tokens) + len(specials) > self.max_tokens:
            raise ValueError(
                f"The vocabulary has {len(tokens)} tokens and {len(specials)} special ones, but max_tokens is "
                f"{self.max_tokens}."
            )
        if self.output_mode == "tf_idf":
            if idf_weights is None:
                raise ValueError("output_mode='tf_idf' needs idf_weights together with the vocabulary.")
            weights = np.asarray(_plain(idf_weights), "float32")
            if fronted and len(weights) == len(tokens) + len(specials):
                weights = weights[len(specials) :]
            if len(weights) != len(tokens):
                raise ValueError(f"There are {len(tokens)} tokens but {len(weights)} idf_weights.")
            self._set_idf(weights)
        elif idf_weights is not None:
            raise ValueError(f"idf_weights go with output_mode='tf_idf', not {self.output_mode!r}.")
        self._tokens = tokens
        self._index()
        self._seen.clear()

    def _set_idf(self, weights: np.ndarray) -> None:
        # Unknown tokens weigh as much as known ones do on average.
        unknown = np.full(self._start, weights.mean() if len(weights) else 1.0, "float32")
        self.idf_weights = np.concatenate([unknown, weights]).astype("float32")

    # Learning it

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Learn the vocabulary: the most frequent tokens first.

        Args:
            data: array or list of tokens, `(documents, tokens)` or one document `(tokens,)`, or an iterable of batches.
            steps: how many batches at most.
        """
        self.reset_state()
        for batch in batches(data, self, steps):
            self.update_state(batch)
        self.finalize_state()

    def reset_state(self) -> None:
        """Forget the data seen so far."""
        self._counts: collections.Counter[Any] = collections.Counter()
        self._documents: collections.Counter[Any] = collections.Counter()
        self._document_count = 0

    def update_state(self, data: Any) -> None:
        """Take in a batch of documents."""
        array = on_host(data, self)
        rows = array.reshape(1, -1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])
        self._take_in(rows.tolist())

    def _take_in(self, rows: list[list[Any]]) -> None:
        for row in rows:
            tokens = [self._token(t) for t in row]
            self._counts.update(tokens)
            self._documents.update(set(tokens))
        self._document_count += len(rows)

    def finalize_state(self) -> None:
        """Make the vocabulary of the data seen."""
        if not self._document_count:
            return
        for special in (self.mask_token, self.oov_token):
            self._counts.pop(special, None)
        # Among equally frequent ones the last in the alphabet is first, as files have it.
        tokens = sorted(self._counts, reverse=True)
        tokens.sort(key=lambda t: -self._counts[t])
        if self.max_tokens is not None:
            tokens = tokens[: self.max_tokens - self._start]
        self._tokens = tokens
        self._index()
        if self.output_mode == "tf_idf":
            found = np.array([self._documents[t] for t in tokens], "float64")
            self._set_idf(np.log(1 + self._document_count / (1 + found)).astype("float32"))
        self._seen.clear()
        self.reset_state()

    # Calls

    def call(self, inputs: Any) -> Any:
        if not self._tokens:
            raise ValueError(
                f"{type(self).__name__} has no vocabulary: give it one, call adapt(data), or set_vocabulary()."
            )
        if self.invert:
            return self._names(on_host(inputs, self))
        array = on_host(inputs, self)
        ids = np.array([self._id(self._token(t)) for t in array.ravel().tolist()], "int64")
        return self._encoded(kops.convert_to_tensor(ids.reshape(array.shape)))

    def _names(self, ids: np.ndarray) -> Any:
        names = self.get_vocabulary()
        flat = [names[i] if 0 <= i < len(names) else self.oov_token for i in ids.ravel().tolist()]
        return np.array(flat, None if flat else str).reshape(ids.shape)

    def _id(self, token: Any) -> int:
        found = self.lookup_table.get(token)
        if found is not None:
            return found
        if self.mask_token is not None and token == self.mask_token:
            return 0 if self.output_mode == "int" else -1
        if self.num_oov_indices == 0:
            raise ValueError(f"{token!r} is not in the vocabulary, and num_oov_indices=0 leaves no place for it.")
        if self.num_oov_indices == 1:
            return self._oov_start
        if not isinstance(token, str) and self.oov_method == "floormod" and self.salt is None:
            return self._oov_start + token % self.num_oov_indices
        salt = None if self.salt is None else (self.salt[0], self.salt[1])
        return self._oov_start + bin_of(str(token), self.num_oov_indices, salt)

    def _depth(self) -> int:
        return self.max_tokens if self.pad_to_max_tokens else self.vocabulary_size()

    def _encoded(self, ids: Any) -> Any:
        if self.output_mode == "int":
            return ids
        weights = None
        if self.output_mode == "tf_idf":
            if self.idf_weights is None:
                raise ValueError("output_mode='tf_idf' needs weights: call adapt() or set_vocabulary() first.")
            weights = np.zeros(self._depth(), "float32")
            weights[: len(self.idf_weights)] = self.idf_weights
        return encode(ids, self.output_mode, self._depth(), self._output_dtype, weights)

    @property
    def _output_dtype(self) -> str:
        return "float32" if self.output_mode == "tf_idf" else "int64"

    def compute_output_shape(self, input_shape: Any) -> Any:
        return encoded_shape(input_shape, self.output_mode, self._depth())

    def compute_output_spec(self, inputs: Any) -> Any:
        dtype = self._output_dtype
        if self.invert:
            dtype = self._names_dtype
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=dtype)

    _names_dtype = "string"

    # Files

    def get_build_config(self) -> dict[str, Any]:
        return {}

    def build_from_config(self, config: dict[str, Any]) -> None:
        return

    def save_own_variables(self, store: Any) -> None:
        if self.output_mode == "tf_idf" and self.idf_weights is not None:
            store["idf_weights"] = self.idf_weights

    def load_own_variables(self, store: Any) -> None:
        if self.output_mode == "tf_idf" and "idf_weights" in list(store.keys()):
            self.idf_weights = np.asarray(store["idf_weights"], "float32")

    def save_assets(self, dir_path: str) -> None:
        """Write the vocabulary, unless it is in the config."""
        if self.input_vocabulary is not None or not self._tokens:
            return
        with open(os.path.join(dir_path, "vocabulary.txt"), "w", encoding="utf-8", newline="") as file:
            file.write("\n".join(str(t) for t in self.get_vocabulary()))

    def load_assets(self, dir_path: str) -> None:
        """Read what `save_assets` wrote."""
        path = os.path.join(dir_path, "vocabulary.txt")
        if self.input_vocabulary is not None or not os.path.exists(path):
            return
        with open(path, encoding="utf-8", newline="") as file:
            tokens = [self._token(t) for t in file.read().split("\n")]
        self._tokens = tokens[self._start :]
        self._index()

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(self, *self._config_names),
            "idf_weights": self.input_idf_weights,
            "vocabulary": self.input_vocabulary,
            "vocabulary_size": self.vocabulary_size(),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        refuse_path(config.get("vocabulary"), cls.__name__)
        return super().from_config(config)


def refuse_path(vocabulary: Any, name: str) -> None:
    """A file must not name other files to be read, unless whoever loads it trusts it."""
    if isinstance(vocabulary, str) and ksave.in_safe_mode():
        raise ValueError(
            f"The config of this {name} names a vocabulary file outside of it, {vocabulary!r}, which is not read in "
            "safe mode. If you trust where the config comes from, load it with safe_mode=False."
        )


def _plain(values: Any) -> Any:
    """Arrays and tensors as lists of Python values; None and paths stay."""
    if values is None or isinstance(values, str):
        return values
    if isinstance(values, (list, tuple)):
        return [v.item() if isinstance(v, np.generic) else v for v in values]
    return np.asarray(kops.convert_to_numpy(values)).tolist()
