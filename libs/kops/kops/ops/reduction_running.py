"""Running sums and products, integrals and correlations."""

from __future__ import annotations

from typing import Any, Optional

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive


def _running_holes(d: Any, dtype: Any = None, **static: Any) -> Any:
    """As `running`, but NaN are looked for before the cast: whole numbers have none."""
    return (None,), promote.running(d, dtype)[1]


def _trapezoid_shape(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> shapes.Shape:
    shape = shapes.reduced_shape(y.shape, shapes.standardize_axis(axis, len(y.shape)), False)
    if x is not None and len(x.shape) not in (1, len(y.shape)):
        raise ValueError(f"x has shape {tuple(x.shape)}; it must have that of y, {tuple(y.shape)}, or one dimension.")
    if x is not None:
        n = y.shape[axis]
        places = x.shape[axis if len(x.shape) == len(y.shape) else 0]
        if None not in (n, places) and n != places:
            raise ValueError(f"x has {places} places for the {n} values of y along axis {axis}.")
    return shape


def _corrcoef_shape(x: Any) -> shapes.Shape:
    if len(x.shape) not in (1, 2):
        raise ValueError(f"variables and observations make one or two dimensions, not {len(x.shape)}.")
    return (x.shape[0],) * 2 if len(x.shape) == 2 else ()


@primitive("numpy", dtype=promote.running, shape=shapes.along_one)
def cumsum(x: Tensor, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sum: each element plus all before it.

    Args:
        x: a tensor.
        axis: along which; None for the flattened tensor.
        dtype: of the computation and the output; by default that of `x`, int32 for bools.

    Returns:
        A tensor of the shape of `x`; of one dimension if `axis` is None.
    """


@primitive("numpy", dtype=promote.running, shape=shapes.along_one)
def cumprod(x: Tensor, axis: int | None = None, dtype: Any = None) -> Any:
    """Running product: each element times all before it.

    Args:
        x: a tensor.
        axis: along which; None for the flattened tensor.
        dtype: of the computation and the output; by default that of `x`, int32 for bools.

    Returns:
        A tensor of the shape of `x`; of one dimension if `axis` is None.
    """


@composite("numpy", dtype=_running_holes, shape=shapes.along_one)
def nancumsum(x: Tensor, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sum in which NaN counts as 0.

    Args:
        x: a tensor.
        axis: along which; None for the flattened tensor.
        dtype: of the computation and the output; by default that of `x`, int32 for bools.

    Returns:
        A tensor of the shape of `x`; of one dimension if `axis` is None.
    """
    return cumsum(kops.where(kops.isnan(x), 0, x), axis, dtype)


@composite("numpy", dtype=_running_holes, shape=shapes.along_one)
def nancumprod(x: Tensor, axis: int | None = None, dtype: Any = None) -> Any:
    """Running product in which NaN counts as 1.

    Args:
        x: a tensor.
        axis: along which; None for the flattened tensor.
        dtype: of the computation and the output; by default that of `x`, int32 for bools.

    Returns:
        A tensor of the shape of `x`; of one dimension if `axis` is None.
    """
    return cumprod(kops.where(kops.isnan(x), 1, x), axis, dtype)


@composite("numpy", dtype=promote.inexact, shape=_trapezoid_shape, checked=True)
def trapezoid(y: Tensor, x: Optional[Tensor] = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Integral by the trapezoidal rule.

    Args:
        y: values of the function.
        x: places of the values: of the shape of `y` or of one dimension; None for equal distances.
        dx: the distance without `x`.
        axis: of `y` along which to integrate.

    Returns:
        The tensor without that axis, float.
    """
    axis = shapes.standardize_axis(axis, len(y.shape))
    y = kops.moveaxis(y, axis, -1)
    if x is not None:
        x = kops.moveaxis(x, axis, -1) if len(x.shape) == len(y.shape) else x
        dx = kops.subtract(x[..., 1:], x[..., :-1])
    return kops.divide(kops.sum(kops.multiply(kops.add(y[..., 1:], y[..., :-1]), dx), -1), 2)


@composite("numpy", dtype=promote.inexact, shape=_corrcoef_shape, checked=True)
def corrcoef(x: Tensor) -> Any:
    """Pearson's correlation coefficients of variables.

    Args:
        x: a tensor `(variables, observations)`, or `(observations,)` of one variable.

    Returns:
        A float tensor `(variables, variables)`; a scalar for one variable.
    """
    rows = x if len(x.shape) == 2 else kops.expand_dims(x, 0)
    rows = kops.subtract(rows, kops.mean(rows, 1, True))
    covariance = kops.matmul(rows, kops.conjugate(kops.transpose(rows)))
    spread = kops.sqrt(kops.sum(kops.square(kops.absolute(rows)), 1))
    result = kops.divide(kops.divide(covariance, kops.expand_dims(spread, 1)), kops.expand_dims(spread, 0))
    return result if len(x.shape) == 2 else kops.sum(result)
