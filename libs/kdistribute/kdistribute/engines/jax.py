"""Placement with JAX: `Mesh` and `NamedSharding`; XLA adds the communication."""

from __future__ import annotations

from typing import Any, Sequence

import jax
import numpy as np

MULTIPLE = True


def list_devices(device_type: str | None) -> list[str]:
    """All devices, also those of other processes, as "cpu:0"."""
    kind = None if device_type is None else {"cuda": "gpu"}.get(device_type.lower(), device_type.lower())
    return [f"{device.platform}:{device.id}" for device in jax.devices(kind)]


def initialize(job_addresses: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Connect this process with the others of the job."""
    coordinator = job_addresses.split(",")[0] if job_addresses else None
    jax.distributed.initialize(coordinator, num_processes=num_processes, process_id=process_id)


def num_processes() -> int:
    return jax.process_count()


def process_id() -> int:
    return jax.process_index()


def mesh(devices: np.ndarray, axis_names: Sequence[str]) -> jax.sharding.Mesh:
    """JAX's mesh of the devices of these names."""
    known = {f"{device.platform}:{device.id}": device for device in jax.devices()}
    missing = [name for name in devices.flat if name not in known]
    if missing:
        known.update({f"{d.platform}:{d.id}": d for kind in {m.split(":")[0] for m in missing} for d in _of(kind)})
        missing = [name for name in devices.flat if name not in known]
    if missing:
        raise ValueError(f"There is no device {', '.join(missing)}. Devices: {', '.join(known)}.")
    found = np.empty(devices.shape, object)
    found[...] = np.vectorize(known.get, otypes=[object])(devices)
    return jax.sharding.Mesh(found, tuple(axis_names))


def _of(kind: str) -> list[Any]:
    try:
        return jax.devices(kind)
    except RuntimeError:  # no such platform here
        return []


def layout(mesh: jax.sharding.Mesh, axes: Sequence[str | None]) -> jax.sharding.NamedSharding:
    """JAX's sharding of a tensor whose axes are split along these axes of the mesh."""
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))


def place(value: Any, sharding: Any) -> jax.Array:
    """A tensor of which every process has the whole, split over the devices."""
    if isinstance(value, jax.core.Tracer):
        return jax.lax.with_sharding_constraint(value, sharding)
    if isinstance(value, jax.Array) and value.sharding.is_equivalent_to(sharding, value.ndim):
        return value
    if jax.process_count() > 1:
        host = np.asarray(value)
        return jax.make_array_from_callback(host.shape, sharding, lambda index: host[index])
    return jax.device_put(value, sharding)


def place_local(value: Any, sharding: Any) -> jax.Array:
    """A tensor of which every process has its own part of the first axis."""
    if jax.process_count() > 1 and not isinstance(value, jax.core.Tracer):
        return jax.make_array_from_process_local_data(sharding, np.asarray(value))
    return place(value, sharding)
