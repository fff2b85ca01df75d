"""The sample space around the rows: the same calls with other shapes, static arguments, dtypes and forms.

A *variation* changes one thing of a row's call: a length everywhere, one argument's shape, a static argument, the
dtypes, or the form in which an argument comes (native, NumPy, list, Variable). A sample is a row under one variation
or two. Most are right calls, many are wrong ones: what matters is that everybody says the same about them
(`kops.conformance.agreement`). The space is the same in every process and on every engine.
"""

from __future__ import annotations

import functools
import random
import zlib
from typing import Any, Callable, Iterator, Tuple

import numpy as np

from kops.conformance import collect
from kops.conformance.rows import Maker, Row
from kops.conformance.trial import Trial, fill, makers
from kops.declare import OPS

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
AXES = (0, 1, 2, 3, -1, -2, -4, None, (), (0,), (0, -1), (1, 0), (0, 0), [0, 1], 1.5)
_AXIS_NAMES = {"axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc", "source", "destination", "spatial_dims"}
_FIXED = {"seed", "kwargs", "axes_lengths", "flash_attention"}  # not deterministic, not static, not portable
_PAIRS = 16  # samples with two variations, for each row


class Draft:
    """A call in the making."""

    def __init__(self, row: Row) -> None:
        self.args: list[Any] = list(row.args)
        self.static = dict(row.static)
        self.forms = ["native"] * len(makers((row.args, row.static)))

    def makers(self) -> list[Maker]:
        return makers((self.args, self.static))

    def refill(self, change: Callable[[int, Maker], Maker]) -> None:
        made = [change(i, m) for i, m in enumerate(self.makers())]
        self.args, self.static = fill((self.args, self.static), made)


Variation = Tuple[str, Callable[[Draft], None]]


class Sample:
    """A call and its name, which is the same on every engine; made when it is first looked at.

    Attributes:
        trial: the call.
        forms: in which form each array comes.
    """

    def __init__(self, name: str, row: Row, chosen: list[Variation]) -> None:
        self.name = name
        self.row = row
        self._chosen = chosen

    @functools.cached_property
    def _draft(self) -> Draft:
        draft = Draft(self.row)
        for _, edit in self._chosen:
            edit(draft)
        draft.refill(_settled)
        return draft

    @functools.cached_property
    def trial(self) -> Trial:
        return Trial(self.row.op, self._draft.args, self._draft.static)

    @property
    def forms(self) -> list[str]:
        return self._draft.forms


def samples(row: Row, number: int) -> Iterator[Sample]:
    """All samples around the `number`th row of its op."""
    draft = Draft(row)
    singles = [("as it is", lambda d: None), *_lengths(draft), *_shapes(draft), *_statics(row), *_dtypes(draft),
               *_forms(draft)]  # fmt: skip
    chooser = random.Random(zlib.crc32(f"{row.op}{number}".encode()))
    pairs = [chooser.sample(singles, 2) for _ in range(_PAIRS)] if len(singles) > 2 else []
    for chosen in [*([s] for s in singles), *pairs, *([s] for s in _numbers(draft))]:
        label = " & ".join(label for label, _ in chosen)
        yield Sample(f"{row.op}#{number}: {label}", row, chosen)


def space(ops: Any = None) -> Iterator[Sample]:
    """All samples of these ops (None: of all)."""
    for _, rows in sorted(collect.rows().items()):
        if (ops is None or rows[0].op in ops) and OPS[rows[0].op].kind != "functional":
            for number, row in enumerate(rows):
                yield from samples(row, number)


def _settled(place: int, maker: Maker) -> Maker:
    """With its dtype decided, so that a Trial leaves it alone."""
    return Maker(maker.shape, "settled", maker.dtype, maker._draw)


def _reshaped(maker: Maker, shape: tuple[int, ...]) -> Maker:
    if shape == maker.shape:
        return maker
    return Maker(shape, maker.kind, maker.dtype, lambda rng: np.resize(maker._draw(rng), shape))


def _retyped(maker: Maker, dtype: str) -> Maker:
    return Maker(maker.shape, maker.kind, dtype, maker._draw)


def _lengths(draft: Draft) -> list[Variation]:
    def edit(old: int, new: int) -> Variation:
        def change(_: int, m: Maker) -> Maker:
            return _reshaped(m, tuple(new if d == old else d for d in m.shape))

        return f"length {old} is {new}", lambda d: d.refill(change)

    found = sorted({d for m in draft.makers() for d in m.shape})
    return [edit(old, new) for old in found for new in (0, 1, old + 1) if new != old]


