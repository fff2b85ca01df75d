"""From plain data to objects, under a Loader that says what the file may ask for."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import kspec
from ksave import codecs, context, lambdas, lookup, migrations
from ksave.limits import DEFAULT, Limits, UnsafeFileError
from ksave.registry import get_custom_objects
from kspec import public


class ConfigError(TypeError):
    """A class is known but cannot be made from the config in the file."""


class _Defaults:
    """What new loaders start from. A file cannot reach it: it names no function of `keras.config`."""

    unsafe = False


_SHAPE_KEYS = ("shape", "batch_shape", "input_shape", "batch_input_shape")
_MAX_DIM = 1 << 48


@public("keras.config.enable_unsafe_deserialization")
def enable_unsafe_deserialization() -> None:
    """Let loads that start from now on run code that is in files (lambdas), in this whole process.

    Prefer `safe_mode=False` in the one call that needs it.
    """
    _Defaults.unsafe = True


def disable_unsafe_deserialization() -> None:
    """Take `enable_unsafe_deserialization` back."""
    _Defaults.unsafe = False


def in_safe_mode() -> bool:
    """Whether the load that is going on may not run code that is in the file.

    A layer whose `from_config` would run such code asks this and refuses when it is true.
    """
    loader = context.loader.get()
    return loader.safe_mode if loader is not None else not _Defaults.unsafe


def claim_variable(shape: Any, itemsize: int) -> bool:
    """Count a variable that a layer is about to make while a file is loaded.

    A config of a few bytes can ask for any size. What a model in a file needs must stand in some proportion
    to the weights that the file has; this is asked before the memory is.

    Args:
        shape: the shape of the variable.
        itemsize: bytes of one number.

    Returns:
        Whether the file's weights will be loaded over it, so that random first values would be made for nothing.

    Raises:
        UnsafeFileError: the model needs far more than the file holds.
    """
    loader = context.loader.get()
    if loader is None or loader.budget is None:
        return False
    loader.budget["left"] -= math.prod(int(size) for size in shape) * itemsize
    if loader.budget["left"] < 0:
        raise UnsafeFileError(
            f"The model in the file needs far more memory than the weights in the file fill (at a variable of "
            f"shape {tuple(shape)}). The file is damaged, or made to exhaust memory."
        )
    return True


@dataclasses.dataclass
class Loader:
    """One load: what is allowed, what is known, and the objects made so far.

    Args:
        custom_objects: names in the file to classes and functions.
        safe_mode: refuse everything that would run code in the file.
        limits: the bounds of the file.
        module_objects: names that records without a module may have.
        namespaces: public namespaces in which records without a module are looked up.
        legacy: the records are those of Keras 1 and 2, which name no modules.
        shared: objects that several records are, by their number.
        budget: bytes that variables may still take (`{"left": bytes}`), see `claim_variable`.

    Example:
        >>> Loader(custom_objects={"Twice": Twice}).deserialize(config)
    """

    custom_objects: dict[str, Any] = dataclasses.field(default_factory=dict)
    safe_mode: bool = True
    limits: Limits = DEFAULT
    module_objects: dict[str, Any] = dataclasses.field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    legacy: bool = False
    shared: dict[Any, Any] = dataclasses.field(default_factory=dict)
    budget: dict[str, int] | None = None

    @functools.cached_property
    def public_names(self) -> dict[str, str]:
        """The public names of the installed libraries."""
        return kspec.known_names()

    def custom(self, name: str) -> Any:
        """What the user said a name means, or None."""
        for known in (self.custom_objects, *context.custom_scopes.get(), get_custom_objects()):
            if name in known:
                return known[name]
        return None

    def known_custom(self) -> list[str]:
        """All names that the user gave a meaning."""
        known = (self.custom_objects, *context.custom_scopes.get(), get_custom_objects())
        return [name for names in known for name in names]

    def deserialize(self, config: Any) -> Any:
        """Make the objects of a config; see `deserialize_keras_object`."""
        with context.active(context.loader, self):
            try:
                return self._any(config)
            except RecursionError as error:
                raise UnsafeFileError("The config is nested too deeply to be loaded.") from error

    def _any(self, config: Any) -> Any:
        if isinstance(config, str):
            known = self.custom(config)
            return config if known is None else known
        if isinstance(config, (list, tuple)):
            return type(config)([self._any(value) for value in config])
        if not isinstance(config, dict):
            return config
        if "class_name" not in config or "config" not in config:
            return {key: self._any(value) for key, value in config.items()}
        return self._record(config)

    def _record(self, record: dict[str, Any]) -> Any:
        tag = record["class_name"]
        if not isinstance(tag, str):
            raise TypeError(f"In a config 'class_name' is a string, not {tag!r}.")
        if tag == "__lambda__":
            return self._lambda(record["config"])
        if tag.startswith("__") and tag.endswith("__"):
            return self._value(tag, record["config"])
        number = record.get("shared_object_id")
        if number is not None and number in self.shared:
            return self.shared[number]
        if tag in ("function", "builtin_function_or_method"):
            return lookup.find_function(record, self)
        if tag == "type" and record.get("module") == "builtins":
            raise UnsafeFileError(f"The file wants the class {record['config']!r} itself as a value.")
        obj = self._object(record)
        if number is not None:
            self.shared[number] = obj
        return obj

    def _object(self, record: dict[str, Any]) -> Any:
        if self.legacy:
            record = migrations.migrate(record)
        cls = lookup.find_class(record, self)
        config = record["config"]
        if not isinstance(config, dict):
            raise TypeError(
                f"The 'config' of {record['class_name']} is a dictionary, not {type(config).__name__}."
            )
        check_shapes(config)
        try:
            obj = cls.from_config(dict(config))
        except RecursionError:
            raise
        except Exception as error:
            _raise_innermost(error)
            shown = {key: value for key, value in config.items() if not isinstance(value, (dict, list))}
            raise ConfigError(
                f"{record['class_name']} could not be made from its config: {type(error).__name__}: {error}\n"
                f"Plain values in the config: {shown}\n"
                "If the class takes other objects, its from_config() has to deserialize them; if an argument "
                "is unknown, get_config() and __init__() do not agree, or the file is of another version."
            ) from error
        build_config = record.get("build_config")
        if build_config and hasattr(obj, "build_from_config"):
            check_shapes(build_config)
            obj.build_from_config(build_config)
        compile_config = record.get("compile_config")
        if compile_config and hasattr(obj, "compile_from_config"):
            obj.compile_from_config(compile_config)
        return obj

    def _value(self, tag: str, config: Any) -> Any:
        if tag == "__tuple__":
            return tuple(self._any(value) for value in config.get("value", ()))
        decode = codecs.decoder(tag)
        if decode is None:
            raise lookup.UnknownObjectError(
                f"The file holds a value of kind {tag}, which no installed library reads. "
                "Symbolic tensors are read by klayers: pip install klayers."
            )
        if isinstance(config, dict):
            check_shapes(config)
        return decode(config)

    def _lambda(self, config: Any) -> Any:
        if self.safe_mode:
            raise UnsafeFileError(
                "The file holds a Python lambda, that is, code that would run on this machine. If you trust "
                "where the file comes from, load it with safe_mode=False. Better: save a named function that "
                "is registered with @keras.saving.register_keras_serializable()."
            )
        return lambdas.decode(config, {**get_custom_objects(), **self.custom_objects})


def _raise_innermost(error: BaseException | None) -> None:
    """Of errors that each explain the one inside, raise the innermost of ours: that is the one that helps."""
    chain = []
    while error is not None:
        chain.append(error)
        error = error.__cause__
    for link in reversed(chain):
        if isinstance(link, (UnsafeFileError, lookup.UnknownObjectError, ConfigError)):
            raise link


def check_shapes(config: Any) -> None:
    """Refuse shapes whose entries are not sizes (NaN, infinity, fractions, negative numbers)."""
    if not isinstance(config, dict):
        raise TypeError(f"A build config is a dictionary, not {type(config).__name__}.")
    for key in _SHAPE_KEYS:
        shape = config.get(key)
        for size in shape if isinstance(shape, (list, tuple)) else ():
            if isinstance(size, float) or (isinstance(size, int) and not (-1 <= size <= _MAX_DIM)):
                raise UnsafeFileError(f"{key} in the file is {shape}; {size} is not a size.")


@public("keras.utils.deserialize_keras_object", "keras.saving.deserialize_keras_object")
def deserialize_keras_object(
    config: Any, custom_objects: dict[str, Any] | None = None, safe_mode: bool = True, **kwargs: Any
) -> Any:
    """Make the object that `serialize_keras_object` turned into plain data.

    Inside a load that is already going on (from a layer's `from_config`), that load's safe mode, limits
    and custom objects hold: nothing inside a file can loosen them.

    Args:
        config: a record with `class_name` and `config`, a plain value, or lists and dictionaries of them.
        custom_objects: names in the config to classes and functions.
        safe_mode: refuse lambdas and classes that run code in the file.
        **kwargs: `module_objects` (a dictionary) or `namespaces` (public ones such as `"keras.layers"`)
            for records that name no module; `limits`.

    Raises:
        UnknownObjectError: (a TypeError) a name that is neither public nor registered.
        UnsafeFileError: (a ValueError) the config asks for something that is refused.

    Example:
        >>> deserialize_keras_object(serialize_keras_object(slice(0, 2)))
        slice(0, 2, None)
    """
    module_objects = kwargs.pop("module_objects", None) or {}
    namespaces = tuple(kwargs.pop("namespaces", ()))
    limits = kwargs.pop("limits", None)
    kwargs.pop("printable_module_name", None)
    if kwargs:
        raise TypeError(f"deserialize_keras_object() has no argument {sorted(kwargs)[0]!r}.")
    outer = context.loader.get()
    if outer is None:
        loader = Loader(
            custom_objects=dict(custom_objects or {}),
            safe_mode=safe_mode and not _Defaults.unsafe,
            limits=limits or DEFAULT,
            module_objects=module_objects,
            namespaces=namespaces,
        )
    elif custom_objects or module_objects or namespaces:
        loader = dataclasses.replace(
            outer,
            custom_objects={**outer.custom_objects, **(custom_objects or {})},
            module_objects=module_objects,
            namespaces=namespaces,
        )
    else:
        loader = outer
    return loader.deserialize(config)
