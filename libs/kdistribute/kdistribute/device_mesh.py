"""DeviceMesh: devices in a grid with named axes."""

from __future__ import annotations

import functools
from typing import Any, Sequence

import numpy as np

from kdistribute.devices import list_devices
from kdistribute.engines import placing
from kspec import public


@public("keras.distribution.DeviceMesh")
class DeviceMesh:
    """Devices in a grid whose axes have names; layouts say along which of them a tensor is split.

    Args:
        shape: sizes of the grid, as `(4, 2)`.
        axis_names: a name for each axis, as `("batch", "model")`.
        devices: names of the devices, or a grid of them; default all, as `list_devices` orders them.

    Raises:
        ValueError: when the numbers do not fit.

    Example:
        >>> DeviceMesh((2, 2), ("batch", "model"), ["cpu:0", "cpu:1", "cpu:2", "cpu:3"])
    """

    def __init__(self, shape: Sequence[int], axis_names: Sequence[str], devices: Any = None) -> None:
        if not shape or not axis_names:
            raise ValueError(f"shape and axis_names must not be empty: got {shape!r} and {axis_names!r}.")
        if len(shape) != len(axis_names):
            raise ValueError(f"Every axis has a name: got shape {tuple(shape)} and axis_names {list(axis_names)}.")
        if len(set(axis_names)) != len(axis_names):
            raise ValueError(f"The names of axes must differ: {list(axis_names)}.")
        names = np.array(list_devices() if devices is None else devices, dtype=object).reshape(-1)
        if int(np.prod(shape)) != names.size:
            raise ValueError(
                f"A mesh of shape {tuple(shape)} has {int(np.prod(shape))} devices, but there are {names.size}: "
                f"{', '.join(map(str, names))}."
            )
        self._shape = tuple(shape)
        self._axis_names = tuple(axis_names)
        self._devices = names.reshape(self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the grid."""
        return self._shape

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes."""
        return self._axis_names

    @property
    def devices(self) -> np.ndarray:
        """The names of the devices in the grid."""
        return self._devices

    @functools.cached_property
    def backend_mesh(self) -> Any:
        """The engine's own mesh (`jax.sharding.Mesh`)."""
        return placing().mesh(self._devices, self._axis_names)

    def size(self, axis: str) -> int:
        """The number of devices along an axis."""
        return self._shape[self._axis_names.index(axis)]

    def __repr__(self) -> str:
        return f"<DeviceMesh shape={self._shape}, axis_names={list(self._axis_names)}>"
