"""Training on four (simulated) devices gives the weights that one device gives."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from kops.config import settings

SCRIPT = """
import sys
import keras, numpy as np
from keras import layers
from keras.distribution import DataParallel, DeviceMesh, LayoutMap, ModelParallel, list_devices

assert len(list_devices()) == 4
rng = np.random.default_rng(0)
x = rng.normal(size=(54, 6)).astype("float32")  # the last batch of 16 has 6 samples
y = (x.sum(-1, keepdims=True) > 0).astype("float32")
mesh = DeviceMesh((2, 2), ("batch", "model"))
layouts = LayoutMap(mesh)
layouts["hidden/kernel"] = (None, "model")
layouts["hidden/bias"] = ("model",)
saved = {}
for name, distribution in (("one", None), ("data", DataParallel()), ("model", ModelParallel(layout_map=layouts))):
    keras.distribution.set_distribution(distribution)
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((6,)), layers.Dense(8, "tanh", name="hidden"), layers.BatchNormalization(),
         layers.Dense(1, "sigmoid", name="out")]
    )
    model.compile(keras.optimizers.Adam(0.05), "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0)
    kernel = model.get_layer("hidden").kernel
    shapes = {s.data.shape for s in kernel.value.addressable_shards}
    assert len(kernel.value.addressable_shards) == (1 if distribution is None else 4), name
    assert shapes == {(6, 4) if name == "model" else (6, 8)}, (name, shapes)
    momenta = [v for v in model.optimizer.variables if "hidden_kernel" in v.path]
    assert momenta and all({s.data.shape for s in v.value.addressable_shards} == shapes for v in momenta), name
    saved[f"{name} losses"] = np.array(history.history["loss"])
    saved[f"{name} evaluated"] = np.array(model.evaluate(x, y, batch_size=16, verbose=0))
    saved[f"{name} predicted"] = model.predict(x, batch_size=16, verbose=0)
    for i, w in enumerate(model.get_weights()):
        saved[f"{name} weight {i}"] = w
    if name == "model":
        model.save(sys.argv[2])  # gathers the shards
        keras.distribution.set_distribution(None)
        again = keras.saving.load_model(sys.argv[2])
        np.testing.assert_allclose(again.predict(x, verbose=0), saved["model predicted"], rtol=1e-5, atol=1e-6)
np.savez(sys.argv[1], **saved)
"""


@pytest.mark.skipif(settings.backend != "jax", reason="JAX simulates devices")
def test_data_and_model_parallel_train_as_one_device(tmp_path):
    path = tmp_path / "saved.npz"
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", SCRIPT, path, tmp_path / "m.keras"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    saved = dict(np.load(path))
    names = [name[4:] for name in saved if name.startswith("one ")]
    assert len(names) == 3 + 8
    for kind in ("data", "model"):
        for name in names:
            np.testing.assert_allclose(
                saved[f"{kind} {name}"], saved[f"one {name}"], rtol=2e-4, atol=2e-5, err_msg=f"{kind} {name}"
            )
    assert saved["one losses"][-1] < saved["one losses"][0]


PROCESS = """
import os, sys
import keras, numpy as np

number = int(sys.argv[1])
keras.distribution.initialize()  # from the environment
parallel = keras.distribution.DataParallel(auto_shard_dataset=False)
assert (parallel.num_processes, parallel.num_model_replicas, parallel.data_shard_id) == (2, 4, number)
x = np.random.default_rng(0).normal(size=(64, 6)).astype("float32")
y = (x.sum(-1, keepdims=True) > 0).astype("float32")


def trained(x, y, batch_size):
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((6,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1, "sigmoid")]
    )
    model.compile(keras.optimizers.SGD(0.5), "binary_crossentropy")
    model.fit(x, y, batch_size=batch_size, epochs=2, shuffle=False, verbose=0)
    return model.get_weights()


alone = trained(x, y, 16)
keras.distribution.set_distribution(parallel)
# Of every batch of 16 each process reads its half.
mine = [a.reshape(4, 2, 8, -1)[:, number].reshape(32, -1) for a in (x, y)]
for a, b in zip(trained(*mine, 8), alone):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
"""


@pytest.mark.skipif(settings.backend != "jax", reason="JAX connects processes")
def test_two_processes_train_as_one():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    env = {
        **os.environ,
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
        "JAX_PLATFORMS": "cpu",
        "KERAS_DISTRIBUTION_JOB_ADDRESSES": f"localhost:{port}",
        "KERAS_DISTRIBUTION_NUM_PROCESSES": "2",
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(number)],
            env={**env, "KERAS_DISTRIBUTION_PROCESS_ID": str(number)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for number in range(2)
    ]
    try:
        outputs = [process.communicate(timeout=300)[0] for process in running]
    finally:
        for process in running:
            process.kill()
    assert [process.returncode for process in running] == [0, 0], "\n".join(outputs)
