"""Dtype rules: what arguments are cast to, and what comes out.

A rule gets the dtypes of the tensor arguments (names; for Python scalars the types `int`, `float`, `complex`,
`bool`; None for an absent optional one; a list for a `Tensors` parameter) and the static arguments by name. It
returns `(compute, result)`: `compute` is one dtype for all tensor arguments or a tuple with one for each, where None
leaves an argument as it is; `result` is a dtype, a tuple of them for several outputs, or None to leave what the
kernel returns.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from kops import dtypes
from kops.dtypes import result_type
from kops.sparse_rules import flatten

Rule = Callable[..., Any]


def natural(d: Any) -> str:
    """The dtype of a lone argument: of a Python scalar that of `convert_to_tensor`."""
    return result_type(d)


def common(*ds: Any, **static: Any) -> Any:
    """All are promoted to their result type; so is the output."""
    dtype = result_type(*flatten(ds))
    return dtype, dtype


def each_result(change: Callable[[Any, Any], Any], outputs: Any, result: Any) -> Any:
    """`change(output, dtype)` of what a call gives, by the `result` of a rule; `outputs` itself where none is new."""
    if not isinstance(outputs, (list, tuple)):
        return change(outputs, result)
    wanted = result if isinstance(result, tuple) else (result,) * len(outputs)
    changed = [each_result(change, output, dtype) for output, dtype in zip(outputs, wanted)]
    if all(a is b for a, b in zip(changed, outputs)):
        return outputs
    return type(outputs)(*changed) if hasattr(outputs, "_fields") else type(outputs)(changed)


def check_indices(d: Any) -> None:
    """Refuse a dtype that is not of whole numbers."""
    if d is not None and natural(d) not in dtypes.INTS:
        raise TypeError(f"indices are integers, but these are {natural(d)}.")


def indexed(d: Any, indices: Any, *ds: Any, **static: Any) -> Any:
    """As `first`; the second argument holds indices."""
    check_indices(indices)
    return first(d, indices, *ds)


def positions(d: Any, **static: Any) -> Any:
    """As it is, of whole numbers."""
    check_indices(d)
    return first(d)


def first(d: Any, *ds: Any, **static: Any) -> Any:
    """Output as the first argument; the others are left alone (indices, lengths)."""
    dtype = result_type(*d) if isinstance(d, list) else natural(d)
    return (dtype, *(None for _ in ds)), dtype


def inexact(*ds: Any, **static: Any) -> Any:
    """Promoted, ints and bools to `floatx`: functions like `exp` and `divide`."""
    dtype = dtypes.to_inexact(result_type(*flatten(ds)))
    return dtype, dtype


def real_inexact(*ds: Any, **static: Any) -> Any:
    """As `inexact`, but a complex argument gives a float output: norms, magnitudes."""
    dtype = dtypes.to_inexact(result_type(*flatten(ds)))
    return dtype, real_part(dtype)


def wide(*ds: Any, **static: Any) -> Any:
    """As `inexact`, halves computed in float32: sums and squares on the way leave the range of 16 bits."""
    dtype = inexact(*ds)[0]
    return ("float32" if dtype in ("float16", "bfloat16") else dtype), dtype


def statistic(*ds: Any, **static: Any) -> Any:
    """As `wide`, but a complex argument gives a float output."""
    compute, dtype = wide(*ds)
    return compute, real_part(dtype)


def several(*wanted: str) -> Rule:
    """As `wide`, with several outputs: each the "own" dtype of the arguments, its "real" part, or one by name."""

    def rule(*ds: Any, **static: Any) -> Any:
        compute, dtype = wide(*ds)
        named = {"own": dtype, "real": real_part(dtype)}
        return compute, tuple(named.get(w, w) for w in wanted)

    return rule


def real_part(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def compare(*ds: Any, **static: Any) -> Any:
    """Promoted; the output is bool."""
    return result_type(*flatten(ds)), "bool"


def logical(*ds: Any, **static: Any) -> Any:
    """Cast to bool; the output is bool."""
    return "bool", "bool"


def predicate(d: Any, *ds: Any, **static: Any) -> Any:
    """The argument as it is; the output is bool."""
    return natural(d), "bool"


def index(d: Any, *ds: Any, **static: Any) -> Any:
    """The first argument as it is; the output is an int32 index or count."""
    return (natural(d), *(None for _ in ds)), "int32"


def accumulate(d: Any, *ds: Any, dtype: Any = None, **static: Any) -> Any:
    """Sums and products: bool and small ints grow to 32 bits."""
    name = grown(natural(d)) if dtype is None else dtypes.standardize_dtype(dtype)
    return name, name


def grown(name: str) -> str:
    if name == "bool" or name in ("int8", "int16"):
        return "int32"
    return "uint32" if name in ("uint8", "uint16") else name


def kept(*ds: Any, **static: Any) -> Any:
    """Arguments and outputs as they are."""
    return tuple(None if isinstance(d, list) or d is None else natural(d) for d in ds), None


def fixed(dtype: str) -> Rule:
    """Arguments as they are, output always of one dtype."""

    def rule(*ds: Any, **static: Any) -> Any:
        return tuple(None if isinstance(d, list) or d is None else natural(d) for d in ds), dtype

    return rule


def numeric(*ds: Any, **static: Any) -> Any:
    """As `common`, but bools compute as int32: arithmetic that bools do not have."""
    dtype = result_type(*flatten(ds))
    dtype = "int32" if dtype == "bool" else dtype
    return dtype, dtype


def _real(dtype: str) -> str:
    if dtype.startswith("complex"):
        raise TypeError(f"{dtype} arguments are not supported: this is defined for real numbers only.")
    return dtype


def real(rule: Rule) -> Rule:
    """A rule for real numbers only."""

    @functools.wraps(rule)
    def checked(*ds: Any, **static: Any) -> Any:
        for d in flatten(ds):
            _real("complex64" if d is complex else d if isinstance(d, str) else "")
        return rule(*ds, **static)

    return checked


def real_numeric(*ds: Any, **static: Any) -> Any:
    """As `numeric`, without complex numbers."""
    dtype = _real(numeric(*ds)[0])
    return dtype, dtype


def real_inexact_only(*ds: Any, **static: Any) -> Any:
    """As `inexact`, without complex numbers."""
    dtype = _real(inexact(*ds)[0])
    return dtype, dtype


def magnitude(d: Any, **static: Any) -> Any:
    """As it is; of complex arguments a float."""
    dtype = natural(d)
    return dtype, real_part(dtype)


part = magnitude


def ordered(*ds: Any, **static: Any) -> Any:
    """As `common`, of numbers that have an order. Bools compute as uint8: engines lack maxima of bools."""
    dtype = _real(result_type(*flatten(ds)))
    return ("uint8" if dtype == "bool" else dtype), dtype


def ordering(*ds: Any, **static: Any) -> Any:
    """As `ordered`; the output is bool."""
    return ordered(*ds)[0], "bool"


def real_predicate(d: Any, **static: Any) -> Any:
    """As `predicate`, of real numbers."""
    return _real(natural(d)), "bool"


def closeness(*ds: Any, **static: Any) -> Any:
    """Compared in floats, within real tolerances; the output is bool."""
    dtype, real = real_inexact(*ds)
    return (dtype, dtype, *[real] * len(ds[2:])), "bool"


def chosen(condition: Any, *ds: Any, **static: Any) -> Any:
    """A bool, then the alternatives as `common`. Without alternatives, indices."""
    if not flatten(ds):
        return ("bool", *(None for _ in ds)), "int32"
    dtype = result_type(*flatten(ds))
    return ("bool", *(dtype for _ in ds)), dtype


def selected(conditions: Any, choices: Any, default: Any, **static: Any) -> Any:
    """Lists of bools and of alternatives."""
    dtype = result_type(*choices, default)
    return ("bool", dtype, dtype), dtype


def bits(*ds: Any, **static: Any) -> Any:
    """As `common`, of bools and integers only."""
    dtype = result_type(*flatten(ds))
    if dtype != "bool" and dtype not in dtypes.INTS:
        raise TypeError(f"integers are needed, but the arguments promote to {dtype}.")
    return dtype, dtype


def integers(*ds: Any, **static: Any) -> Any:
    """As `bits`, bools computing as int32."""
    dtype = bits(*ds)[0]
    dtype = "int32" if dtype == "bool" else dtype
    return dtype, dtype


def scaled(d: Any, exponent: Any, **static: Any) -> Any:
    """A float and an integer exponent."""
    name = natural(exponent)
    if name not in dtypes.INTS and name != "bool":
        raise TypeError(f"exponents are integers, but these are {name}.")
    dtype = _real(dtypes.to_inexact(result_type(d)))
    return (dtype, "int32"), dtype


def complex_of(*ds: Any, **static: Any) -> Any:
    """Real arguments in 32 or 64 bits; the output is complex."""
    dtype = _real(dtypes.to_inexact(result_type(*flatten(ds))))
    return ("float64", "complex128") if dtype == "float64" else ("float32", "complex64")


def order_index(d: Any, **static: Any) -> Any:
    """As `index`, of numbers that have an order."""
    return ordered(d)[0], "int32"


def running(d: Any, dtype: Any = None, **static: Any) -> Any:
    """In the static `dtype`, or as it is with bools as int32."""
    name = dtypes.standardize_dtype(dtype) if dtype is not None else numeric(d)[0]
    return name, name


def quantile(d: Any, q: Any, **static: Any) -> Any:
    """The numbers decide; fractions take at least 32 bits, on which places in the order depend."""
    dtype = _real(dtypes.to_inexact(result_type(d)))
    _real(natural(q))
    return (dtype, "float64" if dtype == "float64" else "float32"), dtype
