"""TensorLayout and LayoutMap: along which axes of the mesh tensors are split."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any, Iterator, Sequence

import kops
from kdistribute.device_mesh import DeviceMesh
from kdistribute.engines import placing
from kspec import public


@public("keras.distribution.TensorLayout")
class TensorLayout:
    """For each axis of a tensor the axis of the mesh along which it is split, or None: not split.

    Args:
        axes: one entry for each axis of the tensor.
        device_mesh: the mesh; may be set later.

    Raises:
        ValueError: for an axis that the mesh has not.

    Example:
        >>> TensorLayout(["batch", None], mesh)
    """

    def __init__(self, axes: Sequence[str | None], device_mesh: DeviceMesh | None = None) -> None:
        self._axes = tuple(axes)
        self._device_mesh: DeviceMesh | None = None
        self._backend_layout: Any = None
        if device_mesh is not None:
            self.device_mesh = device_mesh

    @property
    def axes(self) -> tuple[str | None, ...]:
        """An axis of the mesh, or None, for each axis of the tensor."""
        return self._axes

    @property
    def device_mesh(self) -> DeviceMesh | None:
        """The mesh; it can be set once."""
        return self._device_mesh

    @device_mesh.setter
    def device_mesh(self, mesh: DeviceMesh) -> None:
        if self._device_mesh is not None:
            raise ValueError(f"The layout has a mesh already: {self._device_mesh!r}.")
        strange = [axis for axis in self._axes if axis is not None and axis not in mesh.axis_names]
        if strange:
            raise ValueError(
                f"The mesh has no axis {', '.join(map(repr, strange))}. Its axes: {', '.join(mesh.axis_names)}."
            )
        self._device_mesh = mesh

    @property
    def backend_layout(self) -> Any:
        """The engine's own layout (`jax.sharding.NamedSharding`)."""
        if self._device_mesh is None:
            raise ValueError(f"The layout {self._axes} has no mesh yet: set its device_mesh.")
        if self._backend_layout is None:
            self._backend_layout = placing().layout(self._device_mesh.backend_mesh, self._axes)
        return self._backend_layout

    def __repr__(self) -> str:
        return f"<TensorLayout axes={self._axes}, device_mesh={self._device_mesh!r}>"


@public("keras.distribution.LayoutMap")
class LayoutMap(MutableMapping):
    """Layouts by the paths of variables.

    A key is a path or a regular expression; it is looked for anywhere in the path, and the first key that matches
    wins, an equal path before all.

    Args:
        device_mesh: the mesh of layouts that have none; tuples of axes become layouts on it.

    Example:
        >>> layouts = LayoutMap(mesh)
        >>> layouts["dense.*kernel"] = (None, "model")
        >>> layouts["dense_1/kernel"].axes
        (None, 'model')
    """

    def __init__(self, device_mesh: DeviceMesh) -> None:
        self._device_mesh = device_mesh
        self._layouts: dict[str, TensorLayout] = {}

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh of all layouts."""
        return self._device_mesh

    def __getitem__(self, key: str) -> TensorLayout | None:  # type: ignore[override]
        """The layout of a path; None when no key matches."""
        if key in self._layouts:
            return self._layouts[key]
        for pattern, layout in self._layouts.items():
            if re.search(pattern, key):
                return layout
        return None

    def __setitem__(self, key: str, layout: Any) -> None:
        if key in self._layouts:
            raise ValueError(f"{key!r} is in the LayoutMap already, as {self._layouts[key]!r}. Delete it first.")
        if isinstance(layout, (tuple, list)):
            layout = TensorLayout(layout)
        if not isinstance(layout, TensorLayout):
            raise ValueError(
                f"The layout of {key!r} is a TensorLayout or a tuple of axes, not {type(layout).__name__}: {layout!r}."
            )
        if layout.device_mesh is None:
            layout.device_mesh = self._device_mesh
        self._layouts[key] = layout

    def __delitem__(self, key: str) -> None:
        del self._layouts[key]

    def __len__(self) -> int:
        return len(self._layouts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layouts)


@public("keras.distribution.distribute_tensor")
def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """The tensor, split over devices as the layout says; inside a jitted function a constraint on it.

    Args:
        tensor: any tensor or array.
        layout: a `TensorLayout`, or the engine's own layout.

    Raises:
        ValueError: when the layout has another number of axes, or an axis does not divide by the devices along it.
    """
    if isinstance(tensor, kops.Variable):
        tensor = tensor.value
    if not hasattr(tensor, "shape"):
        tensor = kops.convert_to_tensor(tensor)
    if isinstance(layout, TensorLayout):
        check_fit(tensor.shape, layout)
        layout = layout.backend_layout
    return placing().place(tensor, layout)


def check_fit(shape: Sequence[int | None], layout: TensorLayout, what: str = "A tensor") -> None:
    """Raise when a tensor of this shape cannot be split so."""
    if len(shape) != len(layout.axes):
        raise ValueError(
            f"{what} of shape {tuple(shape)} does not go with {layout!r}, which has {len(layout.axes)} axes."
        )
    for size, axis in zip(shape, layout.axes):
        devices = 1 if axis is None or layout.device_mesh is None else layout.device_mesh.size(axis)
        if size is not None and size % devices:
            raise ValueError(
                f"{what} of shape {tuple(shape)} cannot be split along {axis!r}: {size} does not divide by its "
                f"{devices} devices."
            )
