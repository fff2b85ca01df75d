"""Functions of one slice applied to all slices, and prefix sums with any associative function."""

from __future__ import annotations

import re
from typing import Any, Callable

import kops
from kops import tree
from kops.control_trees import at, known_length, leading, longer, result_specs, specs, stacked, tensors, without_first
from kops.declare import Operand, functional
from kops.engine import engine
from kops.keras_tensor import KerasTensor, any_symbolic
from kspec import public


def _map_spec(f: Any, xs: Any) -> Any:
    return longer(result_specs(f, without_first(xs)), leading("map", xs))


@functional("keras.ops.map", shape=_map_spec)
def map(f: Callable[..., Any], xs: Operand) -> Any:
    """`f` of each slice along the first axis, one after the other, stacked.

    Args:
        f: takes a slice of `xs` (with its structure).
        xs: tensor or tree of tensors with the same size of the first axis.

    Returns:
        The results, stacked along a new first axis.
    """
    xs = tensors(xs)
    rows = [tensors(f(at(xs, i))) for i in range(known_length("map", xs))]
    return stacked(rows, lambda: result_specs(f, without_first(xs)))


def _vectorized_spec(function: Any, elements: Any) -> Any:
    return longer(result_specs(function, without_first(elements)), leading("vectorized_map", elements))


@functional("keras.ops.vectorized_map", shape=_vectorized_spec)
def vectorized_map(function: Callable[..., Any], elements: Operand) -> Any:
    """As `map`, all slices at once: the function's own ops get a batch axis where the engine can do so.

    Args:
        function: takes a slice of `elements` (with its structure); must have no side effects.
        elements: tensor or tree of tensors with the same size of the first axis.

    Returns:
        The results, stacked along a new first axis.
    """
    return map(function, elements)