def _shapes(draft: Draft) -> list[Variation]:
    def edit(what: str, form: Callable[[Any], Any], only: int | None = None) -> Variation:
        def change(place: int, m: Maker) -> Maker:
            return _reshaped(m, tuple(form(m.shape))) if only in (None, place) else m

        return f"{what} of {'all' if only is None else only}", lambda d: d.refill(change)

    found = [
        edit("one dimension less", lambda s: s[1:]),
        edit("one dimension more", lambda s: (2, *s)),
        edit("scalar", lambda s: ()),
        edit("all ones", lambda s: (1,) * len(s)),
    ]
    places = range(len(draft.makers())) if len(draft.makers()) > 1 else ()
    for i in places:
        found += [
            edit("one dimension less", lambda s: s[1:], i),
            edit("one dimension more", lambda s: (1, *s), i),
            edit("scalar", lambda s: (), i),
            edit("empty", lambda s: (*s[:-1], 0), i),
            edit("longer", lambda s: (*s[:-1], *[d + 1 for d in s[-1:]]), i),
            edit("first one", lambda s: (*[1 for _ in s[:1]], *s[1:]), i),
        ]
    return found


def _dtypes(draft: Draft) -> list[Variation]:
    def edit(dtype: str, only: int | None = None) -> Variation:
        def change(place: int, m: Maker) -> Maker:
            swept = only == place or (only is None and m.kind == swept_kind)
            return _retyped(m, dtype) if swept else m

        return f"{dtype} for {'all' if only is None else only}", lambda d: d.refill(change)

    kinds = [m.kind for m in draft.makers()]
    if not kinds:
        return []
    swept_kind = "float" if "float" in kinds else kinds[0]
    found = [edit(dtype) for dtype in DTYPES]
    if len(kinds) > 1:
        found += [edit(dtype, i) for i in range(len(kinds)) for dtype in DTYPES[i::3]]
    return found


def _forms(draft: Draft) -> list[Variation]:
    def edit(form: str, place: int) -> Variation:
        def change(d: Draft) -> None:
            d.forms[place] = form

        return f"{form} for {place}", change

    return [edit(f, i) for i in range(len(draft.forms)) for f in ("numpy", "list", "variable")]


def _numbers(draft: Draft) -> list[Variation]:
    def edit(place: int) -> Variation:
        def change(d: Draft) -> None:
            d.refill(lambda i, m: _reshaped(m, ()) if i == place else m)
            d.forms[place] = "list"

        return f"Python number for {place}", change

    return [edit(i) for i in range(len(draft.forms))] if len(draft.forms) > 1 else []


def _statics(row: Row) -> list[Variation]:
    found: list[Variation] = []
    seen = [r for rows in collect.rows().values() for r in rows if r.op == row.op]
    for position, p in enumerate(OPS[row.op].parameters):
        if p.kind != "static" or p.name in _FIXED or p.passing in (p.passing.VAR_KEYWORD, p.passing.VAR_POSITIONAL):
            continue
        by_position = position < len(row.args)
        value = row.args[position] if by_position else row.static.get(p.name, p.default)
        elsewhere = [r.args[position] if position < len(r.args) else r.static.get(p.name) for r in seen]
        for other in _others(p.name, value, elsewhere, p.default):
            found.append((f"{p.name}={other!r}", _placing(p.name, position if by_position else None, other)))
    return found


def _placing(name: str, position: int | None, value: Any) -> Callable[[Draft], None]:
    def change(d: Draft) -> None:
        if position is None:
            d.static[name] = value
        else:
            d.args[position] = value

    return change


def _others(name: str, value: Any, elsewhere: list[Any], default: Any) -> list[Any]:
    """Other values for a static argument: those of its kind, those of other rows, and wrong ones."""
    found: list[Any] = list(elsewhere)
    if name in _AXIS_NAMES:
        found += AXES
    elif name == "dtype":
        found += [*DTYPES, None, "nonsense"]
    elif isinstance(value, bool):
        found += [not value, None]
    elif isinstance(value, str):
        found += ["channels_first", "channels_last"] if name == "data_format" else ["nonsense"]
    elif isinstance(value, int):
        found += [value + 1, 0, -value, -1, None, (value,), (value, value), float(value), "nonsense"]
    elif isinstance(value, float):
        found += [0.0, -value, 2 * value, 1, None]
    elif isinstance(value, (tuple, list)) and not makers(value):
        for entry in (0, 1, -1, None):
            found.append((entry, *value[1:]))
        found += [tuple(value[:-1]), (*value, *value[:1]), list(value), None, 0, 1, -1]
    elif value is None:
        found += [0, 1, 2, -1]
    distinct: dict[str, Any] = {}
    for other in found:
        if not makers(other) and not callable(other) and other is not default.__class__:
            distinct.setdefault(repr(other), other)
    distinct.pop(repr(value), None)
    return list(distinct.values())
