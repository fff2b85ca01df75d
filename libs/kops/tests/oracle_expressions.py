"""Calls that have no conformance rows, as Python text that both sides evaluate, for `compare_oracle.py`.

The text sees `ops` and `random` (ours or Keras's), `np`, `T(numbers, dtype)` (a tensor), `N(*shape)` (a tensor of
float32 that is the same everywhere) and `first(tree)` (its first leaf).
"""

from __future__ import annotations

import functools
import itertools
from typing import Iterator

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128", "string", "nonsense",
)  # fmt: skip
SHAPES = ("()", "(2, 3)", "[2, 3]", "(0,)", "(2, 0)", "3", "(-1,)", "(2.0,)", "None", "(None,)", "'nonsense'",
          "T([2, 3], 'int32')", "np.array([2, 3])", "(np.int64(2), 3)", "(T(2, 'int32'), 3)")  # fmt: skip
SIZES = ("0", "1", "4", "-1", "2.0", "2.5", "None", "True", "np.int64(3)", "T(3, 'int32')", "'nonsense'", "(2,)")
NUMBERS = ("0", "1", "-2", "2.5", "True", "1j", "None", "'nonsense'", "float('nan')", "float('inf')", "2**31", "2**40",
           "np.float64(2.5)", "np.int64(7)", "np.float32(0.1)", "T(2.5, 'float16')", "T(3, 'uint8')",
           "T([1, 2, 3], 'int32')", "T(True, 'bool')", "[1, 2, 3]")  # fmt: skip


def _creation() -> Iterator[tuple[str, str]]:
    for name in ("zeros", "ones", "empty", "full"):
        value = ", 3" if name == "full" else ""
        show = "ops.zeros_like({})" if name == "empty" else "{}"
        for shape in SHAPES:
            yield name, show.format(f"ops.{name}({shape}{value})")
        for dtype in DTYPES:
            yield name, show.format(f"ops.{name}((2, 3){value}, dtype={dtype!r})")
    for number, dtype in itertools.product(NUMBERS, (None, "int32", "uint8", "float16", "bool")):
        yield "full", f"ops.full((2, 3), {number}, dtype={dtype!r})"
    for name in ("eye", "identity", "tri"):
        for size in SIZES:
            yield name, f"ops.{name}({size})"
            if name != "identity":
                yield name, f"ops.{name}(3, {size})"
                yield name, f"ops.{name}(3, k={size})"
        for dtype in DTYPES:
            yield name, f"ops.{name}(3, dtype={dtype!r})"
        if name != "identity":
            for k in (-4, -3, -1, 1, 2, 3, 4):
                yield name, f"ops.{name}(3, 4, k={k})"
    for name in ("bartlett", "blackman", "hamming", "hanning", "kaiser"):
        beta = ", 14.0" if name == "kaiser" else ""
        for size in (*SIZES, "2", "5"):
            yield name, f"ops.{name}({size}{beta})"
    for beta in NUMBERS:
        yield "kaiser", f"ops.kaiser(5, {beta})"
    ends = ("0", "3", "-3", "2.5", "-1.5", "None", "True", "'nonsense'", "float('nan')", "2**31", "T(3, 'int32')",
            "T(2.5, 'float32')", "np.int64(3)", "np.float32(2.5)", "T(3, 'uint8')", "T(2.5, 'float16')")  # fmt: skip
    for end in ends:
        yield "arange", f"ops.arange({end})" if "2**31" not in end else "ops.arange(2**31, 2**31 + 3)"
        for other in ("1", "4.5", "-2", "None"):
            if "2**31" not in end:
                yield "arange", f"ops.arange({end}, {other})"
    for step in ("1", "2", "-1", "0.5", "-0.5", "0", "0.1", "None", "T(2, 'int32')", "'nonsense'", "1j"):
        yield "arange", f"ops.arange(0, 4, {step})"
        yield "arange", f"ops.arange(4, 0, {step})"
        yield "arange", f"ops.arange(0.5, 4, {step})"
    for dtype in DTYPES:
        yield "arange", f"ops.arange(4, dtype={dtype!r})"
        yield "arange", f"ops.arange(0.5, 4.7, 0.7, dtype={dtype!r})"
        yield "arange", f"ops.arange(-2, 3, dtype={dtype!r})"
    values = (*NUMBERS, "[]", "[[1, 2.5], [3, 4]]", "[[1], [2, 3]]", "[True, 2]", "[True, 2.5]", "[1, 1j]", "[2**40]",
              "(1, 2)", "[T(1, 'int32'), T(2, 'int32')]", "[T(1.5, 'float16'), 2]", "np.zeros((2, 0), 'uint16')",
              "np.array([1.5, 2])", "np.array([1, 2])", "np.array(['a'])", "[None]", "N(2, 3)", "{}")  # fmt: skip
    for value in values:
        for dtype in (None, "int32", "float16", "bool", "uint8", "complex64"):
            yield "convert_to_tensor", f"ops.convert_to_tensor({value}, dtype={dtype!r})"
        for name in ("shape", "ndim", "size", "dtype", "is_tensor", "convert_to_numpy"):
            yield name, f"ops.{name}({value})"
    for dtype in DTYPES:
        yield "convert_to_tensor", f"ops.convert_to_tensor([0, 1, 2], dtype={dtype!r})"
        yield "convert_to_tensor", f"ops.convert_to_tensor([0.5, -1.5, 300.0], dtype={dtype!r})"
        yield "convert_to_tensor", f"ops.convert_to_tensor(N(2, 3), dtype={dtype!r})"
    yield "convert_to_tensor", "ops.convert_to_tensor([1, 2], sparse=False)"
    yield "convert_to_tensor", "ops.convert_to_tensor([1, 2], ragged=False)"


