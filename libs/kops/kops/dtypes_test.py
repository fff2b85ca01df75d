"""The whole promotion table against one written by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kops import config, dtypes
from kops.dtypes import result_type, standardize_dtype, to_inexact

NAMES = {
    "b1": "bool", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "bf": "bfloat16", "f2": "float16", "f4": "float32", "f8": "float64", "c4": "complex64", "c8": "complex128",
    "i*": int, "f*": float, "c*": complex,
}  # fmt: skip

# JAX's published table of type promotion (x64 on), weak types being those with a star.
GRID = """
    b1 u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c4 c8 i* f* c*
b1  b1 u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c4 c8 i* f* c*
u1  u1 u1 u2 u4 u8 i2 i2 i4 i8 bf f2 f4 f8 c4 c8 u1 f* c*
u2  u2 u2 u2 u4 u8 i4 i4 i4 i8 bf f2 f4 f8 c4 c8 u2 f* c*
u4  u4 u4 u4 u4 u8 i8 i8 i8 i8 bf f2 f4 f8 c4 c8 u4 f* c*
u8  u8 u8 u8 u8 u8 f* f* f* f* bf f2 f4 f8 c4 c8 u8 f* c*
i1  i1 i2 i4 i8 f* i1 i2 i4 i8 bf f2 f4 f8 c4 c8 i1 f* c*
i2  i2 i2 i4 i8 f* i2 i2 i4 i8 bf f2 f4 f8 c4 c8 i2 f* c*
i4  i4 i4 i4 i8 f* i4 i4 i4 i8 bf f2 f4 f8 c4 c8 i4 f* c*
i8  i8 i8 i8 i8 f* i8 i8 i8 i8 bf f2 f4 f8 c4 c8 i8 f* c*
bf  bf bf bf bf bf bf bf bf bf bf f4 f4 f8 c4 c8 bf bf c4
f2  f2 f2 f2 f2 f2 f2 f2 f2 f2 f4 f2 f4 f8 c4 c8 f2 f2 c4
f4  f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f8 c4 c8 f4 f4 c4
f8  f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 c8 c8 f8 f8 c8
c4  c4 c4 c4 c4 c4 c4 c4 c4 c4 c4 c4 c4 c8 c4 c8 c4 c4 c4
c8  c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8
i*  i* u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c4 c8 i* f* c*
f*  f* f* f* f* f* f* f* f* f* bf f2 f4 f8 c4 c8 f* f* c*
c*  c* c* c* c* c* c* c* c* c* c4 c4 c4 c8 c4 c8 c* c* c*
"""

WIDE = {"u8", "i8", "f8", "c8"}
NARROW = {"u8": "u4", "i8": "i4", "f8": "f4", "c8": "c4"}
FLOATX = ("bfloat16", "float16", "float32", "float64")


def _pairs():
    head, *rows = [line.split() for line in GRID.strip().splitlines()]
    assert [r[0] for r in rows] == head and all(len(r) == len(head) + 1 for r in rows)
    return {(r[0], b): cell for r in rows for b, cell in zip(head, r[1:])}


PAIRS = _pairs()


@pytest.fixture(params=FLOATX)
def floatx(request):
    before = config.floatx()
    config.set_floatx(request.param)
    yield request.param
    config.set_floatx(before)


@pytest.fixture
def floatx_restored():
    before = config.floatx()
    yield
    config.set_floatx(before)


def _expected(a, b, floatx):
    """JAX's cell, with Keras's defaults: weak results get a dtype, and 64 bits do not appear out of nowhere."""
    cell = PAIRS[a, b]
    wide = floatx == "float64"
    if cell == "i*":
        return "int64" if wide else "int32"
    if cell == "f*":
        return floatx
    if cell == "c*":
        return "complex128" if wide else "complex64"
    if cell in WIDE and not wide and not {a, b} & WIDE:
        cell = NARROW[cell]
    return NAMES[cell]


def test_every_pair(floatx):
    wrong = [
        f"{a} {b}: {result_type(NAMES[a], NAMES[b])}, expected {_expected(a, b, floatx)}"
        for a, b in PAIRS
        if result_type(NAMES[a], NAMES[b]) != _expected(a, b, floatx)
    ]
    assert not wrong


def test_symmetric(floatx):
    for a, b in itertools.combinations(NAMES.values(), 2):
        assert result_type(a, b) == result_type(b, a), (a, b)


def test_order_of_arguments_does_not_matter(floatx):
    for triple in itertools.combinations_with_replacement(NAMES.values(), 3):
        results = {result_type(*p) for p in itertools.permutations(triple)}
        assert len(results) == 1, (triple, results)


def test_associative_where_nothing_narrows():
    """With 64 bits allowed the lattice is a join: grouping does not matter (weak results aside)."""
    strong = [n for n in NAMES.values() if isinstance(n, str) and n != "uint64"]
    before = config.floatx()
    config.set_floatx("float64")
    try:
        for a, b, c in itertools.product(strong, repeat=3):
            assert result_type(result_type(a, b), c) == result_type(a, result_type(b, c)), (a, b, c)
    finally:
        config.set_floatx(before)


def test_idempotent_and_monotone(floatx):
    for name in NAMES.values():
        if isinstance(name, str):
            assert result_type(name, name) == result_type(name) == name
            assert result_type("bool", name) == name


def test_sixty_four_bits_stay_what_they_are():
    """A deliberate difference: the reference's result_type narrows 64-bit inputs, though its ops do not."""
    assert result_type("float64") == "float64"
    assert result_type("int64", "int8") == "int64"
    assert result_type("uint32", "int8") == "int32"  # no 64-bit input: stays in 32 bits
    assert result_type("uint64", "int64") == "float32"


