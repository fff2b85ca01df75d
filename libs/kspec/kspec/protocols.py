"""The narrow interfaces between libraries, for type checkers and for authors of plug-ins.

Nothing here is ever instantiated. A library talks to the one above only through these, so that it
can be installed without it.
"""

from __future__ import annotations

from typing import Any, Iterator, Protocol, Sequence, runtime_checkable


@runtime_checkable
class TensorSpecLike(Protocol):
    """What is known of a tensor before it has values: KerasTensor, InputSpec, ..."""

    shape: tuple[int | None, ...]
    dtype: str


@runtime_checkable
class Saveable(Protocol):
    """An object that ksave can write to a file and make again from it.

    Only `get_config` and `from_config` are required. An object takes part in the rest by having the
    methods; ksave asks its class with `hasattr`:

    - `get_build_config() -> dict | None`, `build_from_config(config)`: how to make the variables again.
    - `get_compile_config() -> dict | None`, `compile_from_config(config)`: training settings.
    - `save_own_variables(store)`, `load_own_variables(store)`: `store` maps names to arrays. Having both
      makes the object a node of the weights file (layers and optimizers are; metrics and losses are not).
    - `save_assets(folder)`, `load_assets(folder)`: other files, for example a vocabulary.
    - `_saveable_children() -> Iterable[tuple[str, Any]]`: the nodes below this one, in order. A child is
      a node, or a list, tuple or dictionary of nodes (nested ones too); anything else is passed over.
      The order matters: a node that several names reach is stored under the first. Without the method
      ksave walks the attributes: public ones sorted by name, then private ones sorted by name.
      Sequential and Functional put `("layers", self.layers)` first.
    """

    def get_config(self) -> dict[str, Any]: ...

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any: ...


@runtime_checkable
class Trainable(Protocol):
    """What a training loop needs of a model."""

    trainable_variables: list[Any]
    non_trainable_variables: list[Any]
    losses: list[Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def stateless_call(
        self, trainable_variables: Any, non_trainable_variables: Any, *args: Any, **kwargs: Any
    ) -> Any: ...


@runtime_checkable
class Placement(Protocol):
    """Where variables and batches live: implemented by kdistribute, asked by kops and ktrain."""

    def variable_layout(self, path: str, shape: Sequence[int]) -> Any:
        """The engine's layout for a variable, or None for the default device."""

    def place_variable(self, value: Any, layout: Any) -> Any:
        """Put a native tensor where `layout` says."""

    def place_batch(self, batch: Any) -> Any:
        """Put one batch (a tree of host arrays) on the devices, split as data-parallel asks."""


@runtime_checkable
class QuantizationScheme(Protocol):
    """One way to hold and apply a layer's kernel in fewer bits; plug-ins of kind `quantization`.

    The plug-in name is `"<mode>.<layer class>"`, for example `"int8.Dense"`. A layer with a quantized dtype
    policy calls `build` instead of making its float kernel, and `call` instead of its own maths.
    """

    def build(self, layer: Any, kernel_shape: Sequence[int]) -> None:
        """Create the layer's quantized variables, empty, as loading a file needs."""

    def call(self, layer: Any, inputs: Any) -> Any:
        """The layer's forward pass on quantized variables."""

    def quantize(self, layer: Any) -> None:
        """Replace the float kernel of a built layer by quantized variables with its values."""


@runtime_checkable
class ExportFormat(Protocol):
    """A writer of trained models for another runtime; plug-ins of kind `export`, by format name."""

    def write(self, model: Any, path: str, **options: Any) -> None:
        """Write `model` to `path`, then check what was written by running it."""


@runtime_checkable
class DataAdapter(Protocol):
    """One kind of input to fit/evaluate/predict, as batches of host arrays."""

    num_batches: int | None
    batch_size: int | None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield `(x, y, sample_weight)` trees of arrays, one batch each."""

    def on_epoch_end(self) -> None:
        """Prepare the next pass (reshuffle, reset workers)."""
