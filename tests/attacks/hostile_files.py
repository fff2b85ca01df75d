"""Real models saved to real files, with something else put into their configs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any, Callable

import h5py
import numpy as np

import keras
import ksave


def small_model() -> Any:
    """A compiled model of two layers."""
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, "relu"), keras.layers.Dense(2)])
    model.compile("adam", "mse")
    return model


def changed_copy(source: Path, target: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """A copy of a `.keras` or legacy `.h5` file with another config."""
    if source.suffix == ".h5":
        target.write_bytes(source.read_bytes())
        with h5py.File(target, "a") as file:
            config = json.loads(file.attrs["model_config"])
            file.attrs["model_config"] = json.dumps(change(config) or config)
        return target
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "config.json":
                config = json.loads(content)
                content = json.dumps(change(config) or config).encode()
            new.writestr(name, content)
    return target


def record(module: Any, name: Any, config: Any = None, registered: Any = None, **more: Any) -> dict[str, Any]:
    """A record as it stands in configs."""
    config = {} if config is None else config
    return {"module": module, "class_name": name, "config": config, "registered_name": registered, **more}


def function(module: str, name: str) -> dict[str, Any]:
    """The record of a function."""
    return record(module, "function", name, "function")


def code(mark: Path) -> dict[str, Any]:
    """The record of a lambda that leaves a mark when it is called; it has no other names than its own."""
    from ksave import lambdas

    run = eval(f"lambda x: [x, open({str(mark)!r}, 'w').close()][0]")
    return {"class_name": "__lambda__", "config": lambdas.encode(run)}


# Things that a config may try to have as a value. None may be loaded, made or called.
def gadgets(mark: Path, outside: Path) -> dict[str, Any]:
    """Hostile values by name; `mark` is made by those that run, `outside` is read by those that read."""
    address = {"origin": outside.as_uri(), "fname": "x", "cache_dir": str(mark)}
    return {
        "code": code(mark),
        "os_system": function("os", "system"),
        "os_system_as_a_class": record("os", "system", {"command": f"touch {mark}"}),
        "eval": function("builtins", "eval"),
        "exec": record("builtins", "builtin_function_or_method", "exec"),
        "popen": record("subprocess", "Popen", {"args": ["touch", str(mark)]}, "subprocess>Popen"),
        "import": record("antigravity", "Thing"),
        "numpy_load": record("numpy", "load", {"file": str(outside), "allow_pickle": True}),
        "get_file": record("keras.utils", "get_file", address),
        "get_file_function": function("keras.utils", "get_file"),
        "get_file_by_bare_name": function("builtins", "get_file"),
        "unsafe_switch": record("keras.config", "enable_unsafe_deserialization"),
        "unsafe_switch_function": function("keras.config", "enable_unsafe_deserialization"),
        "load_model": record("keras.saving", "load_model", {"filepath": str(outside), "safe_mode": False}),
        "load_model_function": function("keras.models", "load_model"),
        "set_backend": function("keras.config", "set_backend"),
        "save_img": function("keras.utils", "save_img"),
        "load_img": function("keras.utils", "load_img"),
        "export": record("keras.export", "ExportArchive"),
        "deserialize": function("keras.layers", "deserialize"),
        "deserialize_of_activations": function("keras.activations", "deserialize"),
        "get_by_bare_name": function("builtins", "get"),
        "dataset": function("keras.datasets.mnist", "load_data"),
        "application": function("keras.applications.vgg16", "VGG16"),
        "callback": record("keras.callbacks", "CSVLogger", {"filename": str(mark)}),
        "remote_callback": record("keras.callbacks", "RemoteMonitor", {"root": "http://127.0.0.1:1"}),
        "backup": record("keras.callbacks", "BackupAndRestore", {"backup_dir": str(mark)}),
        "saved_model": record("keras.layers", "TFSMLayer", {"filepath": str(outside), "call_endpoint": "serve"}),
        "torch_module": record("keras.layers", "TorchModuleWrapper", {"module": "gASVHAAAAAAAAACMAm9z"}),
        "jax_function": record("keras.layers", "JaxLayer", {"call_fn": function("os", "system")}),
        "built_in_registered_as_another": record("keras.layers", "Dense", {"units": 1}, "builtins.eval"),
        "look_alike": record("keras.layers", "D\u0435nse", {"units": 1}),
        "internal_module": record("keras.src.utils.file_utils", "get_file", address),
        "engine": function("keras.src.backend.tensorflow.core", "convert_to_tf_function"),
        "our_own_module": record("ksave.lambdas", "decode", {}),
        "class_itself": record("builtins", "type", "Dense"),
        "array_of_objects": {"class_name": "__numpy__", "config": {"value": ["x"], "dtype": "object"}},
        "array_of_long_texts": {"class_name": "__numpy__", "config": {"value": ["x"], "dtype": "U500000000"}},
        "tensor_of_texts": {"class_name": "__tensor__", "config": {"value": ["x"], "dtype": "S2000000000"}},
        "symbolic_nan": {"class_name": "__keras_tensor__", "config": {"shape": [float("nan")], "dtype": "float32"}},
        "unknown_tag": {"class_name": "__reduce__", "config": {"value": "os.system"}},
    }


def zeros(model: Any) -> Any:
    """A prediction, to see that a model works."""
    return model.predict(np.zeros((1, 4), "float32"), verbose=0)


REFUSALS = (ValueError, TypeError)
assert issubclass(ksave.UnsafeFileError, REFUSALS) and issubclass(ksave.UnknownObjectError, REFUSALS)
