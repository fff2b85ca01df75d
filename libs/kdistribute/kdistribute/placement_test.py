"""What needs several devices is run again in a process that simulates four (JAX)."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import kops
from kdistribute import devices
from kdistribute.data_parallel import DataParallel
from kdistribute.device_mesh import DeviceMesh
from kdistribute.distribution import distribution, set_distribution
from kdistribute.layouts import LayoutMap, TensorLayout, distribute_tensor
from kdistribute.model_parallel import ModelParallel
from kops.config import settings
from kops.engine import engine
from kops.scopes import ambient, name_scope

SIMULATED = "--xla_force_host_platform_device_count=4"
FOUR = os.environ.get("XLA_FLAGS") == SIMULATED

four_devices = pytest.mark.skipif(not FOUR, reason="runs in the process with four devices")


@pytest.fixture(autouse=True)
def no_distribution():
    yield
    set_distribution(None)


@pytest.mark.skipif(settings.backend != "jax" or FOUR, reason="JAX simulates devices")
def test_all_of_this_on_four_simulated_devices():
    command = [sys.executable, "-m", "pytest", "-vv", "-x", "-p", "no:cacheprovider", __file__]
    env = {**os.environ, "XLA_FLAGS": SIMULATED, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_variables_are_split_as_the_map_says PASSED" in done.stdout


# On any engine


def test_devices_have_names():
    names = devices.list_devices()
    assert len(names) == devices.get_device_count() == (4 if FOUR else 1)
    assert all(name.split(":")[1].isdigit() for name in names)


def test_one_device_is_always_allowed():
    mesh = DeviceMesh((1,), ("batch",), devices.list_devices()[:1])
    with DataParallel(mesh).scope():
        v = kops.Variable(np.ones((2, 3), "float32"))
        batch = distribution().place_batch((np.ones((5, 2), "float32"), None))
    assert v._layout.axes == (None, None)
    assert batch[1] is None and tuple(batch[0].shape) == (5, 2)
    np.testing.assert_array_equal(np.asarray(batch[0]), np.ones((5, 2)))


def test_the_active_distribution():
    parallel = DataParallel(devices=devices.list_devices()[:1])
    other = DataParallel(devices=devices.list_devices()[:1])
    assert distribution() is None
    set_distribution(parallel)
    with other.scope():
        assert distribution() is other is ambient.placement
    assert distribution() is parallel
    with pytest.raises(TypeError, match="DataParallel"):
        set_distribution(3)
    with pytest.raises(ZeroDivisionError), other.scope():
        1 / 0
    assert distribution() is parallel


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((2,), ("a", "b")), "Every axis has a name"),
        (((), ()), "must not be empty"),
        ((None, None), "must not be empty"),
        (((3,), ("a",), ["cpu:0"]), "has 3 devices, but there are 1"),
        (((1, 1), ("a", "a"), ["cpu:0"]), "must differ"),
    ],
)
def test_meshes_that_do_not_fit(arguments, words):
    with pytest.raises(ValueError, match=words):
        DeviceMesh(*arguments)


def test_layout_maps():
    mesh = DeviceMesh((1, 1), ("batch", "model"), devices.list_devices()[:1])
    layouts = LayoutMap(mesh)
    layouts["dense.*kernel"] = (None, "model")
    layouts[".*bias"] = TensorLayout(["model"])
    assert layouts["my/dense_1/kernel"].axes == (None, "model")
    assert layouts["dense/bias"].device_mesh is mesh
    assert layouts["gamma"] is None
    assert list(layouts) == ["dense.*kernel", ".*bias"] and len(layouts) == 2
    with pytest.raises(ValueError, match="already"):
        layouts[".*bias"] = (None,)
    with pytest.raises(ValueError, match="tuple of axes"):
        layouts["x"] = 3
    with pytest.raises(ValueError, match="no axis 'rows'"):
        layouts["x"] = ("rows",)
    del layouts[".*bias"]
    assert layouts["dense/bias"] is None
    with pytest.raises(ValueError, match="LayoutMap"):
        ModelParallel(layout_map=None)
    with pytest.raises(ValueError, match="axis of"):
        ModelParallel(layout_map=layouts, batch_dim_name="rows")
    with pytest.raises(ValueError, match="no mesh yet"):
        TensorLayout((None,)).backend_layout


@pytest.mark.skipif(settings.backend == "jax", reason="JAX can")
def test_engines_without_placement_say_what_to_do():
    mesh = DeviceMesh((2,), ("batch",), ["cpu:0", "cpu:1"])
    with pytest.raises(NotImplementedError, match=f"'{settings.backend}'.*KERAS_BACKEND=jax"):
        DataParallel(mesh)
    with pytest.raises(NotImplementedError, match="several processes"):
        devices.initialize("a:1,b:1", num_processes=2, process_id=0)


@pytest.mark.skipif(settings.backend != "jax", reason="only JAX knows its devices by name")
def test_unknown_devices_are_named():
    with pytest.raises(ValueError, match="no device cpu:77"):
        DataParallel(devices=["cpu:77"])


# On four devices


def shards(x):
    return sorted((s.device.id, s.data.shape) for s in x.addressable_shards)


@four_devices
def test_variables_are_whole_and_batches_are_split():
    parallel = DataParallel()
    assert parallel.num_model_replicas == 4 and parallel.batch_dim_name == "batch"
    set_distribution(parallel)
    v = kops.Variable(np.ones((2, 3), "float32"))
    assert shards(v.value) == [(i, (2, 3)) for i in range(4)]
    v.assign(np.zeros((2, 3)))
    assert len(v.value.addressable_shards) == 4
    batch = parallel.place_batch({"x": np.arange(16.0).reshape(8, 2), "w": np.float32(3)})
    assert shards(batch["x"]) == [(i, (2, 2)) for i in range(4)]
    assert shards(batch["w"]) == [(i, ()) for i in range(4)]
    np.testing.assert_array_equal(np.asarray(batch["x"]), np.arange(16.0).reshape(8, 2))


@four_devices
def test_a_batch_that_does_not_divide_is_whole_everywhere():
    x = DataParallel().place_batch(np.ones((6, 2), "float32"))
    assert shards(x) == [(i, (6, 2)) for i in range(4)]


@four_devices
def test_variables_are_split_as_the_map_says():
    mesh = DeviceMesh((2, 2), ("batch", "model"))
    layouts = LayoutMap(mesh)
    layouts["dense/kernel"] = (None, "model")
    with ModelParallel(layout_map=layouts).scope(), name_scope("dense"):
        kernel = kops.Variable(lambda shape, dtype: kops.ones(shape, dtype), shape=(8, 6), name="kernel")
        bias = kops.Variable(np.zeros(6, "float32"), name="bias")
        assert [shape for _, shape in shards(kernel.value)] == [(8, 3)] * 4
        assert [shape for _, shape in shards(bias.value)] == [(6,)] * 4
        kernel.assign(np.full((8, 6), 2.0))
        assert [shape for _, shape in shards(kernel.value)] == [(8, 3)] * 4
        with pytest.raises(ValueError, match="5 does not divide by its 2"), name_scope("dense"):
            kops.Variable(np.ones((3, 5), "float32"), layout=layouts["dense/kernel"])
    product = kops.matmul(np.ones((4, 8), "float32"), kernel)
    np.testing.assert_array_equal(engine().to_numpy(product), np.full((4, 6), 16.0))


@four_devices
def test_tensors_are_split_eagerly_and_in_jitted_code():
    import jax

    layout = TensorLayout(("batch", "model"), DeviceMesh((2, 2), ("batch", "model")))
    x = np.arange(24.0, dtype="float32").reshape(4, 6)
    eager = distribute_tensor(x, layout)
    jitted = jax.jit(lambda t: distribute_tensor(t * 2.0, layout))(x)
    assert shards(eager) == shards(jitted) == [(i, (2, 3)) for i in range(4)]
    np.testing.assert_array_equal(np.asarray(jitted), 2 * x)
    assert distribute_tensor(eager, layout) is eager
    with pytest.raises(ValueError, match="has 2 axes"):
        distribute_tensor(np.ones(4), layout)
