"""From plain data to objects, under a Loader that says what the file may ask for."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Callable

import kspec
from ksave import codecs, context, lambdas, lookup, migrations, versions
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError
from ksave.lookup import ConfigError
from ksave.registry import get_custom_objects
from kspec import public


class _Defaults:
    """What new loaders start from. A file cannot reach it: it names no function of `keras.config`."""

    unsafe = False


_MAX_DIM = 1 << 48
_SHOWN = 2000  # characters of a config in an error
_CALLS, _CALLS_OF_AN_OBJECT = 5_000, 200  # symbolic ones, see `claim_call`
_ATTEMPTS = 1000  # to make objects without arguments that are not known


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
        Whether the file's weights will be loaded over it, so that a first value would be made for nothing. Then the
        variable may wait for them, and `when_loaded` is told how to make its first value in case none came.

    Raises:
        UnsafeFileError: the model needs far more than the file holds.
    """
    loader = context.loader.get()
    if loader is None or loader.budget is None or None in tuple(shape):
        return False
    loader.budget["left"] -= math.prod(int(size) for size in shape) * itemsize
    if loader.budget["left"] < 0:
        raise UnsafeFileError(
            f"The model in the file needs far more memory than the weights in the file fill (at a variable of "
            f"shape {tuple(shape)}). The file is damaged, or made to exhaust memory."
        )
    return loader.waiting is not None


def claim_call() -> None:
    """Count that a layer is called symbolically while a file is loaded.

    Models in models that call each other twice double the work at each level; what a file of a few layers may cost
    stands in proportion to the objects in it.

    Raises:
        UnsafeFileError: there were far more calls than the file has objects.
    """
    loader = context.loader.get()
    if loader is None:
        return
    loader.work["left"] -= 1
    if loader.work["left"] < 0:
        raise UnsafeFileError("The models in the file call each other so often that loading it would hardly end.")


def when_loaded(callback: Callable[[], None]) -> None:
    """Have something called when the model that is being loaded has its weights; see `claim_variable`."""
    loader = context.loader.get()
    if loader is None or loader.waiting is None:
        callback()
    else:
        loader.waiting.append(callback)


