"""Elementwise graph kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import openvino as ov

import kops
from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, dtype_name, node
from kops.backends.openvino.loops import loop
from kops.backends.openvino.opset import scalar as constant
from kops.dtypes import FLOATS

# Single-precision fits: erfc by a Chebyshev fit in t = 1 / (1 + |x| / 2) with relative error below 1.2e-7
# (Press et al., Numerical Recipes), i0 by Abramowitz and Stegun 9.8.1 and 9.8.2, erfinv by M. Giles
# (GPU Computing Gems, 2011).
_ERFC = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
]  # fmt: skip
_CENTRAL = [
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
]  # fmt: skip
_TAIL = [
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
]  # fmt: skip
_I0_SMALL = [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0]
_I0_LARGE = [
    0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592, 0.39894228,
]  # fmt: skip


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
    # A bound comes second: two bounds in a row would become a clamp, which loses NaN.
    return lambda x, y: GraphTensor(build(*pair(*((x, y) if isinstance(x, GraphTensor) else (y, x)))))


def _division(a: Any, b: Any, down: bool = True) -> tuple[Any, Any]:
    """Quotient, rounded down or towards zero, and remainder; 0 and 0 by the integer 0.

    OpenVINO divides integers as floats, and large ones end near the quotient: what is left is divided again.
    """
    if opset.is_float(a):
        zero = constant(0.0, a)
        endless = opset.logical_and(opset.is_inf(b), opset.is_finite(a))
        crossing = opset.logical_and(endless, opset.less(opset.multiply(a, b), zero))
        rest = opset.select(endless, a, (opset.floor_mod if down else opset.mod)(a, b))
        rest = opset.select(crossing, b, rest) if down else rest
        whole = opset.select(crossing, constant(-1.0, a), opset.divide(opset.subtract(a, rest), b))
        return opset.select(opset.equal(b, zero), opset.divide(a, b), whole), rest
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
        more = opset.bitwise_or(opset.divide(rest, b), zero)  # see opset._whole
        quotient, rest = opset.add(quotient, more), opset.subtract(rest, opset.multiply(more, b))
    # With the sign of the divisor, or of what is divided.
    wrong = opset.logical_xor(opset.less(rest, zero), opset.less(b if down else a, zero))
    wrong = number(opset.logical_and(wrong, opset.not_equal(rest, zero)))
    if not down:
        b = opset.select(opset.equal(opset.less(rest, zero), opset.less(b, zero)), opset.subtract(zero, b), b)
    quotient, rest = opset.subtract(quotient, wrong), opset.add(rest, opset.multiply(wrong, b))
    defined = opset.subtract(constant(1, a), undefined)
    return opset.convert(opset.multiply(quotient, defined), kind), opset.convert(opset.multiply(rest, defined), kind)


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
        if decimals < -9:
            return kops.zeros_like(x)
        unit = 10**-decimals
        whole, twice = kops.floor_divide(x, unit), 2 * kops.mod(x, unit)
        up = kops.logical_or(twice > unit, kops.logical_and(kops.equal(twice, unit), kops.equal(kops.mod(whole, 2), 1)))
        return kops.where(up, whole + 1, whole) * unit
    if decimals == 0:
        return GraphTensor(opset.round(handle, "half_to_even"))
    scale = constant(10.0 ** abs(decimals), handle)
    there, back = (opset.multiply, opset.divide) if decimals > 0 else (opset.divide, opset.multiply)
    return GraphTensor(back(opset.round(there(handle, scale), "half_to_even"), scale))


def _arctan2(y: Any, x: Any) -> Any:
    a, b = pair(y, x)
    rise, run = opset.abs(a), opset.abs(b)
    diagonal = opset.select(opset.equal(rise, constant(0.0, a)), rise, constant(1.0, a))  # of zeros, and of infinities
    angle = opset.atan(opset.select(opset.equal(rise, run), diagonal, opset.divide(rise, run)))
    angle = opset.select(_signbit(b), opset.subtract(constant(math.pi, a), angle), angle)
    return GraphTensor(opset.select(_signbit(a), opset.negative(angle), angle))


def _erfc(x: Any) -> Any:
    one, zero = constant(1.0, x), constant(0.0, x)
    size = opset.abs(x).output(0)
    t = opset.divide(one, opset.add(one, opset.multiply(size, constant(0.5, x)))).output(0)
    tail = opset.multiply(t, opset.exp(opset.subtract(_polynomial(_ERFC, t), opset.multiply(size, size))))
    far = opset.select(opset.less(x, zero), opset.subtract(constant(2.0, x), tail), tail)
    return opset.select(opset.less(size, constant(0.5, x)), opset.subtract(one, opset.erf(x)), far)


def _erfinv(x: Any) -> Any:
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
    if not opset.is_float(x):
        return negative if x.get_element_type().is_signed() else _no(x)
    below = opset.less(opset.divide(constant(1.0, x), x), zero)
    return opset.logical_or(negative, opset.logical_and(opset.equal(x, zero), below))


def _shift(build: Any) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        a, b = pair(x, y)
        width = 8 * a.get_element_type().size
        beyond = opset.logical_or(opset.less(b, constant(0, a)), opset.greater_equal(b, constant(width, a)))
        shifted = build(a, opset.select(beyond, constant(width - 1, a), b))
        return GraphTensor(opset.select(beyond, build(shifted, constant(1, a)), shifted))

    return kernel


def _clip(x: Any, low: Any, high: Any) -> Any:
    for bound, build in ((low, opset.maximum), (high, opset.minimum)):
        if bound is not None:
            x = GraphTensor(build(*pair(x, limit(bound, x))))
    return x


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
    turned = opset.select(opset.less(x, constant(0.0, x)), constant(math.pi, x), constant(0.0, x))
    return opset.select(opset.is_nan(x), x, turned)


def _power(x: Any, y: Any) -> Any:
    """Of integers by squaring: OpenVINO would compute with floats."""
    a, b = pair(x, y)
    if opset.is_float(a):
        return GraphTensor(opset.power(a, b))
    a, b = (GraphTensor(opset.add(v, opset.multiply(w, constant(0, w)))) for v, w in ((a, b), (b, a)))

    def step(states: Any, _: Any) -> Any:
        product, base, rest = states
        product = kops.where(kops.equal(kops.bitwise_and(rest, 1), 1), product * base, product)
        return [product, base * base, kops.right_shift(rest, 1)], [], kops.any(kops.greater(rest, 1))

    (product, _, _), _ = loop(step, [kops.ones_like(a), a, kops.absolute(b)])
    vanishing = kops.logical_and(kops.less(b, 0), kops.not_equal(kops.absolute(a), 1))
    return kops.where(vanishing, 0, product)


TABLE = {
    **native(
        opset,
        "bitwise_and bitwise_or bitwise_xor divide equal greater greater_equal less less_equal logical_and "
        "logical_or logical_xor not_equal subtract",
        _binary,
    ),
    **native(
        opset,
        "arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh bitwise_not ceil=ceiling cos "
        "cosh erf exp floor log logical_not sign sin sinh sqrt tan tanh",
        _unary,
    ),
    **kernels(_arctan2, _clip, _ldexp, _power, _round, _where),
    **kernels(_angle, _erfc, _erfinv, _expm1, _i0, _log1p, _signbit, around=_unary),
    "absolute": _floats_only(
        opset.abs,
        lambda x: opset.abs(x) if x.get_element_type().is_signed() and x.get_element_type() != ov.Type.boolean else x,
    ),
    "add": _binary(opset.add, opset.logical_or),
    "conjugate": lambda x: x,
    "exp2": _unary(lambda x: opset.power(constant(2.0, x), x)),
    "floor_divide": _binary(lambda a, b: _division(a, b)[0]),
    "fmod": _binary(lambda a, b: _division(a, b, False)[1]),
    "imag": lambda x: kops.zeros_like(x),
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
    "negative": _unary(
        lambda x: opset.negative(x) if x.get_element_type().is_signed() else opset.subtract(constant(0, x), x)
    ),
    "real": lambda x: x,
    "reciprocal": _unary(lambda x: opset.divide(constant(1.0, x), x)),
    "right_shift": _shift(opset.bitwise_right_shift),
    "rsqrt": _unary(lambda x: opset.divide(constant(1.0, x), opset.sqrt(x))),
    "square": _unary(lambda x: opset.multiply(x, x)),
    "trunc": _floats_only(_truncate, lambda x: x),
}