def _associative_spec(f: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    leading("associative_scan", elems, axis=axis)
    return tree.map_structure(lambda s: KerasTensor(s.shape, s.dtype), specs(elems))


@functional("keras.ops.associative_scan", shape=_associative_spec)
def associative_scan(f: Callable[..., Any], elems: Operand, reverse: bool = False, axis: int = 0) -> Any:
    """All prefixes of the slices, combined by an associative function, in logarithmically many steps.

    Args:
        f: takes two trees like `elems` (of any size along the axis) and combines them elementwise along it;
            `f(f(a, b), c)` must be `f(a, f(b, c))`.
        elems: tensor or tree of tensors with the same size along `axis`.
        reverse: combine suffixes.
        axis: along which the slices lie.

    Returns:
        A tree like `elems`, whose slice `i` combines the slices 0 to `i`.

    Example:
        >>> associative_scan(ops.add, ops.arange(5))
        [0, 1, 3, 6, 10]
    """
    elems = tensors(elems)
    size = known_length("associative_scan", elems, axis=axis)

    def cut(x: Any, start: Any, stop: Any, step: int = 1) -> Any:
        i = axis if axis >= 0 else axis + len(engine().shape(x))
        return x[(slice(None),) * i + (slice(start, stop, step),)]

    def both(function: Callable[..., Any], *trees: Any) -> Any:
        return tree.map_structure(function, *trees)

    def go(x: Any, n: int) -> Any:
        if n < 2:
            return x
        pairs = f(both(lambda v: cut(v, 0, n - 1, 2), x), both(lambda v: cut(v, 1, n, 2), x))
        odd = go(pairs, n // 2)
        even = both(lambda v: cut(v, 2, n, 2), x)
        before = odd if n % 2 else both(lambda v: cut(v, 0, n // 2 - 1), odd)
        later = f(before, even) if n > 2 else even
        even = both(lambda v, w: kops.concatenate([cut(v, 0, 1), w], axis), x, later)
        return both(lambda a, b: _woven(a, b, n, axis), even, odd)

    if reverse:
        elems = both(lambda v: kops.flip(v, axis), elems)
    result = go(elems, size)
    return both(lambda v: kops.flip(v, axis), result) if reverse else result


def _woven(even: Any, odd: Any, n: int, axis: int) -> Any:
    """Slices 0, 2, 4, ... and 1, 3, 5, ... in one tensor."""
    ndim = len(even.shape)
    i = axis if axis >= 0 else axis + ndim
    head = (slice(None),) * i
    shape = list(engine().shape(even))
    shape[i] = 2 * (n // 2)
    paired = kops.reshape(kops.stack([even[(*head, slice(0, n // 2))], odd], i + 1), shape)
    return kops.concatenate([paired, even[(*head, slice(n // 2, None))]], i) if n % 2 else paired


_DIMENSIONS = re.compile(r"\(([^()]*)\)")


def _parse(signature: str) -> tuple[list[list[str]], list[list[str]]]:
    """`"(n,k),(k)->(n)"` as the names of the arguments' and of the results' core dimensions."""
    sides = signature.replace(" ", "").split("->")
    if len(sides) != 2 or any(_DIMENSIONS.sub("", s).strip(",") for s in sides):
        raise ValueError(f"vectorize: {signature!r} is not a signature like '(n,k),(k)->(n)'.")
    inputs, outputs = ([[n for n in found.split(",") if n] for found in _DIMENSIONS.findall(s)] for s in sides)
    return inputs, outputs


@public("keras.ops.vectorize", "keras.ops.numpy.vectorize")
def vectorize(pyfunc: Callable[..., Any], *, excluded: Any = None, signature: str | None = None) -> Callable[..., Any]:
    """A function that applies `pyfunc` elementwise, with broadcasting.

    Args:
        pyfunc: takes single elements, or what `signature` says.
        excluded: positions and names of arguments that are passed as they are.
        signature: as `"(n,k),(k)->(n)"`, which trailing dimensions `pyfunc` sees; the others are broadcast.

    Returns:
        A function with the arguments of `pyfunc`.

    Example:
        >>> vectorize(ops.dot, signature="(n),(n)->()")(ops.ones((4, 3)), ops.ones(3))
        [3., 3., 3., 3.]
    """
    if not callable(pyfunc):
        raise TypeError(f"vectorize: pyfunc must be callable, not {pyfunc!r}.")
    skipped = set(excluded or ())
    parsed = _parse(signature) if signature is not None else None

    def vectorized(*args: Any, **kwargs: Any) -> Any:
        from kops.shapes import broadcast_shapes

        places = [i for i in range(len(args)) if i not in skipped]
        if any(name not in skipped for name in kwargs):
            wanted = sorted(set(kwargs) - skipped)
            raise ValueError(f"vectorize: arguments by name must be excluded ones, not {', '.join(wanted)}.")
        given = [args[i] if any_symbolic(args[i]) else kops.convert_to_tensor(args[i]) for i in places]
        cores = parsed[0] if parsed else [[]] * len(given)
        if len(cores) != len(given):
            raise ValueError(f"vectorize: signature {signature!r} has {len(cores)} arguments, not {len(given)}.")
        sizes: dict[str, Any] = {}
        batches = []
        for x, names in zip(given, cores):
            shape = tuple(x.shape)
            if len(shape) < len(names):
                raise ValueError(f"vectorize: an argument of shape {shape} has no dimensions {tuple(names)}.")
            split = len(shape) - len(names)
            batches.append(shape[:split])
            for name, d in zip(names, shape[split:]):
                if sizes.setdefault(name, d) != d:
                    raise ValueError(f"vectorize: dimension {name!r} is {sizes[name]} and {d}.")
        batch = broadcast_shapes(*batches)
        if not batch:
            return _call(pyfunc, args, kwargs, places, given)
        rows = []
        for x, own in zip(given, batches):
            core = tuple(x.shape)[len(own) :]
            rows.append(kops.reshape(kops.broadcast_to(x, (*batch, *core)), (-1, *core)))
        out = vectorized_map(lambda xs: _call(pyfunc, args, kwargs, places, xs), rows)
        return tree.map_structure(lambda y: kops.reshape(y, (*batch, *tuple(y.shape)[1:])), out)

    return vectorized


def _call(function: Any, args: Any, kwargs: Any, places: list[int], values: Any) -> Any:
    filled = list(args)
    for i, value in zip(places, values):
        filled[i] = value
    return function(*filled, **kwargs)