def _control() -> Iterator[tuple[str, str]]:
    xs = ("N(4, 3)", "N(1, 3)", "N(0, 3)", "N(4)", "T([1, 2, 3], 'int32')", "T([1, 2, 3], 'uint8')",
          "T([1, 2, 3], 'int64')", "T([1.5, 2.5], 'float16')", "T([1.5, 2.5], 'bfloat16')", "T([1.5, 2.5], 'float64')",
          "T([True, False], 'bool')", "T([1j, 2.0], 'complex64')", "np.array([1.0, 2.0], 'float32')", "[1.0, 2.0]",
          "T(1.0, 'float32')", "None", "{'a': N(3), 'b': N(3, 2)}", "(N(3), N(3, 2))", "[N(3), N(3, 2)]",
          "(N(3), N(2))")  # fmt: skip
    first = "first(x)"  # of a tree, the first leaf
    for x in xs:
        for name in ("map", "vectorized_map"):
            for f in ("lambda x: x", f"lambda x: {first} * 2", f"lambda x: ({first}, ops.sum({first}))",
                      f"lambda x: ops.cast({first}, 'float32')", f"lambda x: {{'y': {first}}}",
                      "lambda x: ops.ones((2,))", "lambda x: 1.0"):  # fmt: skip
                yield name, f"ops.{name}({f}, {x})"
        for reverse in (False, True):
            yield "scan", f"ops.scan(lambda c, x: (c + 1, {first}), T(0, 'int32'), {x}, reverse={reverse})"
        yield "scan", f"ops.scan(lambda c, x: (c, None), T(0, 'int32'), {x})"
        for f, axis, reverse in itertools.product(("ops.add", "ops.maximum", "lambda a, b: a * b"), (0, -1, 1), (0, 1)):
            yield "associative_scan", f"ops.associative_scan({f}, {x}, axis={axis}, reverse={bool(reverse)})"
        yield "fori_loop", f"ops.fori_loop(0, 3, lambda i, x: {first} + {first}, {x})"
        yield "switch", f"ops.switch(1, [lambda x: x, lambda x: {first} * 2], {x})"
        yield "while_loop", f"ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (T(0, 'int32'), {x}))"
        yield "vectorize", f"ops.vectorize(lambda x: x + 1)({x})"
        yield "custom_gradient", f"ops.custom_gradient(lambda x: (x, lambda *a, upstream: upstream))({x})"
        yield "jvp", f"ops.jvp(lambda x: x * x, ({x},), ({x},))"
    yield "associative_scan", "ops.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (N(5), N(5)))"
    yield "associative_scan", "ops.associative_scan(lambda a, b: b, N(5), axis=3)"
    yield "associative_scan", "ops.associative_scan(1, N(5))"
    yield "associative_scan", "ops.associative_scan(ops.add, N(0))"
    yield "associative_scan", "ops.associative_scan(ops.matmul, N(5, 2, 2))"
    yield "associative_scan", "ops.associative_scan(lambda a, b: ops.einsum('bij,bjk->bik', a, b), N(6, 2, 2))"
    for length, given in itertools.product(("None", "0", "2", "4", "5", "-1", "2.0"), ("None", "N(4, 3)", "N(4)")):
        yield "scan", f"ops.scan(lambda c, x: (c + 1.0, c), N(3), {given}, length={length})"
    for unroll in ("1", "2", "True", "False", "0", "-1", "None", "'nonsense'"):
        yield "scan", f"ops.scan(lambda c, x: (c + x, c * x), T(1.0, 'float32'), N(4), unroll={unroll})"
    yield "scan", "ops.scan(lambda c, x: ((c[0] + x, c[1]), x), (T(0.0, 'float32'), N(2)), N(4))"
    yield "scan", "ops.scan(lambda c, x: (c + x, c), T(0, 'int32'), N(4))"  # the carry becomes a float
    yield "scan", "ops.scan(lambda c, x: (N(2), c), N(3), N(4))"  # of another shape
    yield "scan", "ops.scan(lambda c, x: c, N(3), N(4))"
    yield "scan", "ops.scan(1, N(3), N(4))"
    yield "scan", "ops.scan(lambda c, x: (c + x, {'a': c, 'b': (x,)}), 0.0, N(4))"
    yield "scan", "ops.scan(lambda c, x: (c, c), 0, [1, 2, 3])"
    yield "scan", "ops.scan(lambda c, x: (c + x['a'], x['b']), T(0.0, 'float32'), {'a': N(3), 'b': N(3, 2)})"
    for lower, upper in (("0", "3"), ("3", "0"), ("0", "0"), ("-2", "2"), ("T(0, 'int32')", "T(3, 'int32')"),
                         ("0", "T(3, 'int64')"), ("0.0", "3.0"), ("0", "2.5"), ("None", "3"), ("0", "'nonsense'"),
                         ("True", "3"), ("0", "T([3], 'int32')")):  # fmt: skip
        yield "fori_loop", f"ops.fori_loop({lower}, {upper}, lambda i, x: x + ops.cast(i, 'float32'), N(3))"
        yield "fori_loop", f"ops.fori_loop({lower}, {upper}, lambda i, x: x + i, T(0, 'int32'))"
    for f, init in (("x + 1.5", "T(0, 'int32')"), ("ops.ones((3,))", "N(2)"), ("(x[0] + 1, x[1])", "(N(2), N(3))"),
                    ("{'a': x['a'] * 2}", "{'a': N(2)}"), ("x + 1", "0"), ("x * 2.0", "1.5"), ("x + 1", "[0, 1]"),
                    ("(x, x)", "N(2)"), ("None", "N(2)"), ("x + 1", "True")):  # fmt: skip
        yield "fori_loop", f"ops.fori_loop(0, 3, lambda i, x: {f}, {init})"
    for most in ("None", "0", "2", "7", "-1", "2.0", "T(2, 'int32')"):
        yield "while_loop", f"ops.while_loop(lambda x: x < 5, lambda x: x + 1, 0, maximum_iterations={most})"
        yield (
            "while_loop",
            f"ops.while_loop(lambda x, y: x < 5, lambda x, y: (x + 1, y * 2.0), (T(0, 'int32'), N(3)), maximum_iterations={most})",  # noqa: E501
        )
    for condition, body, state in (
        ("lambda x: x < 5", "lambda x: x + 1", "0"), ("lambda x: x < 5", "lambda x: (x + 1,)", "(0,)"),
        ("lambda x: x < 5", "lambda x: [x + 1]", "[0]"), ("lambda x: x < 5", "lambda x: x + 1.5", "0"),
        ("lambda x: x < 5", "lambda x: x + 1.5", "T(0, 'int32')"), ("lambda x: ops.sum(x) < 5", "lambda x: x + 1", "N(2)"),  # noqa: E501
        ("lambda x: x < 5", "lambda x: x + 1", "N(2)"), ("lambda x: x < 5", "lambda x: x + 1", "T([0], 'int32')"),
        ("lambda x: True", "lambda x: x + 1", "0"), ("lambda x: False", "lambda x: x + 1", "0"),
        ("lambda x: 1", "lambda x: x + 1", "0"), ("lambda x: x", "lambda x: x - 1", "T(3, 'int32')"),
        ("lambda x: ops.shape(x)[0] < 4", "lambda x: ops.concatenate([x, x])", "N(2)"),
        ("lambda x, y: x < 3", "lambda x, y: (x + 1,)", "(0, 1)"), ("lambda x, y: x < 3", "lambda x, y: [x + 1, y]", "(0, 1)"),  # noqa: E501
        ("lambda x, y: x < 3", "lambda x, y: (x + 1, {'a': y['a'] * 2})", "(0, {'a': N(2)})"),
        ("lambda x: x['a'] < 3", "lambda x: {'a': x['a'] + 1}", "{'a': T(0, 'int32')}"),
        ("1", "lambda x: x", "0"), ("lambda x: x < 5", "1", "0"), ("lambda x: x < 5", "lambda x: x + 1", "None"),
        ("lambda x: x < 5", "lambda x: x + 1", "()"), ("lambda x, y: x < 3", "lambda x, y: (y, x)", "(0, 5)"),
    ):  # fmt: skip
        most = ", maximum_iterations=9" if condition in ("lambda x: True", "lambda x: 1") else ""
        yield "while_loop", f"ops.while_loop({condition}, {body}, {state}{most})"
    for p in ("True", "False", "1", "0", "0.5", "None", "T(True, 'bool')", "T(0, 'int32')", "T(0.5, 'float32')",
              "T([True], 'bool')", "T([True, False], 'bool')", "np.bool_(True)", "np.array(False)", "'nonsense'", "[]",
              "[True]", "T([[False]], 'bool')"):  # fmt: skip
        for yes, no in (("N(2)", "N(2) * 2"), ("(N(2), 1)", "(N(2) * 2, 3)"), ("N(2)", "N(3)"), ("N(2)", "T([1, 2], 'int32')"),  # noqa: E501
                        ("None", "None"), ("1", "2.5"), ("{'a': N(2)}", "{'a': N(2) + 1}"), ("N(2)", "(N(2),)"),
                        ("N(2)", "None")):  # fmt: skip
            yield "cond", f"ops.cond({p}, lambda: {yes}, lambda: {no})"
    yield "cond", "ops.cond(True, 1, 2)"
    yield "cond", "ops.cond(True, lambda x: x, lambda x: x)"
    for index in ("0", "1", "2", "-1", "5", "1.0", "True", "None", "'nonsense'", "T(1, 'int32')", "T(1, 'uint8')",
                  "T(1, 'int64')", "T(1.0, 'float32')", "T([1], 'int32')", "T([0, 1], 'int32')", "np.int64(1)",
                  "T(True, 'bool')", "T(9, 'int32')", "T(-9, 'int32')"):  # fmt: skip
        for branches, operands in (
            ("[lambda x: x, lambda x: x + 1, lambda x: x * 3]", "N(2)"), ("[lambda x: x]", "N(2)"), ("[]", "N(2)"),
            ("(lambda x: x, lambda x: x + 1)", "T(3, 'int32')"), ("[lambda: 1, lambda: 2]", ""),
            ("[lambda x, y: x, lambda x, y: y]", "N(2), N(2) * 2"), ("[lambda x, y: x, lambda x, y: y]", "N(2), N(3)"),
            ("[lambda x: x, lambda x: x + 1]", "[1, 2]"), ("[lambda x: x, lambda x: x + 1]", "1.5"),
            ("[lambda x: (x, x), lambda x: (x, x + 1)]", "N(2)"), ("[1, 2]", "N(2)"),
        ):  # fmt: skip
            yield "switch", f"ops.switch({index}, {branches}, {operands})"
    for f, signature, arguments in (
        ("lambda x, y: x * y", "None", "N(3), N(3)"), ("lambda x, y: x * y", "None", "N(2, 1), N(3)"),
        ("lambda x, y: x * y", "None", "N(3), 2.0"), ("lambda x, y: x * y", "None", "N(2), N(3)"),
        ("lambda x: ops.sum(x)", "'(n)->()'", "N(2, 3)"), ("lambda x: ops.sum(x)", "'(n)->()'", "N(3)"),
        ("lambda x: ops.sum(x)", "'(n)->()'", "N(0, 3)"), ("lambda x, y: ops.matmul(x, y)", "'(a,b),(b,c)->(a,c)'", "N(5, 2, 3), N(3, 4)"),  # noqa: E501
        ("lambda x, y: ops.matmul(x, y)", "'(a,b),(b)->(a)'", "N(2, 3), N(4, 3)"),
        ("lambda x: (ops.sum(x), x)", "'(n)->(),(n)'", "N(2, 3)"), ("lambda x: x", "'nonsense'", "N(2)"),
        ("lambda x, y: ops.dot(x, y)", "'(n),(n)->()'", "N(2, 3), N(2, 4)"), ("lambda x: x", "'(n)->(n)'", "T(1.0, 'float32')"),  # noqa: E501
        ("lambda x: (x, x + 1)", "None", "N(3)"), ("lambda x: ops.cond(x > 0, lambda: x, lambda: -x)", "None", "N(3)"),
    ):  # fmt: skip
        yield "vectorize", f"ops.vectorize({f}, signature={signature})({arguments})"
    yield "vectorize", "ops.vectorize(lambda x, y: x * y, excluded={1})(N(3), 2.0)"
    yield "vectorize", "ops.vectorize(lambda x, y: x * y, excluded={'y'})(N(3), y=2.0)"
    yield "vectorize", "ops.vectorize(lambda x, y: x * y, excluded=[1])(N(3), 2.0)"
    yield "vectorize", "ops.vectorize(1)"
    for f, primals, tangents in (
        ("lambda x: ops.sin(x)", "(N(3),)", "(N(3),)"), ("lambda x, y: x * y", "(N(3), N(3))", "(N(3), N(3) * 2)"),
        ("lambda x: (x, x * x)", "(N(3),)", "(N(3),)"), ("lambda x: ops.sum(x)", "(N(2, 3),)", "(N(2, 3),)"),
        ("lambda x: ops.sin(x)", "[N(3)]", "[N(3)]"), ("lambda x: ops.sin(x)", "(N(3),)", "(N(2),)"),
        ("lambda x: ops.sin(x)", "(N(3),)", "()"), ("lambda x: ops.sin(x)", "N(3)", "N(3)"),
        ("lambda x: ops.sin(x)", "(1.0,)", "(2.0,)"), ("lambda x: ops.sin(x)", "(T(1.0, 'float64'),)", "(T(2.0, 'float64'),)"),  # noqa: E501
        ("lambda x: x", "(T([1, 2], 'int32'),)", "(T([1, 2], 'int32'),)"), ("1", "(N(3),)", "(N(3),)"),
        ("lambda x: ops.stop_gradient(x)", "(N(3),)", "(N(3),)"), ("lambda x: ops.ones((2,))", "(N(3),)", "(N(3),)"),
        ("lambda x: ops.sin(x)", "(T(1.0, 'float16'),)", "(T(2.0, 'float16'),)"),
    ):  # fmt: skip
        yield "jvp", f"ops.jvp({f}, {primals}, {tangents})"
    yield "jvp", "ops.jvp(lambda x: (ops.sin(x), {'a': x}), (N(3),), (N(3),), has_aux=True)"
    yield "jvp", "ops.jvp(lambda x: ops.sin(x), (N(3),), (N(3),), has_aux=True)"


