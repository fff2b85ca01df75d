"""Shapes of native code on symbolic arguments, found by running it on probes.

Unknown dimensions become two different sizes in two runs; output dimensions that differ between the runs are unknown.
"""

from __future__ import annotations

from typing import Any, Callable

from kops import tree
from kops.keras_tensor import KerasTensor

_SIZES = (83, 89)


def probe(
    function: Callable[..., Any],
    args: Any,
    kwargs: Any,
    evaluate: Callable[[Callable[[list[Any]], Any], list[Any]], Any],
) -> Any:
    """Output KerasTensors of `function`.

    Args:
        evaluate: `(f, specs) -> outputs` runs `f` on stand-ins for `specs` (pairs of shape and dtype name) and
            returns anything with `shape` and `dtype` at the leaves.
    """
    leaves = tree.flatten((args, kwargs))
    places = [i for i, x in enumerate(leaves) if isinstance(x, KerasTensor)]

    def run(size: int) -> Any:
        specs = [(tuple(size if d is None else d for d in leaves[i].shape), leaves[i].dtype) for i in places]

        def call(tensors: list[Any]) -> Any:
            filled = leaves[:]
            for i, tensor in zip(places, tensors):
                filled[i] = tensor
            a, k = tree.pack_sequence_as((args, kwargs), filled)
            return function(*a, **k)

        return evaluate(call, specs)

    first = run(_SIZES[0])
    second = run(_SIZES[1]) if any(None in leaves[i].shape for i in places) else first

    def merge(a: Any, b: Any) -> Any:
        shape = tuple(m if m == n else None for m, n in zip(a.shape, b.shape))
        return KerasTensor(shape, a.dtype)

    return tree.map_structure(merge, first, second, none_is_leaf=False)
