"""What exists is exactly as recorded; how much of the record exists is printed."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def report(api_contract):
    return api_contract.compare_installed("numpy")


def test_every_declared_name_is_as_recorded(report):
    print(f"{report.percent:.1f}% of the recorded API")
    assert not report.wrong, "\n".join(report.wrong)
    assert report.passed


def record(**entries):
    return {"api": {name: {"aliases": [], "bases": [], "members": {}, **entry} for name, entry in entries.items()}}


def parameter(name, **kw):
    return {"name": name, "kind": "pos_or_kw", **kw}


def test_the_comparison_tells_missing_from_wrong(api_contract):
    class Base: ...

    class Right(Base):
        def __init__(self, units, rate=0.5, shape=(1,)): ...

        def call(self, x): ...

    class Wrong:
        def __init__(self, units=1): ...

        def call(self, y): ...

        @property
        def size(self): ...

    signature = [parameter("units"), parameter("rate", default="0.5"), parameter("shape", default="(1,)")]
    members = {
        "call": {"kind": "method", "signature": [parameter("x")]},
        "size": {"kind": "property", "settable": True},
    }
    entry = {"kind": "class", "signature": signature, "members": members, "bases": ["Base"]}
    facts = record(Right=entry, Wrong=entry, Absent=entry, Base={"kind": "class", "signature": []})
    found = {"Base": Base, "Right": Right, "Wrong": Wrong}
    result = api_contract.Comparison(found.get, "numpy", facts).run()
    assert sorted(result.missing) == ["Absent", "Absent(Base)", "Absent.call", "Absent.size", "Right.size"]
    assert [line.split()[0] for line in result.wrong] == ["Wrong(Base)", "Wrong.call", "Wrong.size", "Wrong"]
    assert "has (units=1), expected (units, rate=0.5, shape=(1,))" in result.wrong[-1]
    assert result.passed == 4  # Right, its base, its call; Base


def test_an_alias_is_the_same_object(api_contract):
    def f(x): ...

    def g(x): ...

    facts = record(f={"kind": "function", "signature": [parameter("x")], "aliases": ["a", "b", "c"]})
    result = api_contract.Comparison({"f": f, "a": f, "b": g}.get, "numpy", facts).run()
    assert result.wrong == ["b is not the same object as f"]
    assert result.missing == ["c"]
    assert result.passed == 2


@pytest.mark.parametrize(
    "value, text",
    [
        (None, "None"),
        ("a", "'a'"),
        ((1,), "(1,)"),
        ((1, 2), "(1, 2)"),
        ([1, None], "[1, None]"),
        ({"a": 1}, "{'a': 1}"),
        (int, "<class int>"),
        (len, "<function len>"),
        (object(), "<object>"),
    ],
)
def test_defaults_are_written_as_in_the_record(api_contract, value, text):
    assert api_contract.default_text(value) == text
