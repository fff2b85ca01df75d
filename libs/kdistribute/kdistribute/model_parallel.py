"""ModelParallel: variables are split too."""

from __future__ import annotations

from typing import Any, Sequence

from kdistribute.distribution import Distribution
from kdistribute.layouts import LayoutMap, TensorLayout
from kspec import public


@public("keras.distribution.ModelParallel")
class ModelParallel(Distribution):
    """Variables are split as a `LayoutMap` says (those it does not name are whole everywhere), batches along one axis.

    Args:
        layout_map: layouts by the paths of variables, with the mesh.
        batch_dim_name: the axis of the mesh along which batches are split; default its first.
        auto_shard_dataset: with several processes, whether data sets are split over them.

    Example:
        >>> mesh = DeviceMesh((2, 4), ("batch", "model"))
        >>> layouts = LayoutMap(mesh)
        >>> layouts["dense.*kernel"] = (None, "model")
        >>> set_distribution(ModelParallel(layout_map=layouts, batch_dim_name="batch"))

    Source: Xu et al., "GSPMD: general and scalable parallelization for ML computation graphs", 2021.
    """

    def __init__(
        self,
        *,
        layout_map: LayoutMap | None = None,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
        **kwargs: Any,
    ) -> None:
        mesh = kwargs.pop("device_mesh", None)
        if kwargs:
            raise TypeError(f"ModelParallel got unknown arguments: {', '.join(kwargs)}.")
        if not isinstance(layout_map, LayoutMap):
            raise ValueError(f"ModelParallel needs a LayoutMap as layout_map, not {layout_map!r}.")
        if mesh is not None and mesh is not layout_map.device_mesh:
            raise ValueError("device_mesh and the mesh of layout_map are not the same. Leave device_mesh out.")
        mesh = layout_map.device_mesh
        batch_dim_name = mesh.axis_names[0] if batch_dim_name is None else batch_dim_name
        if batch_dim_name not in mesh.axis_names:
            raise ValueError(f"batch_dim_name must be an axis of {mesh!r}, not {batch_dim_name!r}.")
        mesh.backend_mesh  # noqa: B018  (an engine without several devices says so here)
        super().__init__(mesh, batch_dim_name, auto_shard_dataset)
        self._layout_map = layout_map

    def variable_layout(self, path: str, shape: Sequence[int]) -> TensorLayout:
        """What the map says for the path; whole on every device when it says nothing."""
        return self._layout_map[path] or super().variable_layout(path, shape)

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """What the map says for the path of an intermediate tensor."""
        return self._layout_map[path]
