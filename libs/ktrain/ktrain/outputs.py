"""Which label, weight, loss and metrics belong to which output of a model; decided once, from the first batch."""

from __future__ import annotations

import difflib
from typing import Any

from kops import tree


class Outputs:
    """The outputs of a model in flat order, with names.

    Args:
        y_pred: the outputs (or their specs).
        names: the model's output names; without them, or where they do not fit, dictionary keys or numbers serve.
    """

    def __init__(self, y_pred: Any, names: Any = None) -> None:
        self.structure = tree.map_structure(lambda _: 0, y_pred)
        self.count = len(tree.flatten(y_pred))
        if isinstance(y_pred, dict) and all(not tree.is_nested(v) for v in y_pred.values()):
            self.names = [str(k) for k in sorted(y_pred)]
        elif names is not None and len(names) == self.count:
            self.names = list(names)
        elif isinstance(y_pred, dict):
            paths = [path for path, _ in tree.flatten_with_path(y_pred)]
            self.names = ["_".join(map(str, path)) for path in paths]
        else:
            self.names = [f"output_{i}" for i in range(self.count)]
        self.nested = any(tree.is_nested(part) for part in _parts(y_pred))
        # How the losses of single outputs are called.
        self.paths = _paths(self.structure, list(self.names)) if self.nested else self.names
        self.other_names = list(names) if names is not None and len(names) == self.count else self.names
        # For dictionary outputs the flat order is that of sorted keys, which is not that of the model's names.
        self.is_dict = isinstance(y_pred, dict)

    @property
    def single(self) -> bool:
        """Whether there is one output, whatever it is wrapped in."""
        return self.count == 1

    def flatten(self, y_pred: Any) -> list[Any]:
        """The outputs as a list."""
        return [y_pred] if self.structure == 0 else tree.flatten(y_pred)

    def by_output(self, value: Any, what: str, broadcast: bool = False) -> list[Any]:
        """Labels or weights as a list with one entry (or None) for each output.

        Args:
            value: one array, a list, or a dictionary by output name.
            what: for errors.
            broadcast: whether one array counts for every output.
        """
        if value is None:
            return [None] * self.count
        leaves = _like(self.structure, value) if self.nested else None
        if leaves is not None:
            return leaves
        if isinstance(value, dict):
            names = self.names if self.is_dict or not set(value) <= set(self.other_names) else self.other_names
            if set(value) & set(names):
                self.check_keys(value, what)
                return [value.get(name) for name in names]
            flat = tree.flatten(value)
        elif isinstance(value, (list, tuple)):
            flat = list(value) if len(value) == self.count else tree.flatten(value)
        else:
            flat = [value] * self.count if broadcast or self.single else [value]
        if len(flat) != self.count:
            raise ValueError(
                f"The model has {self.count} outputs ({', '.join(self.names)}), but {what} has {len(flat)} arrays. "
                "Give one for each output, in a list or in a dictionary by name."
            )
        return flat

    def check_keys(self, value: dict[str, Any], what: str) -> None:
        """Refuse keys that are no output."""
        known = {*self.names, *self.other_names}
        for key in value:
            if key not in known:
                near = difflib.get_close_matches(str(key), sorted(known), n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise ValueError(
                    f"{what} has the key {key!r}, which is no output of the model.{hint} The outputs are: "
                    f"{', '.join(self.names)}."
                )

    def choices(self, value: Any, what: str, every: bool) -> list[Any]:
        """What the user chose for each output.

        Args:
            value: one choice, a list with one for each output, a dictionary by output name, or the structure of
                the outputs.
            what: for errors.
            every: whether one choice counts for every output (losses), or only a single output has it (metrics).
        """
        if value is None:
            return [None] * self.count
        leaves = _like(self.structure, value) if self.nested else None
        if leaves is not None:
            return leaves
        if isinstance(value, dict) and "class_name" not in value:
            self.check_keys(value, what)
            names = self.names if self.is_dict or not set(value) <= set(self.other_names) else self.other_names
            return [value.get(name) for name in names]
        if isinstance(value, (list, tuple)):
            if self.single:
                return [value[0] if every and len(value) == 1 else value]
            if len(value) == self.count:
                return list(value)
            raise ValueError(
                f"The model has {self.count} outputs ({', '.join(self.names)}), but {what} has {len(value)} entries. "
                "Give one for each output, in a list or in a dictionary by name."
            )
        return [value] * self.count if every else [value] + [None] * (self.count - 1)


def _parts(structure: Any) -> Any:
    """What a list or dictionary holds, in the order of `tree.flatten`."""
    if isinstance(structure, dict):
        return [structure[key] for key in sorted(structure)]
    return structure if isinstance(structure, (list, tuple)) else ()


def _paths(structure: Any, names: list[str], where: str = "") -> list[str]:
    """`a/0/name` for each output; keys of dictionaries take the place of names, which are used up one by one."""
    keys = sorted(structure) if isinstance(structure, dict) else range(len(structure))
    found: list[str] = []
    for key, part in zip(keys, _parts(structure)):
        if tree.is_nested(part):
            found += _paths(part, names, f"{where}{key}/")
        else:
            name = names.pop(0)
            found.append(f"{where}{key if isinstance(structure, dict) else name}")
    return found


def _like(structure: Any, value: Any) -> list[Any] | None:
    """The choices of a value that has the structure of the outputs; None when it has another one."""
    if not tree.is_nested(structure):
        return [value]
    if isinstance(structure, dict):
        if not isinstance(value, dict) or value.keys() != structure.keys():
            return None
    elif not isinstance(value, (list, tuple)) or len(value) != len(structure):
        return None
    found: list[Any] = []
    for part, choice in zip(_parts(structure), _parts(value)):
        leaves = _like(part, choice)
        if leaves is None:
            return None
        found += leaves
    return found
