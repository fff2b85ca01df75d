"""From objects to plain data: the records that stand in `config.json`."""

from __future__ import annotations

import contextlib
import types
from typing import Any, Iterator

from ksave import codecs, context, lambdas
from ksave.registry import registered_as
from kspec import public, public_name

_PLAIN = (str, bool, int, float, type(None))
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)


class Sharing:
    """Remembers which objects were written, so that a file says that two records are one object."""

    def __init__(self) -> None:
        self._ids: dict[int, int] = {}
        self._uses: dict[int, int] = {}
        self._kept: list[Any] = []  # an id() is only unique as long as its object lives

    def mark(self, obj: Any) -> int:
        """The number of an object in this file."""
        key = id(obj)
        if key not in self._ids:
            self._ids[key] = len(self._ids) + 1
            self._kept.append(obj)
        number = self._ids[key]
        self._uses[number] = self._uses.get(number, 0) + 1
        return number

    def prune(self, config: Any) -> Any:
        """Take the numbers of objects that stand only once out of the finished data."""
        if isinstance(config, dict):
            number = config.get("shared_object_id")
            if number is not None and "class_name" in config and self._uses.get(number, 0) < 2:
                del config["shared_object_id"]
            for value in config.values():
                self.prune(value)
        elif isinstance(config, list):
            for value in config:
                self.prune(value)
        return config


@contextlib.contextmanager
def object_sharing() -> Iterator[Sharing]:
    """Inside the block, records carry a `shared_object_id`; call `prune` on the result."""
    with context.active(context.sharing, Sharing()) as sharing:
        yield sharing


def class_record(cls: type) -> dict[str, Any]:
    """`module`, `class_name` and `registered_name` of a class as files carry them."""
    registered = registered_as(cls)
    name = public_name(cls)
    internal = codecs.internal_name(cls)
    if registered is None and internal is None and name is None and codecs.load_plugins():
        # The library of the class had not yet said how files name it.
        internal = codecs.internal_name(cls)
    if registered is None and internal is not None:
        return {"module": internal[0], "class_name": internal[1], "registered_name": internal[1]}
    if registered is None and name is not None:
        module, _, class_name = name.rpartition(".")
        return {"module": module, "class_name": class_name, "registered_name": None}
    own = None if cls.__module__ == "__main__" else cls.__module__
    return {"module": own, "class_name": cls.__name__, "registered_name": registered or cls.__name__}


@public("keras.utils.serialize_keras_object", "keras.saving.serialize_keras_object")
def serialize_keras_object(obj: Any) -> Any:
    """Turn an object into plain data that can be written as JSON.

    Args:
        obj: a layer or any other object with `get_config()`, a function, an array or tensor, a Python
            value, or lists, tuples and dictionaries of these. Tuples become lists.

    Returns:
        For an object a dictionary with `module`, `class_name`, `config`, `registered_name`, and
        `build_config` and `compile_config` where the object has them.

    Raises:
        TypeError: the object has no `get_config()` and no codec is registered for it.

    Example:
        >>> serialize_keras_object((1, slice(2)))
        [1, {'class_name': '__slice__', 'config': {'start': None, 'stop': 2, 'step': None}}]
    """
    if isinstance(obj, _PLAIN):
        return obj
    if type(obj) is dict or (isinstance(obj, dict) and not hasattr(obj, "get_config")):
        return serialize_dict(obj)
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "get_config"):
        return [serialize_keras_object(value) for value in obj]
    kind = type(obj)
    codec = codecs.encoder(obj)
    if codec is None and kind.__module__ != "numpy" and not hasattr(obj, "get_config") and codecs.load_plugins():
        codec = codecs.encoder(obj)
    if codec is not None:
        data = codec.encode(obj)  # type: ignore[misc]
        return data if codec.tag is None else {"class_name": codec.tag, "config": data}
    if all(hasattr(obj, name) for name in ("dtype", "ndim", "tolist", "item")) and not isinstance(obj, type):
        return codecs.encode_array(obj)
    if kind.__module__ == "numpy.dtypes":
        return obj.name
    if isinstance(obj, type):
        if obj.__module__ in ("numpy", "ml_dtypes") and hasattr(obj, "itemsize"):
            return obj.__name__  # a dtype: `np.float32` is "float32"
        raise TypeError(
            f"Cannot write the class {obj.__name__} to a config; only objects can be written. "
            "Give an instance, or the name of the class as a string."
        )
    if hasattr(obj, "get_config"):
        return _object_record(obj)
    if isinstance(obj, _FUNCTIONS) or registered_as_function(obj):
        return function_record(obj)
    raise TypeError(
        f"Cannot write {obj!r} of type {kind.__name__} to a config. "
        "Give its class a get_config() method that returns its constructor arguments, and a from_config()."
    )


def registered_as_function(obj: Any) -> bool:
    """Whether a callable object is public or registered, so that its name can stand for it."""
    if not callable(obj):
        return False
    try:
        return registered_as(obj) is not None or public_name(obj) is not None
    except TypeError:  # unhashable
        return False


def function_record(function: Any) -> dict[str, Any]:
    """The record of a function: its registered name, its own name, or a lambda's byte code."""
    name = registered_as(function) or function.__name__
    if name == "<lambda>":
        return {"class_name": "__lambda__", "config": lambdas.encode(function)}
    kind = "function" if registered_as_function(function) else type(function).__name__
    return {"module": "builtins", "class_name": kind, "config": name, "registered_name": kind}


def serialize_dict(config: dict[Any, Any]) -> dict[Any, Any]:
    """`serialize_keras_object` of every value."""
    return {
        key if isinstance(key, _PLAIN) else str(key): serialize_keras_object(value) for key, value in config.items()
    }


def _object_record(obj: Any) -> dict[str, Any]:
    names = class_record(type(obj))
    record: dict[str, Any] = {
        "module": names["module"],
        "class_name": names["class_name"],
        "config": serialize_dict(obj.get_config()),
        "registered_name": names["registered_name"],
    }
    for key in ("build_config", "compile_config"):
        getter = getattr(obj, f"get_{key}", None)
        config = getter() if getter is not None else None
        if config is not None:
            record[key] = serialize_dict(config)
    sharing = context.sharing.get()
    if sharing is not None:
        record["shared_object_id"] = sharing.mark(obj)
    return record
