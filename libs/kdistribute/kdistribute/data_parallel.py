"""DataParallel: every device has all variables and a part of each batch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kdistribute.device_mesh import DeviceMesh
from kdistribute.devices import list_devices
from kdistribute.distribution import Distribution
from kspec import public


@public("keras.distribution.DataParallel")
class DataParallel(Distribution):
    """Variables are whole on every device, batches are split; gradients are summed over the devices.

    Args:
        device_mesh: a mesh of one axis; of several, the first splits batches.
        devices: instead of a mesh, names of devices; default all.
        auto_shard_dataset: with several processes, whether data sets are split over them.

    Example:
        >>> keras.distribution.set_distribution(keras.distribution.DataParallel())
        >>> model = make_model()
        >>> model.fit(x, y, batch_size=256)  # 64 samples on each of 4 devices
    """

    def __init__(
        self, device_mesh: DeviceMesh | None = None, devices: Any = None, auto_shard_dataset: bool = True
    ) -> None:
        if device_mesh is None:
            names = np.array(list_devices() if devices is None else devices, dtype=object).reshape(-1)
            device_mesh = DeviceMesh((names.size,), ("batch",), names)
        elif devices is not None:
            raise ValueError("Give either device_mesh or devices.")
        elif not isinstance(device_mesh, DeviceMesh):
            raise ValueError(f"device_mesh is a DeviceMesh, not {device_mesh!r}.")
        if len(device_mesh.shape) > 1:
            warnings.warn(
                f"DataParallel splits batches along {device_mesh.axis_names[0]!r} only; the other axes of "
                f"{device_mesh!r} hold copies.",
                stacklevel=2,
            )
        device_mesh.backend_mesh  # noqa: B018  (an engine without several devices says so here)
        super().__init__(device_mesh, device_mesh.axis_names[0], auto_shard_dataset)
