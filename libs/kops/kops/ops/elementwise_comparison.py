"""Elementwise comparison, predicates, logic and choice."""

from __future__ import annotations

from typing import Any, Optional

import kops
from kops import promote, shapes
from kops.declare import Tensor, Tensors, composite, primitive
from kops.dtypes import FLOATS, limits, standardize_dtype


def _scalar(x1: Any, x2: Any, *static: Any) -> shapes.Shape:
    shapes.broadcast_shapes(x1.shape, x2.shape)
    return ()


def _where_shape(condition: Any, x1: Any = None, x2: Any = None) -> shapes.Shape:
    if x1 is None and x2 is None:
        raise ValueError("the indices of true elements are as many as the values say, so they have no symbolic form.")
    if x1 is None or x2 is None:
        raise ValueError("give both x1 and x2 to choose from, or none of them.")
    return shapes.broadcast_shapes(condition.shape, x1.shape, x2.shape)


def _select_shape(condlist: Any, choicelist: Any, default: Any = 0) -> shapes.Shape:
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(f"there are {len(condlist)} conditions but {len(choicelist)} choices.")
    return shapes.broadcast_shapes(*(x.shape for x in (*condlist, *choicelist, default)))


@primitive("numpy", dtype=promote.compare, shape=shapes.broadcast)
def equal(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 == x2`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.compare, shape=shapes.broadcast)
def not_equal(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 != x2`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.ordering, shape=shapes.broadcast)
def less(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 < x2`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.ordering, shape=shapes.broadcast)
def less_equal(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 <= x2`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.ordering, shape=shapes.broadcast)
def greater(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 > x2`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.ordering, shape=shapes.broadcast)
def greater_equal(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 >= x2`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast bool tensor.
    """


@composite("numpy", dtype=promote.closeness, shape=shapes.broadcast)
def isclose(x1: Tensor, x2: Tensor, rtol: Tensor = 1e-05, atol: Tensor = 1e-08, equal_nan: bool = False) -> Any:
    """Whether `abs(x1 - x2) <= atol + rtol * abs(x2)`; infinities are close to themselves.

    Args:
        x1, x2: tensors that broadcast against each other.
        rtol, atol: relative and absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        The broadcast bool tensor.
    """
    near = less_equal(kops.absolute(kops.subtract(x1, x2)), kops.add(atol, kops.multiply(rtol, kops.absolute(x2))))
    close = logical_or(equal(x1, x2), logical_and(near, isfinite(x2)))
    return logical_or(close, logical_and(isnan(x1), isnan(x2))) if equal_nan else close


@composite("numpy", dtype=promote.closeness, shape=_scalar, node="AllClose")
def allclose(x1: Tensor, x2: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether all elements of two tensors are close; see `isclose`.

    Args:
        x1, x2: tensors that broadcast against each other.
        rtol, atol: relative and absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        A bool scalar tensor.
    """
    return kops.all(isclose(x1, x2, rtol, atol, equal_nan))


@primitive("numpy", dtype=promote.predicate, shape=shapes.same)
def isfinite(x: Tensor) -> Any:
    """Whether `x` is neither infinite nor NaN.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """


@primitive("numpy", dtype=promote.predicate, shape=shapes.same)
def isinf(x: Tensor) -> Any:
    """Whether `x` is plus or minus infinity.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """


@primitive("numpy", dtype=promote.predicate, shape=shapes.same)
def isnan(x: Tensor) -> Any:
    """Whether `x` is NaN.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """


@composite("numpy", dtype=promote.real_predicate, shape=shapes.same)
def isneginf(x: Tensor) -> Any:
    """Whether `x` is minus infinity.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """
    return logical_and(isinf(x), less(x, 0))


@composite("numpy", dtype=promote.real_predicate, shape=shapes.same)
def isposinf(x: Tensor) -> Any:
    """Whether `x` is plus infinity.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """
    return logical_and(isinf(x), greater(x, 0))


@primitive("numpy", dtype=promote.real_predicate, shape=shapes.same)
def signbit(x: Tensor) -> Any:
    """Whether the sign bit is set: negative numbers and -0.0.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """


@primitive("numpy", dtype=promote.logical, shape=shapes.broadcast)
def logical_and(x1: Tensor, x2: Tensor) -> Any:
    """Whether both are true (not zero).

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.logical, shape=shapes.broadcast)
def logical_or(x1: Tensor, x2: Tensor) -> Any:
    """Whether one is true (not zero).

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.logical, shape=shapes.broadcast)
def logical_xor(x1: Tensor, x2: Tensor) -> Any:
    """Whether exactly one is true (not zero).

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast bool tensor.
    """


@primitive("numpy", dtype=promote.logical, shape=shapes.same)
def logical_not(x: Tensor) -> Any:
    """Whether `x` is false (zero).

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """


@primitive("numpy", dtype=promote.chosen, shape=_where_shape)
def where(condition: Tensor, x1: Optional[Tensor] = None, x2: Optional[Tensor] = None) -> Any:
    """Elements of `x1` where the condition holds, of `x2` elsewhere.

    With the condition alone, the indices of its true elements, as `nonzero`.

    Args:
        condition: a tensor, true where not zero.
        x1, x2: tensors that broadcast against it and each other; both or none.

    Returns:
        The broadcast tensor in the promoted dtype of `x1` and `x2`; or an int32 tensor of
        indices per dimension.

    Raises:
        ValueError: when only one of `x1` and `x2` is given, or for the indices of a symbolic tensor.
    """


@composite("numpy", dtype=promote.selected, shape=_select_shape, checked=True)
def select(condlist: Tensors, choicelist: Tensors, default: Tensor = 0) -> Any:
    """Elements of the first choice whose condition holds, and of `default` where none does.

    Args:
        condlist: bool tensors.
        choicelist: as many tensors to choose from; all broadcast against each other.
        default: a number or tensor.

    Returns:
        The broadcast tensor in the promoted dtype of choices and default.

    Raises:
        ValueError: when there are not as many conditions as choices.
    """
    result = default
    for condition, choice in zip(reversed(list(condlist)), reversed(list(choicelist))):
        result = where(condition, choice, result)
    return result


@composite("numpy", dtype=promote.common, shape=shapes.same)
def nan_to_num(x: Tensor, nan: float = 0.0, posinf: Optional[float] = None, neginf: Optional[float] = None) -> Any:
    """NaN and infinities replaced by numbers.

    Args:
        x: a tensor of any shape.
        nan, posinf, neginf: the replacements; None for the largest and smallest number of the dtype.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    if standardize_dtype(x.dtype).startswith("complex"):
        return kops.view_as_complex(nan_to_num(kops.view_as_real(x), nan, posinf, neginf))
    if standardize_dtype(x.dtype) not in FLOATS:
        return x
    low, high = limits(x.dtype)
    x = where(isnan(x), nan, x)
    x = where(isposinf(x), high if posinf is None else posinf, x)
    return where(isneginf(x), low if neginf is None else neginf, x)
