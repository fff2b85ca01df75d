"""Engines for which there is no placement over several devices: one device works, more is refused with words."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from kops.config import settings

MULTIPLE = False

_OWN = {
    "torch": "wrap the model in torch.nn.parallel.DistributedDataParallel (layers are torch modules)",
    "tensorflow": "build the model in the scope of a tf.distribute strategy",
}


def refuse(what: str) -> NotImplementedError:
    """The error for what needs several devices."""
    alternative = _OWN.get(settings.backend)
    hint = f", or {alternative}" if alternative else ""
    return NotImplementedError(
        f"{what} is not implemented on the engine {settings.backend!r}. Use KERAS_BACKEND=jax{hint}."
    )


def list_devices(device_type: str | None) -> list[str]:
    """The one device that this engine's tensors are on by default."""
    device = _default_device()
    if device_type is not None and device.split(":")[0] != {"cuda": "gpu"}.get(device_type, device_type).lower():
        return []
    return [device]


def _default_device() -> str:
    if settings.backend in ("numpy", "openvino"):
        return "cpu:0"
    from kops.engine import engine

    device = str(engine().convert(0.0, None).device).lower()
    for kind in ("gpu", "cuda", "mps", "xpu"):
        if kind in device:
            return f"{'gpu' if kind == 'cuda' else kind}:0"
    return "cpu:0"


def initialize(job_addresses: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Nothing to do for one process."""
    if (num_processes or 1) > 1 or (job_addresses and "," in job_addresses):
        raise refuse("A job of several processes")


def num_processes() -> int:
    return 1


def process_id() -> int:
    return 0


def mesh(devices: np.ndarray, axis_names: Sequence[str]) -> np.ndarray:
    """The names of the devices: there is one."""
    if devices.size > 1:
        raise refuse(f"A mesh of {devices.size} devices")
    return devices


def layout(mesh: Any, axes: Sequence[str | None]) -> tuple[str | None, ...]:
    """The axes themselves: on one device every layout is the whole tensor."""
    return tuple(axes)


def place(value: Any, layout: Any) -> Any:
    """The tensor is where it belongs."""
    return value


place_local = place