def _random() -> Iterator[tuple[str, str]]:
    many = "(20000,)"
    parameters = ("0", "1", "-2", "2.5", "0.3", "1000.0", "True", "None", "'nonsense'", "float('nan')", "float('inf')",
                  "T(0.5, 'float32')", "T([0.5], 'float32')", "N(3)", "T([1, 2], 'int32')", "[0.5]",
                  "np.full((20000,), 0.5, 'float32')", "T(0.5, 'float16')", "T(3, 'uint8')")  # fmt: skip
    given = {
        "uniform": ("", ("minval", "maxval")), "normal": ("", ("mean", "stddev")),
        "truncated_normal": ("", ("mean", "stddev")), "randint": ("0, 10, ", ()), "gamma": ("2.5, ", ()),
        "beta": ("2.0, 3.0, ", ()), "binomial": ("10, 0.3, ", ()),
    }  # fmt: skip
    seeds = ("0", "-1", "2**31", "2**32", "2**63", "1.5", "True", "None", "'nonsense'", "(1, 2)", "T([1, 2], 'uint32')",
             "T(3, 'int32')", "np.int64(5)", "random.SeedGenerator(3)", "[1, 2]")  # fmt: skip
    for name, (between, names) in given.items():
        for shape in (many, *SHAPES):
            yield name, f"random.{name}({shape}, {between}seed=3)"
        for dtype in (*DTYPES, None):
            yield name, f"random.{name}({many}, {between}dtype={dtype!r}, seed=3)"
        for seed in seeds:
            yield name, f"random.{name}({many}, {between}seed={seed})"
        for parameter, value in itertools.product(names, parameters):
            yield name, f"random.{name}({many}, {parameter}={value}, seed=3)"
            yield name, f"random.{name}((3,), {parameter}={value}, seed=3)"
    for value in parameters:
        yield "gamma", f"random.gamma({many}, {value}, seed=3)"
        for name in ("beta", "binomial", "randint"):
            yield name, f"random.{name}({many}, {value}, 0.3, seed=3)"
            yield name, f"random.{name}({many}, 4, {value}, seed=3)"
    for low, high in ((-5, 5), (5, 5), (7, 3), (0, 1), (0, 2**31 - 1), (-(2**31), 2**31 - 1), (0, 2**32), (1.5, 4.5)):
        for dtype in ("int32", "int64", "uint8", "uint32", "int8"):
            yield "randint", f"random.randint({many}, {low}, {high}, dtype={dtype!r}, seed=3)"
    for count, p in itertools.product((0, 1, 5, 40, 1000), (0.0, 0.01, 0.5, 0.99, 1.0, 1.5, -0.5)):
        yield "binomial", f"random.binomial({many}, {count}, {p}, seed=3)"
    for alpha in (0.3, 1.0, 3.0, 50.0, 0.0, -1.0):
        yield "gamma", f"random.gamma({many}, {alpha}, seed=3)"
        yield "beta", f"random.beta({many}, {alpha}, 0.7, seed=3)"
        yield "beta", f"random.beta({many}, 0.7, {alpha}, seed=3)"
    for logits in ("N(2, 5)", "N(1, 5) * 0", "N(5)", "N(2, 3, 5)", "N(0, 5)", "N(2, 0)", "[[0.0, 1.0]]",
                   "T([[1, 2, 3]], 'int32')", "T([[0.5, 1.5]], 'float16')", "T([[0.5, 1.5]], 'float64')",
                   "T([[0.0, float('-inf')]], 'float32')", "T([[float('nan'), 0.0]], 'float32')",
                   "np.zeros((1, 3), 'float32')", "T([[True, False]], 'bool')"):  # fmt: skip
        for number in ("20000", "1", "0", "-1", "2.0", "None"):
            yield "categorical", f"random.categorical({logits}, {number}, seed=3)"
    for dtype in DTYPES:
        yield "categorical", f"random.categorical(N(1, 5), 20000, dtype={dtype!r}, seed=3)"
    for seed in seeds:
        yield "categorical", f"random.categorical(N(1, 5), 20000, seed={seed})"
        yield "dropout", f"random.dropout(ops.ones((20000,)), 0.3, seed={seed})"
        yield "shuffle", f"random.shuffle(ops.arange(20000), seed={seed})"
    for rate in (
        "0",
        "0.0",
        "0.3",
        "0.5",
        "1.0",
        "1",
        "1.5",
        "-0.5",
        "None",
        "'nonsense'",
        "T(0.5, 'float32')",
        "True",
    ):
        yield "dropout", f"random.dropout(ops.ones((20000,)), {rate}, seed=3)"
        yield "dropout", f"random.dropout(N(3), {rate}, seed=3)"
    for noise in ("(2000, 1)", "(2000, 10)", "(None, 1)", "None", "(7,)", "(2000,)", "(1,)", "[2000, 1]", "()", "10",
                  "(2000, 1, 1)"):  # fmt: skip
        yield "dropout", f"random.dropout(ops.ones((2000, 10)), 0.5, noise_shape={noise}, seed=3)"
    for dtype in DTYPES[:-2]:
        yield "dropout", f"random.dropout(ops.ones((20000,), {dtype!r}), 0.5, seed=3)"
        yield "shuffle", f"random.shuffle(T([0, 1, 1, 0], {dtype!r}), seed=3)"
    for x in ("[1.0, 2.0]", "np.ones((20000,), 'float32')", "2.0", "T(2.0, 'float32')", "N(0)", "N(0, 3)"):
        yield "dropout", f"random.dropout({x}, 0.5, seed=3)"
        yield "shuffle", f"random.shuffle({x}, seed=3)"
    for axis in ("0", "1", "-1", "2", "-3", "None", "1.0", "(0,)"):
        yield "shuffle", f"random.shuffle(N(20, 1000), axis={axis}, seed=3)"
        yield "shuffle", f"random.shuffle(N(20, 0), axis={axis}, seed=3)"


@functools.cache
def _all() -> tuple[tuple[str, str, str], ...]:
    made = [("creation", *c) for c in _creation()] + [("control", *c) for c in _control()]
    return tuple(dict.fromkeys(made + [("random", *c) for c in _random()]))


def expressions() -> Iterator[tuple[str, str]]:
    """`(op, text)` of every call."""
    return ((op, text) for _, op, text in _all())


@functools.cache
def families() -> dict[str, str]:
    """In which of "creation", "control" and "random" an op is."""
    return {op: family for family, op, _ in _all()}
