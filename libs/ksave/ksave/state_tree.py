"""All variables of a model by their paths, in groups: the form in which Orbax checkpoints hold them."""

from __future__ import annotations

import re
import warnings
from typing import Any, Iterable, Iterator

from ksave import hdf5
from ksave.limits import visible
from ksave.mismatch import nearest

GROUPS = ("trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables")
_SHOWN, _COMPARED = 25, 1000
_NUMBER = re.compile(r"_(\d+)(?=[_/]|$)")


def nest(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Values by path as nested dictionaries.

    Raises:
        ValueError: two values have one path, or one stands where another has its inner ones.

    Example:
        >>> nest([("dense/kernel", 1), ("dense/bias", 2)])
        {'dense': {'kernel': 1, 'bias': 2}}
    """
    root: dict[str, Any] = {}
    for path, value in pairs:
        *parents, name = path.split("/")
        node = root
        for parent in parents:
            node = node.setdefault(parent, {})
            if not isinstance(node, dict):
                break
        if not isinstance(node, dict) or name in node:
            raise ValueError(f"Two variables have the path {path!r}. Give the layers different names.")
        node[name] = value
    return root


def flatten(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Paths and values of nested dictionaries."""
    if not isinstance(tree, dict):
        yield path, tree
        return
    for key, value in tree.items():
        yield from flatten(value, f"{path}/{key}" if path else str(key))


def _variables(model: Any) -> dict[str, list[Any]]:
    optimizer = getattr(model, "optimizer", None)
    return {
        "trainable_variables": list(model.trainable_variables),
        "non_trainable_variables": list(model.non_trainable_variables),
        "optimizer_variables": list(optimizer.variables) if optimizer is not None else [],
        "metrics_variables": list(getattr(model, "metrics_variables", [])),
    }


def state_tree(model: Any) -> dict[str, Any]:
    """The values of all variables of a model as NumPy arrays, nested by group and path."""
    return {
        group: nest((variable.path, hdf5.to_numpy(variable)) for variable in variables)
        for group, variables in _variables(model).items()
    }


def assign_state(model: Any, tree: dict[str, Any], name: str, skip_mismatch: bool = False) -> None:
    """Give the variables of a model the values of a state tree.

    The optimizer's and the metrics' values are taken where the model has variables for them.

    Args:
        model: a built model.
        tree: what `state_tree` gave.
        name: what the values come from, for errors.
        skip_mismatch: warn about what does not fit instead of raising.

    Raises:
        ValueError: variables of the model without a value, or with one of another shape.
    """
    problems: list[str] = []
    groups = _variables(model)
    own = [variable.path for variable in groups["trainable_variables"]]
    given = [path for path, _ in flatten(tree.get("trainable_variables") or {})]
    roots = {getattr(model, "name", "")} | _common_root(own) | _common_root(given)
    for group, variables in groups.items():
        values = dict(flatten(tree.get(group) or {}))
        weights = group in GROUPS[:2]
        found = _match([variable.path for variable in variables], list(values), roots, weights)
        for variable in variables:
            path = found.get(variable.path)
            if path is None:
                if weights:
                    near = nearest(variable.path, list(values)) if len(problems) < _SHOWN else []
                    hint = f" (nearest: {near[0]})" if near else ""
                    problems.append(f"{variable.path} is not in the file{hint}")
            elif tuple(values[path].shape) != tuple(variable.shape):
                shapes = f"{tuple(values[path].shape)} in the file, {tuple(variable.shape)} in the model"
                problems.append(f"{path} has shape {shapes}")
            else:
                variable.assign(values[path])
        if weights:
            left = sorted(set(values) - set(found.values()))
            problems += [f"{path} is in the file and not in the model" for path in left]
    if problems:
        message = visible(f"{name} does not fit the model:\n  " + "\n  ".join(problems[:_SHOWN]))
        if not skip_mismatch:
            raise ValueError(f"{message}\nLoad with skip_mismatch=True to leave these as they are.")
        warnings.warn(f"Skipped what does not fit. {message}", stacklevel=4)


def _match(own: list[str], given: list[str], roots: set[str], weights: bool) -> dict[str, str]:
    """Which path in the file belongs to which of the model's.

    The same path where there is one. Else neither the name of the model counts, with which paths begin or not,
    depending on how the model was built, nor that of the optimizer, nor from where names without a choice of the user
    were counted: `dense_4` and `dense_5` are `dense` and `dense_1` in a model that was made first.
    """
    there = set(given)
    found = {path: path for path in own if path in there}
    left = _by_kind([path for path in given if path not in found], roots, weights)
    for kind, mine in _by_kind([path for path in own if path not in found], roots, weights).items():
        theirs = left.get(kind, {})
        if len(theirs) == len(mine):
            found.update(zip((mine[number] for number in sorted(mine)), (theirs[n] for n in sorted(theirs))))
    taken = set(found.values())
    rest = {path: _short(path, roots, weights) for path in given if path not in taken}
    for path in [path for path in own if path not in found][:_COMPARED]:
        short = _short(path, roots, weights)
        inside = [theirs for theirs, name in rest.items() if _ends(name, short) or _ends(short, name)]
        if len(inside) == 1:
            found[path] = inside[0]
            del rest[inside[0]]
    return found


def _ends(path: str, end: str) -> bool:
    """Whether a path is another one inside something more, as of a layer that was built before what it is in."""
    return path.endswith((f"/{end}", f"_{end}"))


def _by_kind(paths: list[str], roots: set[str], weights: bool) -> dict[str, dict[tuple[int, ...], str]]:
    """Paths by what they are without the numbers in their names, and then by these numbers."""
    found: dict[str, dict[tuple[int, ...], str]] = {}
    for path in paths:
        short = _short(path, roots, weights)
        numbers = tuple(int(number) for number in _NUMBER.findall(short))
        found.setdefault(_NUMBER.sub("", short), {})[numbers] = path
    return found


def _common_root(paths: list[str]) -> set[str]:
    first = {path.split("/")[0] for path in paths}
    return first if len(first) == 1 else set()


def _short(path: str, roots: set[str], weights: bool) -> str:
    first, _, rest = path.partition("/")
    if weights:
        return rest if first in roots and rest else path
    for root in roots:  # a slot: the path of its variable with "_" instead of "/"
        if rest.startswith(f"{root}_"):
            return rest[len(root) + 1 :]
    return rest
