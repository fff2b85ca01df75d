"""JSON that costs more than its size: what is too slow for the matrix of attacks."""

from __future__ import annotations

import pytest

import ksave
from ksave import checked_json
from ksave.attacks.canaries import bounded
from ksave.limits import Limits


def test_too_many_values():
    # Three bytes each in the file, sixty in memory.
    text = b"[" + b"[]," * 11_000_000 + b"[]]"
    with bounded(), pytest.raises(ksave.UnsafeFileError, match="values"):
        checked_json.loads(text)
    assert len(checked_json.loads(b"[" + b"1," * 99 + b"1]", limits=Limits(json_values=100))) == 100
    with pytest.raises(ksave.UnsafeFileError, match="values"):
        checked_json.loads(b"[" + b"1," * 99 + b"1]", limits=Limits(json_values=99))


@pytest.mark.parametrize(
    "text",
    [b'"' + b'\\"' * 4_000_000, b'"a' * 1_000_000, b"\\" * 4_000_000, b"1" * 4_000_000, b'{"a":' * 1_000_000],
    ids=["escapes", "quotes", "backslashes", "digits", "objects"],
)
def test_texts_on_which_a_careless_search_takes_forever(text):
    with bounded(), pytest.raises((ksave.UnsafeFileError, ksave.CorruptFileError)):
        checked_json.loads(text)


def test_brackets_and_quotes_in_texts_count_for_nothing():
    value = {"a": "[[[[{{{{" * 200 + '\\"', "b\\": ['"[', "\\\\", "]"], "c": "9" * 2000}
    import json

    assert checked_json.loads(json.dumps(value)) == value
    assert checked_json.loads(json.dumps(value).encode()) == value


def test_errors_cannot_steer_a_terminal():
    for error in (ksave.UnsafeFileError, ksave.CorruptFileError, ksave.UnknownObjectError):
        words = str(error("\x1b]0;owned\x07 \u202egnp.exe\n\tnext"))
        assert words == "\\u001b]0;owned\\u0007 \\u202egnp.exe\n\tnext"
