"""Elementwise graph kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset16 as opset

import kops
from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.openvino.core import GraphTensor, cast, dtype_name, node
from kops.backends.openvino.loops import loop
from kops.dtypes import FLOATS

# Single-precision fits: erfc by a Chebyshev fit in t = 1 / (1 + |x| / 2) with relative error below 1.2e-7
# (Press et al., Numerical Recipes), i0 by Abramowitz and Stegun 9.8.1 and 9.8.2, erfinv by M. Giles
# (see the NumPy engine).
_ERFC = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
]  # fmt: skip
_I0_SMALL = [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0]
_I0_LARGE = [
    0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592, 0.39894228,
]  # fmt: skip


def constant(value: Any, like: Any) -> Any:
    """A scalar in the dtype of a graph handle."""
    return opset.convert(opset.constant(np.float64(value) if isinstance(value, float) else np.int64(value)),
                         like.get_element_type()).output(0)  # fmt: skip


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """The handles of two arguments of one dtype, one of which may be a Python scalar."""
    dtype = dtype_name(y if isinstance(x, (bool, int, float)) else x)
    return node(x, dtype), node(y, dtype)


def _binary(build: Any, of_bools: Any = None) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        a, b = pair(x, y)
        is_bool = of_bools is not None and a.get_element_type().get_type_name() == "boolean"
        return GraphTensor((of_bools if is_bool else build)(a, b))

    return kernel


def _extreme(build: Any) -> Any:
    """Maximum and minimum. OpenVINO passes over NaN in the first argument, not in the second."""

    def kernel(x: Any, y: Any) -> Any:
        if not isinstance(y, GraphTensor):
            x, y = y, x
        a, b = pair(x, y)
        out = build(a, b)
        if isinstance(x, GraphTensor) and dtype_name(x) in FLOATS:
            out = opset.select(opset.is_nan(a), a, out)
        return GraphTensor(out)

    return kernel


def _division(a: Any, b: Any) -> tuple[Any, Any]:
    """Quotient and remainder, rounded down; 0 and 0 by the integer 0.

    OpenVINO divides integers as floats, and large ones end near the quotient: what is left is divided again.
    """
    if a.get_element_type().is_real():
        rest = opset.floor_mod(a, b)
        return opset.divide(opset.subtract(a, rest), b), rest
    kind = a.get_element_type()
    # Signed, for what is left may be negative.
    a, b = (opset.convert(x, "i32" if kind.bitwidth <= 32 else "i64") for x in (a, b))
    zero = opset.convert_like(opset.constant(np.int32(0)), a)

    def number(condition: Any) -> Any:
        return opset.convert(condition, a.get_element_type())

    undefined = number(opset.equal(b, zero))
    b = opset.add(b, undefined)
    quotient, rest = zero, a
    for _ in range(3):
        # The bitwise operation keeps OpenVINO from adding in floats, too.
        more = opset.bitwise_or(opset.divide(rest, b), zero)
        quotient, rest = opset.add(quotient, more), opset.subtract(rest, opset.multiply(more, b))
    wrong = opset.logical_xor(opset.less(rest, zero), opset.less(b, zero))
    wrong = number(opset.logical_and(wrong, opset.not_equal(rest, zero)))
    quotient, rest = opset.subtract(quotient, wrong), opset.add(rest, opset.multiply(wrong, b))
    quotient = opset.subtract(quotient, opset.multiply(quotient, undefined))
    return opset.convert(quotient, kind), opset.convert(rest, kind)


def _floor_divide(a: Any, b: Any) -> Any:
    return _division(a, b)[0]


def _unary(build: Any) -> Any:
    return lambda x: GraphTensor(build(node(x)))


def _polynomial(coefficients: Any, x: Any) -> Any:
    result = constant(coefficients[0], x)
    for c in coefficients[1:]:
        result = opset.add(opset.multiply(result, x).output(0), constant(c, x)).output(0)
    return result


def _scaled(build: Any, factor: float) -> Any:
    return lambda x: opset.multiply(build(x), constant(factor, x))


def _floats_only(build: Any, otherwise: Any) -> Any:
    def kernel(x: Any) -> Any:
        return GraphTensor((build if dtype_name(x) in FLOATS else otherwise)(node(x)))

    return kernel


def _no(x: Any) -> Any:
    return opset.logical_xor(opset.equal(x, x), opset.equal(x, x))


def _expm1(x: Any) -> Any:
    # Through tanh near 0, where exp(x) - 1 loses its digits.
    half = opset.tanh(opset.multiply(x, constant(0.5, x)))
    near = opset.divide(opset.multiply(constant(2.0, x), half), opset.subtract(constant(1.0, x), half))
    small = opset.less(opset.abs(x), constant(0.5, x))
    return opset.select(small, near, opset.subtract(opset.exp(x), constant(1.0, x)))


def _log1p(x: Any) -> Any:
    # W. Kahan: the rounding of 1 + x cancels in log(u) * x / (u - 1).
    one = constant(1.0, x)
    u = opset.add(x, one)
    plain = opset.log(u)
    exact = opset.divide(opset.multiply(plain, x), opset.subtract(u, one))
    near = opset.less(opset.abs(x), constant(0.5, x))
    return opset.select(opset.equal(u, one), x, opset.select(near, exact, plain))


def _truncate(x: Any) -> Any:
    return opset.select(opset.less(x, constant(0.0, x)), opset.ceiling(x), opset.floor(x))


def _round(x: Any, decimals: int = 0) -> Any:
    handle = node(x)
    if dtype_name(x) not in FLOATS:
        if decimals >= 0:
            return x
        return cast(_round(cast(x, "float64"), decimals), dtype_name(x))
    if decimals == 0:
        return GraphTensor(opset.round(handle, "half_to_even"))
    scale = constant(10.0 ** abs(decimals), handle)
    there, back = (opset.multiply, opset.divide) if decimals > 0 else (opset.divide, opset.multiply)
    return GraphTensor(back(opset.round(there(handle, scale), "half_to_even"), scale))


def _arctan2(y: Any, x: Any) -> Any:
    a, b = pair(y, x)
    zero, pi = constant(0.0, a), constant(math.pi, a)
    turned = opset.select(opset.less(a, zero), opset.negative(pi), pi)
    plain = opset.atan(opset.divide(a, b))
    angle = opset.select(opset.less(b, zero), opset.add(plain, turned), plain)
    upright = opset.multiply(opset.sign(a), constant(math.pi / 2, a))
    return GraphTensor(opset.select(opset.equal(b, zero), upright, angle))


def _erfc(x: Any) -> Any:
    one, zero = constant(1.0, x), constant(0.0, x)
    size = opset.abs(x).output(0)
    t = opset.divide(one, opset.add(one, opset.multiply(size, constant(0.5, x)))).output(0)
    tail = opset.multiply(t, opset.exp(opset.subtract(_polynomial(_ERFC, t), opset.multiply(size, size))))
    far = opset.select(opset.less(x, zero), opset.subtract(constant(2.0, x), tail), tail)
    return opset.select(opset.less(size, constant(0.5, x)), opset.subtract(one, opset.erf(x)), far)


def _erfinv(x: Any) -> Any:
    from kops.backends.numpy.special import _CENTRAL, _TAIL

    one = constant(1.0, x)
    w = opset.negative(opset.log(opset.multiply(opset.subtract(one, x), opset.add(one, x)))).output(0)
    five = constant(5.0, x)
    root = opset.sqrt(opset.maximum(w, five))
    near = _polynomial(_CENTRAL, opset.subtract(w, constant(2.5, x)).output(0))
    far = _polynomial(_TAIL, opset.subtract(root, constant(3.0, x)).output(0))
    inner = opset.multiply(x, opset.select(opset.less(w, five), near, far))
    edge = opset.multiply(x, constant(math.inf, x))
    inner = opset.select(opset.greater(opset.abs(x), one), constant(math.nan, x), inner)
    return opset.select(opset.equal(opset.abs(x), one), edge, inner)


def _i0(x: Any) -> Any:
    size = opset.abs(x).output(0)
    border = constant(3.75, x)
    ratio = opset.divide(size, border).output(0)
    inverse = opset.divide(border, opset.maximum(size, border)).output(0)
    small = _polynomial(_I0_SMALL, opset.multiply(ratio, ratio).output(0))
    large = opset.multiply(opset.divide(opset.exp(size), opset.sqrt(opset.maximum(size, border))),
                           _polynomial(_I0_LARGE, inverse))  # fmt: skip
    return opset.select(opset.less(size, border), small, large)


def _signbit(x: Any) -> Any:
    zero = constant(0, x)
    negative = opset.less(x, zero)
    if x.get_element_type().is_integral():
        return negative
    below = opset.less(opset.divide(constant(1.0, x), x), zero)
    return opset.logical_or(negative, opset.logical_and(opset.equal(x, zero), below))


def _shift(build: Any) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        a, b = pair(x, y)
        width = 8 * a.get_element_type().size
        beyond = opset.greater_equal(b, constant(width, a))
        shifted = build(a, opset.select(beyond, constant(width - 1, a), b))
        return GraphTensor(opset.select(beyond, build(shifted, constant(1, a)), shifted))

    return kernel


def _clip(x: Any, low: Any, high: Any) -> Any:
    handle, dtype = node(x), dtype_name(x)
    low, high = limit(low, x), limit(high, x)
    if low is not None:
        handle = opset.maximum(node(low, dtype), handle)  # in this order NaN stays NaN
    return GraphTensor(handle if high is None else opset.minimum(node(high, dtype), handle))


def _ldexp(x: Any, y: Any) -> Any:
    handle = node(x)
    exponent = opset.convert(node(y), handle.get_element_type())
    half = opset.floor(opset.multiply(exponent, constant(0.5, handle)))
    two = constant(2.0, handle)
    first = opset.multiply(handle, opset.power(two, half))
    return GraphTensor(opset.multiply(first, opset.power(two, opset.subtract(exponent, half))))


def _where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    if x1 is None:
        raise NotImplementedError("where without alternatives has no fixed shape in an OpenVINO graph.")
    return GraphTensor(opset.select(node(condition), *pair(x1, x2)))


def _angle(x: Any) -> Any:
    return opset.select(opset.less(x, constant(0.0, x)), constant(math.pi, x), opset.multiply(x, constant(0.0, x)))


def _negative(x: Any) -> Any:
    kind = x.get_element_type()
    if kind.is_signed():
        return opset.negative(x)
    if kind.bitwidth > 16:
        return opset.subtract(constant(0, x), x)
    # Small unsigned numbers would saturate, not wrap.
    low = opset.constant(np.int32(2**kind.bitwidth - 1))
    return opset.convert(opset.bitwise_and(opset.negative(opset.convert(x, "i32")), low), kind)


def _gcd(x: Any, y: Any) -> Any:
    """Euclid's steps, until no remainder is left anywhere."""
    a, b = (kops.absolute(kops.add(v, kops.zeros_like(w))) for v, w in ((x, y), (y, x)))

    def step(states: Any, _: Any) -> Any:
        a, b = states
        done = kops.equal(b, 0)
        rest = kops.mod(a, kops.where(done, 1, b))
        a, b = kops.where(done, a, b), kops.where(done, 0, rest)
        return [a, b], [], kops.any(kops.not_equal(b, 0))

    (found, _), _ = loop(step, [a, b], go=kops.any(kops.not_equal(b, 0)))
    return found


