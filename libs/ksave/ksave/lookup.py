"""From a name in a file to a class or function, through tables only: nothing is ever imported by name.

A name can mean a public name of an installed library, a class a library registered for a place inside
Keras, or what the user registered or handed in. What is found must be of the right kind: a class that
makes objects from configs, or a function that computes.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Iterator

import kspec
from ksave import codecs, migration_tables
from ksave.limits import PrintableError, UnsafeFileError

if TYPE_CHECKING:
    from ksave.deserialize import Loader

# Where a function that a config names by its bare name may be, first match first.
FUNCTION_NAMESPACES = (
    "keras.activations",
    "keras.losses",
    "keras.metrics",
    "keras.ops",
    "keras.ops.nn",
    "keras.ops.numpy",
    "keras.ops.image",
    "keras.ops.linalg",
    "keras.initializers",
    "keras.regularizers",
    "keras.constraints",
    "keras.quantizers",
)
# These turn data into objects, or reach beyond computing; a config has no reason to hold them as values.
_NOT_VALUES = {"get", "serialize", "deserialize"}

CLASS_NAMESPACES = (
    "keras.layers",
    "keras",
    "keras.models",
    "keras.initializers",
    "keras.regularizers",
    "keras.constraints",
    "keras.losses",
    "keras.metrics",
    "keras.optimizers",
    "keras.optimizers.schedules",
    "keras.dtype_policies",
    "keras.quantizers",
    "keras.random",
    "keras.utils",
    "keras.mixed_precision",
    "keras.distillation",
)
# Classes whose objects run code that is in the file.
RUNS_FOREIGN_CODE = {
    "keras.layers.TFSMLayer": "runs a TensorFlow SavedModel",
    "keras.layers.TorchModuleWrapper": "unpickles a PyTorch module",
    "keras.layers.TorchModuleLayer": "unpickles a PyTorch module",
}
_OLD_ROOTS = ("keras.src", "keras.engine", "keras.saving", "tensorflow", "tf_keras", "tensorflow_core")


class UnknownObjectError(PrintableError, TypeError):
    """A file names a class or function that is neither public nor registered here."""


class ConfigError(PrintableError, TypeError):
    """A record is damaged, or a class is known but cannot be made from the config in the file."""


def _under(module: str, root: str) -> bool:
    return module == root or module.startswith(root + ".")


def find_class(record: dict[str, Any], loader: Loader) -> Any:
    """The class of a record with `module`, `class_name` and `registered_name`."""
    module = record.get("module")
    class_name = record["class_name"]
    registered = record.get("registered_name")
    for key, value in (("module", module), ("class_name", class_name), ("registered_name", registered)):
        if value is not None and not isinstance(value, str):
            raise ConfigError(f"In a config {key!r} is a string or null, not {value!r}.")
    found = _public_class(module, class_name, registered, loader)
    if found is None and registered:
        found = loader.custom(registered)
        own = getattr(found, "__name__", class_name)
        if own != class_name and any(f"{space}.{class_name}" in loader.public_names for space in CLASS_NAMESPACES):
            raise UnsafeFileError(
                f"The file says that an object is a {class_name}, which is built in, and that it is registered as "
                f"{registered!r}, which is the class {own}. A file that says both is ambiguous; correct its config."
            )
    if found is None and module:
        found = codecs.internal_class(module, class_name)
    if found is None:
        found = loader.custom(class_name)
    if found is None:
        found = _by_class_name(module, class_name, loader)
    if found is None:
        raise UnknownObjectError(_unknown("class", class_name, module, registered, loader))
    if not callable(getattr(found, "from_config", None)):
        kind = f"the class {found.__name__}" if isinstance(found, type) else f"{found!r}"
        raise UnsafeFileError(
            f"The file wants an object of the class {class_name!r}, but that name means {kind}, which has no "
            "from_config() method. Only classes that make objects from configs can be loaded."
        )
    return found


def _public_class(module: str | None, class_name: str, registered: str | None, loader: Loader) -> Any:
    if not module or not _under(module, "keras") or not class_name.isidentifier():
        return None  # also of a name that goes on into another namespace, as "layers.Dense" of "keras"
    name = f"{module}.{class_name}"
    if name not in loader.public_names:
        return None
    if module not in CLASS_NAMESPACES:
        raise UnsafeFileError(
            f"The file wants an object of {name}, which is no part of a model. Parts of models are in "
            f"{', '.join(CLASS_NAMESPACES)}."
        )
    if registered not in (None, "", class_name):
        raise UnsafeFileError(
            f"The file says that {name} is registered as {registered!r}, but {name} is built in and has no "
            "registered name. A file that says both is ambiguous; correct its config."
        )
    if loader.safe_mode and name in RUNS_FOREIGN_CODE:
        raise UnsafeFileError(
            f"The file holds a {name}, which {RUNS_FOREIGN_CODE[name]} and so runs foreign code. "
            "If you trust where the file comes from, load it with safe_mode=False."
        )
    found = kspec.resolve(name)
    if not isinstance(found, type):
        raise UnsafeFileError(
            f"The file wants an object of {name}, which is not a class. Only layers, models, optimizers and "
            "other classes with from_config() can be loaded."
        )
    return found


def _by_class_name(module: str | None, class_name: str, loader: Loader) -> Any:
    """Old files name places inside Keras that have moved, or (HDF5) no place at all."""
    if class_name in loader.module_objects:
        return loader.module_objects[class_name]
    spaces = list(loader.namespaces)
    if loader.legacy and not module or module and any(_under(module, root) for root in _OLD_ROOTS):
        parts = (module or "").split(".")
        spaces += [space for space in CLASS_NAMESPACES if space.rpartition(".")[2] in parts[1:]]
        spaces += CLASS_NAMESPACES
    elif module and _under(module, "keras"):
        # A later version moved the class to another namespace.
        spaces += CLASS_NAMESPACES
    for name in (class_name, migration_tables.CLASSES.get(class_name)):
        for space in spaces:
            if name and f"{space}.{name}" in loader.public_names:
                found = _public_class(space, name, None, loader)
                if callable(getattr(found, "from_config", None)):
                    return found
    if loader.legacy and not module:
        return codecs.internal_class("keras.src.models.functional", class_name)
    if module and class_name == "Functional":
        return codecs.internal_class("keras.src.models.functional", "Functional")
    return None


def find_function(record: dict[str, Any], loader: Loader) -> Any:
    """The function of a record with `class_name` "function" and the function's name as `config`."""
    name = record["config"]
    module = record.get("module")
    if not isinstance(name, str):
        raise ConfigError(f"A function stands in a config with its name, not with {name!r}.")
    found = loader.custom(name)
    if found is None:
        for place in _function_places(module, name, loader):
            found = kspec.resolve(place)
            if not isinstance(found, type):
                break
            found = None
    if found is None and name in loader.module_objects:
        found = loader.module_objects[name]
    if found is None:
        # Keras 3.0 wrote the bare name of a registered function in some places.
        named = [key for key in loader.known_custom() if key.rpartition(">")[2] == name]
        found = loader.custom(named[0]) if len(named) == 1 else None
    if found is None:
        raise UnknownObjectError(_unknown("function", name, module, None, loader))
    if not callable(found) or isinstance(found, type):
        raise UnsafeFileError(f"The file wants the function {name!r}, but that name means {found!r}.")
    return found


