"""Devices and processes of a job."""

from __future__ import annotations

import os

from kdistribute.engines import placing
from kspec import public


@public("keras.distribution.list_devices")
def list_devices(device_type: str | None = None) -> list[str]:
    """The names of all devices of the job, as `["cpu:0"]` or `["gpu:0", "gpu:1"]`.

    Args:
        device_type: "cpu", "gpu" or "tpu"; None is the best kind there is.
    """
    return placing().list_devices(device_type)


@public("keras.distribution.get_device_count")
def get_device_count(device_type: str | None = None) -> int:
    """The number of devices that `list_devices` names."""
    return len(list_devices(device_type))


@public("keras.distribution.initialize")
def initialize(
    job_addresses: str | None = None, num_processes: int | None = None, process_id: int | None = None
) -> None:
    """Connect the processes of a job; every process calls it first of all. On TPU no argument is needed.

    Args:
        job_addresses: "host:port" of the first process, or of all, with commas between. Default the environment
            variable KERAS_DISTRIBUTION_JOB_ADDRESSES.
        num_processes: how many processes there are. Default KERAS_DISTRIBUTION_NUM_PROCESSES.
        process_id: this process's number, from 0. Default KERAS_DISTRIBUTION_PROCESS_ID.

    Example:
        >>> initialize("10.0.0.1:1234,10.0.0.2:1234", num_processes=2, process_id=0)
    """
    env = os.environ
    job_addresses = job_addresses or env.get("KERAS_DISTRIBUTION_JOB_ADDRESSES")
    if num_processes is None and "KERAS_DISTRIBUTION_NUM_PROCESSES" in env:
        num_processes = int(env["KERAS_DISTRIBUTION_NUM_PROCESSES"])
    if process_id is None and "KERAS_DISTRIBUTION_PROCESS_ID" in env:
        process_id = int(env["KERAS_DISTRIBUTION_PROCESS_ID"])
    placing().initialize(job_addresses, num_processes, process_id)
