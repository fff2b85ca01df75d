"""The base of distributions, and which is active."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Sequence

from kdistribute.device_mesh import DeviceMesh
from kdistribute.engines import placing
from kdistribute.layouts import TensorLayout, check_fit
from kops import tree
from kops.scopes import ambient
from kspec import public


class Distribution:
    """Where variables and batches live on a mesh. It is the `Placement` (kspec.protocols) of kops and ktrain.

    Args:
        device_mesh: the devices.
        batch_dim_name: the axis of the mesh along which batches are split.
        auto_shard_dataset: whether `distribute_dataset` gives each process its part.
    """

    def __init__(
        self, device_mesh: DeviceMesh, batch_dim_name: str | None = None, auto_shard_dataset: bool = True
    ) -> None:
        self._device_mesh = device_mesh
        self._batch_dim_name = batch_dim_name
        self.auto_shard_dataset = auto_shard_dataset

    @property
    def device_mesh(self) -> DeviceMesh:
        """The devices."""
        return self._device_mesh

    @property
    def batch_dim_name(self) -> str | None:
        """The axis of the mesh along which batches are split."""
        return self._batch_dim_name

    @property
    def num_processes(self) -> int:
        """The number of processes of the job."""
        return placing().num_processes()

    @property
    def num_model_replicas(self) -> int:
        """Into how many parts a batch is split."""
        return 1 if self._batch_dim_name is None else self._device_mesh.size(self._batch_dim_name)

    @property
    def data_shard_id(self) -> int:
        """Which part of the data this process reads."""
        return placing().process_id() if self.num_model_replicas > 1 else 0

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """A context in which this is the active distribution."""
        outer = ambient.placement
        ambient.placement = self
        try:
            yield
        finally:
            ambient.placement = outer

    # Layouts

    def get_data_layout(self, data_shape: Sequence[int | None]) -> TensorLayout:
        """The layout of a batch of this shape: its first axis is split."""
        axes: list[str | None] = [None] * len(data_shape)
        if axes:
            axes[0] = self._batch_dim_name
        return TensorLayout(axes, self._device_mesh)

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """The layout of a variable: what it was given, else what its path says."""
        given = getattr(variable, "_layout", None)
        return given if given is not None else self.variable_layout(variable.path, variable.shape)

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """The layout of an intermediate tensor, or None: XLA decides."""
        return None

    # The Placement protocol

    def variable_layout(self, path: str, shape: Sequence[int]) -> TensorLayout:
        """The layout of a variable of this path: whole on every device."""
        return TensorLayout([None] * len(shape), self._device_mesh)

    def place_variable(self, value: Any, layout: Any) -> Any:
        """A native tensor of which every process has the whole, placed."""
        if isinstance(layout, TensorLayout):
            check_fit(value.shape, layout, "A variable")
            layout = layout.backend_layout
        return placing().place(value, layout)

    def place_batch(self, batch: Any) -> Any:
        """One batch (a tree of host arrays) on the devices, split along the first axis.

        A batch that does not divide by the replicas (the last one of an epoch) is whole on every device: the result
        is the same, and the step takes as long as on one device.
        """

        def place(x: Any) -> Any:
            if x is None or not hasattr(x, "shape"):
                return x
            layout = self.get_data_layout(x.shape)
            if len(x.shape) and (x.shape[0] * self.num_processes) % self.num_model_replicas:
                if self.num_processes > 1:
                    raise ValueError(
                        f"With {self.num_processes} processes a batch of {x.shape[0]} samples per process must divide "
                        f"by the {self.num_model_replicas} replicas. Choose another batch_size, or drop the remainder."
                    )
                layout = TensorLayout([None] * len(x.shape), self._device_mesh)
            return placing().place_local(x, layout.backend_layout)

        return tree.map_structure(place, batch)

    # Data sets

    def distribute_dataset(self, dataset: Any) -> Any:
        """This process's part of a data set.

        Args:
            dataset: a `tf.data.Dataset`; with one process anything, which comes back as it is.
        """
        if self.num_processes == 1 or not self.auto_shard_dataset:
            return dataset
        if not hasattr(dataset, "shard"):
            raise TypeError(
                f"Only a tf.data.Dataset can be split over processes automatically, not {type(dataset).__name__}. Let "
                "every process read its own part and pass auto_shard_dataset=False."
            )
        # After batching, as the data sets given to fit() are: each process takes batches in turn.
        return dataset.shard(self.num_processes, self.data_shard_id).prefetch(2)

    def distribute_tf_dataset(self, dataset: Any) -> Any:
        """`distribute_dataset`, under its old name."""
        return self.distribute_dataset(dataset)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} device_mesh={self._device_mesh!r}>"


@public("keras.distribution.distribution")
def distribution() -> Any:
    """The active distribution, or None."""
    return ambient.placement


@public("keras.distribution.set_distribution")
def set_distribution(value: Any) -> None:
    """Make a distribution the active one; None ends distribution.

    Variables made from now on, and batches of `fit`, `evaluate` and `predict`, are placed as it says.
    """
    if value is not None and not isinstance(value, Distribution):
        raise TypeError(f"set_distribution takes a DataParallel, a ModelParallel, or None, not {value!r}.")
    ambient.placement = value
