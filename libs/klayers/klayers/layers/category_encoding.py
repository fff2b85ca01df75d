"""CategoryEncoding."""

from __future__ import annotations

from typing import Any

import kops
from klayers.category_codes import check_mode, encode, encoded_shape, refuse_sparse
from klayers.host_arrays import on_host
from klayers.layers.data_layer import DataLayer
from klayers.layers.settings import config_of, positive_int
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.CategoryEncoding")
class CategoryEncoding(DataLayer):
    """Integers below `num_tokens` as vectors.

    Args:
        num_tokens: how many categories there are.
        output_mode: "multi_hot" (one vector for each sample, 1 where a category occurs), "count" (how often it occurs),
            or "one_hot" (one vector for each integer).
        sparse: not supported.

    Call:
        inputs `(..., n)` integers, `count_weights` of the same shape (only for "count"): what each counts.

    Returns:
        Floats `(..., num_tokens)`, for "one_hot" `(..., n, num_tokens)`, or `(..., num_tokens)` if n is 1.

    Example:
        >>> CategoryEncoding(4, output_mode="count")(np.array([[0, 1, 1]]))
        [[1., 2., 0., 0.]]
    """

    def __init__(
        self, num_tokens: Any = None, output_mode: str = "multi_hot", sparse: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.num_tokens = positive_int(num_tokens, "num_tokens")
        self.output_mode = check_mode(output_mode, ("multi_hot", "count", "one_hot"))
        self.sparse = refuse_sparse(sparse)

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        if count_weights is not None and self.output_mode != "count":
            raise ValueError(f"count_weights go with output_mode='count', not {self.output_mode!r}.")
        if isinstance(inputs, (list, tuple)):
            inputs = kops.convert_to_tensor(inputs)
        self._check(inputs)
        if "int" not in kops.standardize_dtype(inputs.dtype):
            inputs = kops.cast(inputs, "int32")
        return encode(inputs, self.output_mode, self.num_tokens, self.compute_dtype, count_weights)

    def _check(self, inputs: Any) -> None:
        try:
            values = on_host(inputs, self)
        except RuntimeError:  # in a compiled function there are no values to check
            return
        if values.size and (values.min() < 0 or values.max() >= self.num_tokens):
            raise ValueError(
                f"CategoryEncoding with num_tokens={self.num_tokens} takes integers from 0 to {self.num_tokens - 1}; "
                f"got {values.min()} to {values.max()}."
            )

    def compute_output_shape(self, input_shape: Any) -> Any:
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

    def compute_output_spec(self, inputs: Any, count_weights: Any = None) -> Any:
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "num_tokens", "output_mode")}
