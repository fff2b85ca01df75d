"""Extension points: how values and classes of other libraries stand in a config.

ksave knows Python values, numpy arrays, slices, `...`, bytes and functions. Tensors, symbolic tensors,
dtypes and graph nodes belong to the libraries above, which register their forms here. They also offer a
plug-in of kind `"serialization"` (a function without arguments that makes the registrations), so that a
file can be loaded before anything else has been imported.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, NamedTuple

import kspec
from ksave.limits import CorruptFileError, UnsafeFileError


class Codec(NamedTuple):
    """One kind of value: how to tell it, write it and read it."""

    tag: str | None
    matches: Callable[[Any], bool] | None
    encode: Callable[[Any], Any] | None
    decode: Callable[[dict[str, Any]], Any] | None


_codecs: list[Codec] = []
_decoders: dict[str, Callable[[dict[str, Any]], Any]] = {}
_resolvers: list[tuple[str, Callable[[str, str], Any]]] = []
_classes: dict[tuple[str, str], type] = {}
_class_names: dict[type, tuple[str, str]] = {}
_loaded_plugins: set[str] = set()
_ALL = ""  # stands in _loaded_plugins when there is nothing more to load


def register_codec(
    tag: str | None,
    matches: type | tuple[type, ...] | Callable[[Any], bool] | None = None,
    encode: Callable[[Any], Any] | None = None,
    decode: Callable[[dict[str, Any]], Any] | None = None,
) -> None:
    """Say how a kind of value is written to a config and read from it.

    Args:
        tag: the `class_name` in the file, as `"__tensor__"`. None for values that are written as plain
            JSON or as a complete record of their own (a dtype, a graph node).
        matches: the type or types, or a function of an object that says whether this codec encodes it.
            The codec registered last is asked first.
        encode: from the object to the record's `config`; with `tag=None` to everything that is written.
        decode: from the `config` in a file to the object.

    Example:
        >>> register_codec("__complex__", complex, lambda z: {"re": z.real, "im": z.imag},
        ...                lambda config: complex(config["re"], config["im"]))
    """
    if isinstance(matches, (type, tuple)):
        types = matches
        test: Callable[[Any], bool] | None = lambda obj: isinstance(obj, types)
    else:
        test = matches
    if test is not None and encode is not None:
        _codecs.insert(0, Codec(tag, test, encode, decode))
    if tag is not None and decode is not None:
        _decoders[tag] = decode


def register_class_resolver(prefix: str, resolver: Callable[[str, str], Any]) -> None:
    """Say where the classes of a module path that only stands in files are found.

    Args:
        prefix: a dotted path, as `"keras.src.ops"`; it and all below it are asked of `resolver`.
        resolver: `(module, class_name)` to an object with `from_config`, or None when it does not know
            the class. It must never import `module`.
    """
    _resolvers.insert(0, (prefix, resolver))


def register_internal_class(module: str, class_name: str, cls: type) -> None:
    """Give a class that has no public name the place that files of Keras carry for it.

    The record then reads `module`, `class_name` and `registered_name = class_name`. Where several
    classes are registered for one place the last one is what files load to.

    Example:
        >>> register_internal_class("keras.src.models.functional", "Functional", Functional)
    """
    _classes[module, class_name] = cls
    _class_names[cls] = (module, class_name)


def load_plugins() -> bool:
    """Let the installed libraries register what they have; True when something new was loaded."""
    if _ALL in _loaded_plugins:
        return False
    fresh = [name for name in kspec.known_plugins("serialization") if name not in _loaded_plugins]
    floors = {name: floor for floor, name in enumerate(kspec.LIBRARIES)}
    for name in sorted(fresh, key=lambda name: (floors.get(name, len(floors)), name)):
        _loaded_plugins.add(name)  # before it runs: its own imports may come back here
        try:
            kspec.find_plugin("serialization", name)()
        except BaseException:
            _loaded_plugins.discard(name)
            raise
    _loaded_plugins.add(_ALL)
    return bool(fresh)


def encoder(obj: Any) -> Codec | None:
    """The codec that writes `obj`, or None."""
    for codec in _codecs:
        if codec.matches(obj):  # type: ignore[misc]
            return codec
    return None


def decoder(tag: str) -> Callable[[dict[str, Any]], Any] | None:
    """The function that reads records with this tag, or None."""
    if tag not in _decoders:
        load_plugins()
    return _decoders.get(tag)


def internal_name(cls: type) -> tuple[str, str] | None:
    """Module and class name that a file carries for a class without a public name."""
    return _class_names.get(cls)


def internal_class(module: str, class_name: str) -> Any:
    """What a library registered for this place in files, or None."""
    for attempt in range(2):
        found = _classes.get((module, class_name))
        if found is not None:
            return found
        for prefix, resolver in _resolvers:
            if module == prefix or module.startswith(prefix + "."):
                found = resolver(module, class_name)
                if found is not None:
                    return found
        if attempt or not load_plugins():
            return None
    return None


# -- values that need no other library ------------------------------------------------------------------


def _numpy() -> Any:
    return importlib.import_module("numpy")


def numpy_dtype(name: Any) -> Any:
    """The numpy dtype of a name, bfloat16 and float8 included; object dtypes are refused."""
    numpy = _numpy()
    if not isinstance(name, str):
        raise CorruptFileError(f"A dtype is a name such as 'float32', not {name!r}.")
    try:
        dtype = numpy.dtype(name)
    except TypeError:
        ml_dtypes = importlib.import_module("ml_dtypes")
        scalar = getattr(ml_dtypes, name, None)
        if not isinstance(scalar, type):
            raise CorruptFileError(f"Unknown dtype {name!r}.") from None
        dtype = numpy.dtype(scalar)
    if dtype.hasobject:
        raise UnsafeFileError(f"Arrays of dtype {name!r} hold Python objects and are not read from files.")
    if not 0 <= dtype.itemsize <= 16 or dtype.fields or dtype.subdtype:
        # A name such as "U1000000000" or "(1000,1000)f4" makes a large array of a small one.
        raise UnsafeFileError(f"{name!r} is not the dtype of an array of numbers.")
    return dtype


def encode_array(array: Any) -> Any:
    """The JSON form of a numpy array: nested lists and the dtype's name; a plain number for rank 0."""
    if array.ndim == 0:
        return array.item()
    if array.dtype.kind in "OSUMmc" or array.dtype.names:
        raise TypeError(
            f"Cannot write an array of dtype {array.dtype} to a config. Numbers and booleans can be written."
        )
    values = array.astype("float32") if array.dtype.kind == "V" else array
    return {"class_name": "__numpy__", "config": {"value": values.tolist(), "dtype": array.dtype.name}}


def decode_array(config: dict[str, Any]) -> Any:
    """The numpy array of `{"value": nested lists, "dtype": name}`."""
    return _numpy().array(config["value"], dtype=numpy_dtype(config["dtype"]))


def _encode_bytes(value: bytes) -> dict[str, Any]:
    try:
        return {"value": value.decode("utf-8")}
    except UnicodeDecodeError as error:
        raise TypeError(f"Only bytes that are UTF-8 text can be written to a config: {error}") from error


register_codec(
    "__slice__",
    slice,
    lambda s: {"start": s.start, "stop": s.stop, "step": s.step},
    lambda config: slice(config["start"], config["stop"], config["step"]),
)
register_codec("__ellipsis__", type(...), lambda _: {}, lambda _: ...)
register_codec("__bytes__", bytes, _encode_bytes, lambda config: config["value"].encode("utf-8"))
register_codec("__numpy__", decode=decode_array)
# Without an engine a tensor reads as the numpy array it holds; kops and klayers replace this decoder.
register_codec("__tensor__", decode=decode_array)