TABLE = {
    **native(
        opset,
        "bitwise_and bitwise_or bitwise_xor divide equal fmod=mod greater greater_equal less less_equal logical_and "
        "logical_or logical_xor not_equal power subtract",
        _binary,
    ),
    **native(
        opset,
        "arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh bitwise_not ceil=ceiling cos "
        "cosh erf exp floor log logical_not sign sin sinh sqrt tan tanh",
        _unary,
    ),
    **kernels(_arctan2, _clip, _gcd, _ldexp, _round, _where),
    **kernels(_angle, _erfc, _erfinv, _expm1, _i0, _log1p, _negative, _signbit, around=_unary),
    "absolute": _floats_only(
        opset.abs,
        lambda x: opset.abs(x) if x.get_element_type().is_signed() and x.get_element_type() != ov.Type.boolean else x,
    ),
    "add": _binary(opset.add, opset.logical_or),
    "conjugate": lambda x: x,
    "exp2": _unary(lambda x: opset.power(constant(2.0, x), x)),
    "floor_divide": _binary(_floor_divide),
    "imag": _unary(lambda x: opset.multiply(x, constant(0, x))),
    "isfinite": _floats_only(opset.is_finite, lambda x: opset.equal(x, x)),
    "isinf": _floats_only(opset.is_inf, _no),
    "isnan": _floats_only(opset.is_nan, _no),
    "left_shift": _shift(opset.bitwise_left_shift),
    "log10": _unary(_scaled(opset.log, 1 / math.log(10))),
    "log2": _unary(_scaled(opset.log, 1 / math.log(2))),
    "maximum": _extreme(opset.maximum),
    "minimum": _extreme(opset.minimum),
    "mod": _binary(lambda a, b: _division(a, b)[1]),
    "multiply": _binary(opset.multiply, opset.logical_and),
    "real": lambda x: x,
    "reciprocal": _unary(lambda x: opset.divide(constant(1.0, x), x)),
    "right_shift": _shift(opset.bitwise_right_shift),
    "rsqrt": _unary(lambda x: opset.divide(constant(1.0, x), opset.sqrt(x))),
    "square": _unary(lambda x: opset.multiply(x, x)),
    "trunc": _floats_only(_truncate, lambda x: x),
}