def test_no_argument_is_floatx(floatx):
    assert result_type() == floatx
    assert result_type(None) == floatx
    assert result_type(float) == floatx


@pytest.mark.parametrize("special", ["float8_e4m3fn", "float8_e5m2", "string"])
def test_float8_and_strings_do_not_mix(special):
    assert result_type(special, special) == special
    with pytest.raises(ValueError, match="Cast explicitly"):
        result_type(special, "float32")


@pytest.mark.parametrize(
    "given, name",
    [
        ("float32", "float32"),
        ("half", "float16"),
        ("double", "float64"),
        ("torch.int64", "int64"),
        (np.float16, "float16"),
        (np.dtype("uint8"), "uint8"),
        (np.bool_, "bool"),
        (np.str_, "string"),
        (bool, "bool"),
        (int, "int32"),
        (str, "string"),
        (np.dtype("<U3"), "string"),
    ],
)
def test_standardize(given, name):
    assert standardize_dtype(given) == name


def test_standardize_python_float_is_floatx(floatx):
    assert standardize_dtype(float) == floatx
    assert standardize_dtype(None) == floatx


@pytest.mark.parametrize("wrong", ["float31", "", "Float32", object, 3])
def test_standardize_refuses(wrong):
    with pytest.raises(ValueError, match="Unknown dtype"):
        standardize_dtype(wrong)


def test_engine_dtypes():
    from kops.engine import engine

    e = engine()
    for name in ("bool", "uint8", "int32", "bfloat16", "float16", "float32"):
        assert standardize_dtype(e.native_dtype(name)) == name
        assert e.dtype_name(e.convert(np.zeros(2, "float32"), name)) == name


def test_to_inexact(floatx):
    assert to_inexact("int8") == floatx
    assert to_inexact("bool") == floatx
    for name in ("bfloat16", "float16", "float32", "float64", "complex64"):
        assert to_inexact(name) == name


def test_kinds():
    assert dtypes.is_float_dtype("float8_e5m2") and dtypes.is_float_dtype(np.float32)
    assert not dtypes.is_float_dtype("complex64")
    assert dtypes.is_int_dtype("uint8") and not dtypes.is_int_dtype("bool")


@pytest.mark.parametrize(
    "name, size", [("bool", 1), ("int8", 1), ("bfloat16", 2), ("float8_e4m3fn", 1), ("complex128", 16)]
)
def test_itemsize(name, size):
    assert dtypes.itemsize(name) == size
