"""What can be done to JSON: to its text, and to what a config in it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

NAN = float("nan")
INFINITY = float("inf")


def record(module: Any, name: Any, config: Any = None, registered: Any = None, **more: Any) -> dict[str, Any]:
    """A record as it stands in configs."""
    config = {} if config is None else config
    return {"module": module, "class_name": name, "config": config, "registered_name": registered, **more}


# -- text: refused by whoever reads it -------------------------------------------------------------------


def _first_key_again(text: bytes, escaped: bool = False) -> bytes:
    key = next(iter(json.loads(text)))
    written = f"\\u{ord(key[0]):04x}{key[1:]}" if escaped else key
    return f'{{"{written}": "Other", '.encode() + text.lstrip()[1:]


TEXT: dict[str, Callable[[bytes], bytes]] = {
    "deep_lists": lambda text: b"[" * 5000 + b"]" * 5000,
    "deep_objects": lambda text: b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "deep_and_never_closed": lambda text: b"[" * 100_000,
    "deep_inside_a_model": lambda text: text.rstrip()[:-1] + b', "x": ' + b"[" * 500 + b"]" * 500 + b"}",
    "key_twice": _first_key_again,
    "key_twice_by_escapes": lambda text: _first_key_again(text, escaped=True),
    "number_without_end": lambda text: b'{"class_name": "X", "config": ' + b"9" * 100_000 + b"}",
    "not_utf8": lambda text: b'{"class_name": \xff}',
    "utf16": lambda text: text.decode().encode("utf-16"),
    "pickle": lambda text: b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    "no_object": lambda text: b'["class_name", "config"]',
    "cut_short": lambda text: text[: len(text) // 2],
    "empty": lambda text: b"",
}

# -- configs: refused by whoever makes objects of them ----------------------------------------------------

CODE = {"class_name": "__lambda__", "config": {"value": ["4wEAAAA=", None, None]}}
UNSAFE_SWITCH = record("keras.config", "enable_unsafe_deserialization")

RECORDS: dict[str, Any] = {
    "os_system": record("os", "system", "echo owned", "system"),
    "os_system_as_a_class": record("os", "system", {"command": "echo owned"}),
    "builtins_eval": record("builtins", "eval", {"source": "1"}),
    "eval_as_a_function": record("builtins", "function", "eval"),
    "exec_as_a_builtin": record("builtins", "builtin_function_or_method", "exec"),
    "os_system_as_a_function": record("os", "function", "system"),
    "dotted_function": record("builtins", "function", "os.system"),
    "subprocess": record("subprocess", "Popen", {"args": ["true"]}, "Popen"),
    "import_module": record("importlib", "import_module", {"name": "antigravity"}),
    "module_that_runs_when_imported": record("antigravity", "Thing"),
    "module_beside_the_file": record("evil_module", "Twice", {}, "Twice"),
    "module_of_this_library": record("ksave.lambdas", "decode", {}),
    "class_of_this_library": record("ksave.deserialize", "Loader", {"safe_mode": False}),
    "numpy_load": record("numpy", "load", {"file": "x.npy", "allow_pickle": True}),
    "dunder_of_a_module": record("keras.layers", "__init__"),
    "dunder_of_a_class": record("keras.layers.Dense", "__init__"),
    "private_place": record("keras.src.utils.file_utils", "get_file", {"origin": "http://127.0.0.1:1/"}),
    "name_in_an_inner_place": record("keras", "layers.Dense"),
    "function_in_an_inner_place": record("keras.ops", "function", "nn.relu"),
    "one_object_of_two_classes": [
        record("keras.layers", "Dense", {}, None, shared_object_id=1),
        record("keras.layers", "Chain", {}, None, shared_object_id=1),
    ],
    "path_in_a_name": record("keras", "layers/../../evil"),
    "download_as_a_class": record("keras.utils", "get_file", {"origin": "http://127.0.0.1:1/x"}),
    "download_as_a_function": record("keras.utils", "function", "get_file"),
    "unsafe_switch": UNSAFE_SWITCH,
    "unsafe_switch_as_a_function": record("keras.config", "function", "enable_unsafe_deserialization"),
    "unsafe_switch_by_its_bare_name": record("builtins", "function", "enable_unsafe_deserialization"),
    "unsafe_switch_and_code": [UNSAFE_SWITCH, CODE],
    "load_model": record("keras.saving", "load_model", {"filepath": "x.keras", "safe_mode": False}),
    "load_model_as_a_function": record("keras.saving", "function", "load_model"),
    "deserialize_as_a_function": record("keras.activations", "function", "deserialize"),
    "deserialize_by_its_bare_name": record("builtins", "function", "deserialize"),
    "function_in_place_of_a_class": record("keras.activations", "relu"),
    "class_in_place_of_a_function": record("keras.layers", "function", "Dense"),
    "class_by_its_bare_name": record("builtins", "function", "Dense"),
    "class_itself": record("builtins", "type", "Dense"),
    "class_without_from_config": record("keras.utils", "Plain"),
    "callback": record("keras.callbacks", "Callback", {}),
    "look_alike": record("keras.layers", "D\u0435nse"),
    "look_alike_module": record("ker\u0430s.layers", "Dense"),
    "full_width": record("keras.layers", "\uff24\uff45\uff4e\uff53\uff45"),
    "invisible_character": record("keras.layers", "Den\u200bse"),
    "built_in_registered_as_another": record("keras.layers", "Dense", {}, "shop>Evil"),
    "built_in_registered_as_eval": record("keras.layers", "Dense", {}, "builtins.eval"),
    "another_registered_under_a_built_in_name": record("my.layers", "Dense", {"name": "x"}, "fake>Adam"),
    "registered_name_is_a_number": record("keras.layers", "Dense", {}, 3),
    "module_is_a_list": record(["keras.layers"], "Dense"),
    "class_name_is_a_list": record("keras.layers", ["Dense"]),
    "class_name_is_an_object": record("keras.layers", {"a": 1}),
    "config_is_a_list": record("keras.layers", "Dense", [1, 2]),
    "config_is_a_text": record("keras.layers", "Dense", "text"),
    "shared_number_is_a_list": record("keras.layers", "Dense", {}, None, shared_object_id=[1]),
    "saved_model": record("keras.layers", "TFSMLayer", {"filepath": "/tmp/evil", "call_endpoint": "serve"}),
    "torch_module": record("keras.layers", "TorchModuleWrapper", {"module": "gASVHAAAAAAAAACMAm9z"}),
    "torch_module_by_an_old_path": record("keras.src.utils.torch_utils", "TorchModuleWrapper", {"module": "gA=="}),
    "shape_nan": record("keras.layers", "Dense", {"batch_shape": [None, NAN]}),
    "shape_infinite": record("keras.layers", "Dense", {"batch_shape": [None, INFINITY]}),
    "shape_fraction": record("keras.layers", "Dense", {"input_shape": [None, 1.5]}),
    "shape_inside": record("keras.layers", "Dense", {"shapes": {"a": [[None, NAN]]}}),
    "shape_beyond_measure": record("keras.layers", "Dense", {"shape": [1 << 60]}),
    "shape_negative": record("keras.layers", "Dense", {"shape": [-7]}),
    "build_shape_nan": record("keras.layers", "Dense", {}, None, build_config={"input_shape": [None, NAN]}),
    "build_config_is_a_list": record("keras.layers", "Dense", {}, None, build_config=[1]),
    "code": CODE,
    "code_in_a_tuple": {"class_name": "__tuple__", "config": {"value": [CODE]}},
    "array_of_objects": {"class_name": "__numpy__", "config": {"value": ["x"], "dtype": "object"}},
    "array_of_long_texts": {"class_name": "__numpy__", "config": {"value": ["x"] * 9, "dtype": "U500000000"}},
    "array_of_arrays": {"class_name": "__numpy__", "config": {"value": [1], "dtype": "(30000,30000)f4"}},
    "array_of_structs": {"class_name": "__numpy__", "config": {"value": [1], "dtype": "f4,f4"}},
    "array_of_attributes": {"class_name": "__numpy__", "config": {"value": [1], "dtype": "__class__"}},
    "array_without_values": {"class_name": "__numpy__", "config": {}},
    "tensor_of_long_texts": {"class_name": "__tensor__", "config": {"value": ["x"], "dtype": "S2000000000"}},
    "slice_of_nothing": {"class_name": "__slice__", "config": {}},
    "bytes_of_a_number": {"class_name": "__bytes__", "config": {"value": 3}},
    "tag_without_a_meaning": {"class_name": "__nothing__", "config": {}},
    "tag_of_python": {"class_name": "__reduce__", "config": {"value": "os.system"}},
}


def _model(text: bytes) -> dict[str, Any]:
    return dict(json.loads(text))


def _as_the_model(text: bytes, hostile: Any) -> bytes:
    return json.dumps(hostile if isinstance(hostile, dict) else hostile[0]).encode()


def _as_a_layer(text: bytes, hostile: Any) -> bytes:
    model = _model(text)
    model["config"]["layers"] += hostile if isinstance(hostile, list) else [hostile]
    return json.dumps(model).encode()


def _as_an_argument(text: bytes, hostile: Any) -> bytes:
    model = _model(text)
    model["config"]["layers"][0]["config"]["act"] = {"inside": [hostile]}
    return json.dumps(model).encode()


PLACES: dict[str, Callable[[bytes, Any], bytes]] = {
    "model": _as_the_model,
    "layer": _as_a_layer,
    "argument": _as_an_argument,
}

# -- indices of sharded weights ---------------------------------------------------------------------------

INDICES: dict[str, Any] = {
    "parent": {"weight_map": {"/vars": ["../x.weights.h5"]}},
    "absolute": {"weight_map": {"/vars": ["/etc/passwd"]}},
    "folder": {"weight_map": {"/vars": ["sub/x.weights.h5"]}},
    "backslash": {"weight_map": {"/vars": ["..\\x.weights.h5"]}},
    "address": {"weight_map": {"/vars": ["http://127.0.0.1:1/x.weights.h5"]}},
    "empty": {"weight_map": {"/vars": [""]}},
    "number": {"weight_map": {"/vars": [7]}},
    "number_in_place_of_a_list": {"weight_map": {"/vars": 7}},
    "list": [],
    "no_map": {"metadata": {}},
    "missing_file": {"weight_map": {"/vars": ["missing.weights.h5"]}},
}
