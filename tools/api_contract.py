#!/usr/bin/env python3
"""Compares the installed libraries with the recorded public API of Keras 3.15 (spec/api.json).

    KERAS_BACKEND=numpy python tools/api_contract.py             how much is there, what is wrong
    KERAS_BACKEND=numpy python tools/api_contract.py --missing   also what is missing

Missing and wrong are two things: a name that does not exist yet lowers the percentage; a name that exists
must be exactly as recorded (kind, parameters with kinds, order and defaults, bases, aliases), or it is wrong.
"""

from __future__ import annotations

import argparse
import enum
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any, Callable, NamedTuple

API = Path(__file__).resolve().parent.parent / "spec/api.json"

_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "pos_only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "pos_or_kw",
    inspect.Parameter.VAR_POSITIONAL: "var_pos",
    inspect.Parameter.KEYWORD_ONLY: "kw_only",
    inspect.Parameter.VAR_KEYWORD: "var_kw",
}


class Report(NamedTuple):
    """What came out of a comparison."""

    passed: int
    wrong: list[str]  # present and not as recorded
    missing: list[str]

    @property
    def total(self) -> int:
        return self.passed + len(self.wrong) + len(self.missing)

    @property
    def percent(self) -> float:
        return 100.0 * self.passed / self.total if self.total else 100.0


def default_text(value: Any) -> str:
    """A default value as spec/api.json writes it: its repr, without memory addresses."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{default_text(k)}: {default_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(default_text, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, type):
        return f"<class {value.__name__}>"
    if callable(value) and hasattr(value, "__name__"):
        return f"<function {value.__name__}>"
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    return f"<{type(value).__name__}>" if "<" in text or isinstance(value, enum.Enum) else text


def parameters(function: Callable, bound: bool) -> list[dict[str, str]] | None:
    """The parameters of a callable in the form of the record; the first is dropped when `bound`."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if bound and found and found[0].kind in positional:
        found = found[1:]
    rows = []
    for parameter in found:
        row = {"name": parameter.name, "kind": _KINDS[parameter.kind]}
        if parameter.default is not parameter.empty:
            row["default"] = default_text(parameter.default)
        rows.append(row)
    return rows


def _show(rows: list[dict[str, str]] | None) -> str:
    if rows is None:
        return "no readable signature"
    stars = {"var_pos": "*", "var_kw": "**"}
    parts = []
    for row in rows:
        mark = " (keyword only)" if row["kind"] == "kw_only" else ""
        parts.append(stars.get(row["kind"], "") + row["name"] + mark)
        if "default" in row:
            parts[-1] += f"={row['default']}"
    return f"({', '.join(parts)})"


def compare(expected: list[dict[str, str]] | None, found: list[dict[str, str]] | None) -> str:
    """What differs between two signatures, in words; empty when nothing does."""
    if expected is None or expected == found:
        return ""
    return f"has {_show(found)}, expected {_show(expected)}"


def _member(cls: type, name: str, expected: dict[str, Any]) -> str | None:
    """What is wrong with one member of a class; None when it is missing."""
    have = next((vars(k)[name] for k in cls.__mro__ if k is not object and name in vars(k)), None)
    if have is None and not any(name in vars(k) for k in cls.__mro__ if k is not object):
        return None
    kind = expected["kind"]
    if kind in ("special", "attribute", "class"):
        return ""
    if kind == "property":
        if inspect.isfunction(have) or isinstance(have, (classmethod, staticmethod)):
            return "is a method, expected a property"
        if expected.get("settable") and isinstance(have, property) and have.fset is None:
            return "cannot be set"
        return ""
    if isinstance(have, (classmethod, staticmethod)):
        found, function = type(have).__name__, have.__func__
    elif callable(have):
        found, function = "method", have
    else:
        return f"is not callable, expected a {kind}"
    if found != kind:
        return f"is a {found}, expected a {kind}"
    return compare(expected.get("signature"), parameters(function, found != "staticmethod"))


class Comparison:
    """The installed names held against the record, for one engine."""

    def __init__(self, find: Callable[[str], Any], engine: str, record: dict[str, Any]) -> None:
        """`find` gives the object with a public name, or None."""
        self.find, self.engine, self.record = find, engine, record["api"]
        self.passed, self.wrong, self.missing = 0, [], []  # type: ignore[var-annotated]

    def note(self, name: str, words: str | None) -> None:
        if words is None:
            self.missing.append(name)
        elif words:
            self.wrong.append(f"{name} {words}")
        else:
            self.passed += 1

    def run(self) -> Report:
        for name, entry in self.record.items():
            if self.engine in entry.get("only_backends", [self.engine]):
                self.check(name, entry)
        return Report(self.passed, self.wrong, self.missing)

    def check(self, name: str, entry: dict[str, Any]) -> None:
        obj = self.find(name)
        for alias in entry["aliases"]:
            other = self.find(alias)
            self.note(alias, None if other is None else "" if other is obj else f"is not the same object as {name}")
        if entry["kind"] == "class":
            self.check_class(name, obj if isinstance(obj, type) else None, entry)
        if obj is None:
            self.note(name, None)
            return
        expected = entry.get("signature_by_backend", {}).get(self.engine, entry["signature"])
        if isinstance(obj, type) != (entry["kind"] == "class"):
            self.note(name, f"is not a {entry['kind']}")
        elif entry["kind"] == "function":
            self.note(name, compare(expected, parameters(obj, False)))
        else:
            plain = obj.__init__ is object.__init__
            self.note(name, compare(expected, [] if plain else parameters(obj.__init__, True)))

    def check_class(self, name: str, cls: type | None, entry: dict[str, Any]) -> None:
        for base in entry["bases"]:
            other = self.find(base)
            fits = cls is not None and isinstance(other, type) and issubclass(cls, other)
            words = None if cls is None or other is None else "" if fits else "is not a subclass"
            self.note(f"{name}({base})", words)
        for member, expected in entry["members"].items():
            if self.engine not in expected.get("only_backends", [self.engine]):
                continue
            expected = expected.get("by_backend", {}).get(self.engine, expected)
            if not expected.get("backend_detail"):
                self.note(f"{name}.{member}", None if cls is None else _member(cls, member, expected))


def compare_installed(engine: str) -> Report:
    """Compare all names of the installed `keras` with the record."""
    import kspec

    names = kspec.known_names()

    def find(name: str) -> Any:
        return kspec.resolve(name) if name in names else None

    return Comparison(find, engine, json.loads(API.read_text(encoding="utf-8"))).run()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--missing", action="store_true", help="list what is missing, too")
    arguments = parser.parse_args()
    import keras

    report = compare_installed(keras.config.backend())
    for line in report.wrong + (sorted(report.missing) if arguments.missing else []):
        print(line)
    print(f"{report.passed} of {report.total} as recorded ({report.percent:.1f}%), {len(report.wrong)} wrong")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