@dataclasses.dataclass
class Loader:
    """One load: what is allowed, what is known, and the objects made so far.

    Args:
        custom_objects: names in the file to classes and functions.
        safe_mode: refuse everything that would run code in the file.
        limits: the bounds of the file.
        module_objects: names that records without a module may have.
        namespaces: public namespaces in which records without a module are looked up.
        legacy: the records are those of `.h5` files, which name no modules.
        before_3: the records are those of Keras 1 and 2, whose classes and arguments have other names.
        newer: the file is of a version that is not known here.
        notes: what was read differently from how it stands in the file, in words, and how often.
        shared: objects that several records are, by their number.
        budget: bytes that variables may still take (`{"left": bytes}`), see `claim_variable`.
        waiting: what `finish` calls when all weights are read; None if nobody will call it.
        work: how many more calls of layers the objects made so far allow, see `claim_call`.

    Example:
        >>> Loader(custom_objects={"Twice": Twice}).deserialize(config)
    """

    custom_objects: dict[str, Any] = dataclasses.field(default_factory=dict)
    safe_mode: bool = True
    limits: Limits = DEFAULT
    module_objects: dict[str, Any] = dataclasses.field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    legacy: bool = False
    before_3: bool = False
    newer: bool = False
    notes: dict[str, int] = dataclasses.field(default_factory=dict)
    shared: dict[Any, Any] = dataclasses.field(default_factory=dict)
    budget: dict[str, int] | None = None
    waiting: list[Callable[[], None]] | None = None
    work: dict[str, int] = dataclasses.field(default_factory=lambda: {"left": _CALLS})

    def finish(self) -> None:
        """Call what waited for the weights."""
        waiting, self.waiting = self.waiting, None
        for callback in waiting or ():
            callback()

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
            raise ConfigError(f"In a config 'class_name' is a string, not {tag!r}.")
        if tag == "__lambda__":
            return self._lambda(record["config"])
        if tag.startswith("__") and tag.endswith("__"):
            return self._value(tag, record["config"])
        number = record.get("shared_object_id")
        if number is not None and not isinstance(number, int):
            raise ConfigError(f"In a config 'shared_object_id' is a number, not {number!r}.")
        kind = (record.get("module"), tag, record.get("registered_name"))
        if number is not None and number in self.shared:
            obj, other = self.shared[number]
            if kind != other:
                raise UnsafeFileError(
                    f"Object {number} of the file is a {other[1]!r} and a {tag!r}; readers would disagree."
                )
            return obj
        if tag in ("function", "builtin_function_or_method"):
            return lookup.find_function(record, self)
        if tag == "type" and record.get("module") == "builtins":
            raise UnsafeFileError(f"The file wants the class {record['config']!r} itself as a value.")
        obj = self._object(record)
        if number is not None:
            self.shared[number] = obj, kind
        return obj

    def _object(self, record: dict[str, Any]) -> Any:
        if not isinstance(record["config"], (dict, list)):
            raise ConfigError(
                f"The 'config' of {record['class_name']} is a dictionary, not {type(record['config']).__name__}."
            )
        if self.before_3 and ("layers" in record["config"] or self.custom(record["class_name"]) is None):
            record = self._migrated(record)
        cls = lookup.find_class(record, self)
        config = record["config"]
        if not isinstance(config, dict):
            raise ConfigError(f"The 'config' of {record['class_name']} is a dictionary, not a list.")
        check_shapes(config)
        self.work["left"] += _CALLS_OF_AN_OBJECT
        try:
            obj = cls.from_config(dict(config))
        except (RecursionError, MemoryError):
            raise
        except Exception as error:
            _raise_innermost(error)
            known = versions.without_unknown(config, error) if self.newer else None
            if known is not None:
                for argument in sorted({*config} - {*known}):
                    note = f"{record['class_name']}: left out {argument}, which is not known yet"
                    self.notes[note] = self.notes.get(note, 0) + 1
                if sum(self.notes.values()) > _ATTEMPTS:  # objects inside are made anew each time
                    raise UnsafeFileError("The file has too many arguments that are not known.") from error
                return self._object({**record, "config": known})
            shown = {key: value for key, value in config.items() if not isinstance(value, (dict, list))}
            words = f"{type(error).__name__}: {str(error)[:_SHOWN]}"
            raise ConfigError(
                f"{record['class_name']} could not be made from its config: {words}\n"
                f"Plain values in the config: {str(shown)[:_SHOWN]}\n"
                "If the class takes other objects, its from_config() has to deserialize them; if an argument "
                "is unknown, get_config() and __init__() do not agree, or the file is of another version."
            ) from error
        for key in ("build", "compile"):
            further = record.get(f"{key}_config")
            if further and hasattr(obj, f"{key}_from_config"):
                self.further(obj, key, further, record["class_name"])
        return obj

    def _migrated(self, record: dict[str, Any]) -> dict[str, Any]:
        try:
            return migrations.migrate(record, self.notes)
        except lookup.UnknownObjectError:
            raise
        except (TypeError, KeyError, IndexError, AttributeError) as error:
            raise ConfigError(
                f"The record of {record['class_name']} is not of the form that an earlier version wrote: "
                f"{type(error).__name__}: {str(error)[:_SHOWN]}"
            ) from error

    def further(self, obj: Any, key: str, config: Any, class_name: str) -> None:
        """Build or compile an object as it was when it was saved."""
        if not isinstance(config, dict):
            raise ConfigError(f"The '{key}_config' of {class_name} is a dictionary, not {type(config).__name__}.")
        check_shapes(config)
        try:
            getattr(obj, f"{key}_from_config")(config)
        except (RecursionError, MemoryError):
            raise
        except Exception as error:
            _raise_innermost(error)
            raise ConfigError(
                f"{class_name} could not be put into the state of its {key}_config: {type(error).__name__}: "
                f"{str(error)[:_SHOWN]}\nThe {key}_config: {str(config)[:_SHOWN]}"
            ) from error

    def _value(self, tag: str, config: Any) -> Any:
        if not isinstance(config, dict):
            raise ConfigError(f"The 'config' of {tag} is a dictionary, not {type(config).__name__}.")
        if tag == "__tuple__":
            items = config.get("value", [])
            return tuple(self._any(item) for item in (items if isinstance(items, list) else [items]))
        decode = codecs.decoder(tag)
        if decode is None:
            raise lookup.UnknownObjectError(
                f"The file holds a value of kind {tag}, which no installed library reads. "
                "Symbolic tensors are read by klayers: pip install klayers."
            )
        check_shapes(config)
        try:
            return decode(config)
        except (UnsafeFileError, CorruptFileError, RecursionError, MemoryError):
            raise
        except Exception as error:
            raise CorruptFileError(f"A value of kind {tag} in the file is damaged: {error!r:.500}") from error

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


def check_shapes(config: dict[str, Any]) -> None:
    """Refuse shapes whose entries are not sizes (NaN, infinity, fractions, negative numbers)."""
    for key, value in config.items():
        if isinstance(key, str) and "shape" in key:
            waiting = [value]
            while waiting:
                shape = waiting.pop()
                if isinstance(shape, dict) and "class_name" not in shape:
                    waiting += shape.values()
                for size in shape if isinstance(shape, (list, tuple)) else ():
                    if isinstance(size, (list, tuple, dict)):
                        waiting.append(size)
                    elif isinstance(size, float) or (isinstance(size, int) and not -1 <= size <= _MAX_DIM):
                        raise UnsafeFileError(f"{key} in the file has the entry {size}, which is not a size.")


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