def _function_places(module: str | None, name: str, loader: Loader) -> Iterator[str]:
    spaces: tuple[str, ...] = FUNCTION_NAMESPACES
    if module and _under(module, "keras") and not _under(module, "keras.src"):
        if module not in FUNCTION_NAMESPACES or name in _NOT_VALUES:
            raise UnsafeFileError(
                f"The file names {module}.{name} as a value, which is not a function of a model. "
                f"Functions are taken from {', '.join(FUNCTION_NAMESPACES)} and from registered ones."
            )
        spaces = (module,)
    elif module and module != "builtins" and not any(_under(module, root) for root in _OLD_ROOTS):
        spaces = ()
    if name not in _NOT_VALUES and name.isidentifier():
        yield from (f"{space}.{name}" for space in spaces if f"{space}.{name}" in loader.public_names)


def _installed(loader: Loader) -> list[str]:
    return sorted({place.split(".")[0].split(":")[0] for place in loader.public_names.values() if place})


def _unknown(kind: str, name: str, module: str | None, registered: str | None, loader: Loader) -> str:
    if module and _under(module, "keras") and not registered and kind == "class":
        near = difflib.get_close_matches(f"{module}.{name}", loader.public_names, n=3)
        hint = f" Names like it that are known: {', '.join(near)}." if near else ""
        return (
            f"The file names the class {name!r} of {module!r}, which is in none of the installed libraries "
            f"({', '.join(_installed(loader)) or 'none'}). Install the one that has it; `pip install keras` "
            f"brings all of them.{hint}"
        )
    package, _, short = (registered or name).rpartition(">")
    where = f" of module {module!r}" if module and module != "builtins" else ""
    arguments = []
    if package and package != "Custom":
        arguments.append(f"package={package!r}")
    if short != name.rpartition(">")[2]:
        arguments.append(f"name={short!r}")
    head = "class" if kind == "class" else "def"
    known = [*loader.known_custom(), *(place.rpartition(".")[2] for place in loader.public_names)]
    near = difflib.get_close_matches(name, sorted(set(known)), n=3)
    hint = f"\nNames like it that are known: {', '.join(near)}." if near else ""
    return (
        f"The file names the {kind} {name!r}{where}, which is not known here. Nothing is imported because a "
        f"file names it. Import or define the {kind} first, with this line before its definition:\n\n"
        f"    @keras.saving.register_keras_serializable({', '.join(arguments)})\n"
        f"    {head} {name.rpartition('>')[2]}...\n\n"
        f"or hand it in: custom_objects={{{name!r}: ...}}.{hint}"
    )
