"""What ops do with sparse tensors: whether the result is sparse, the same symbolic and on every engine that has them.

An element that is not stored is 0. Ops without a rule: composites are computed by their formula, so that the ops
inside decide; primitives refuse.
"""

from __future__ import annotations

from typing import Any, Sequence


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# One argument, and 0 where that is 0: the stored elements are changed, the others stay away.
ZERO = _names(
    "absolute arcsin arcsinh arctan arctanh cbrt ceil conjugate copy deg2rad elu erf erfinv expm1 fabs "
    "floor gelu hard_shrink hard_silu hard_tanh imag leaky_relu log1p nan_to_num negative rad2deg real "
    "relu relu6 round selu sign silu sin sinh soft_shrink softsign sqrt square stop_gradient tan tanh "
    "tanh_shrink trunc"
)
# The stored elements get other places.
MOVED = _names("reshape transpose squeeze expand_dims sum")
# Sparse if all arguments are.
ALL = _names("add subtract maximum minimum matmul concatenate")
# Sparse if one argument is: what is missing in it is missing in the product.
ANY = _names("multiply")
# Sparse if the dividend is and the divisor is not.
QUOTIENT = _names("divide true_divide")
# Every element gets a value: the arguments are made dense.
DENSE = _names(
    "all any arccos arccosh arctan2 argmax argmin cos cosh count_nonzero divide_no_nan equal erfc exp "
    "exp2 floor_divide fmod full_like greater greater_equal hard_sigmoid isfinite isinf isnan isneginf "
    "isposinf less less_equal log log10 log2 log_sigmoid log_softmax logaddexp logical_and logical_not "
    "logical_or logical_xor logsumexp max mean min mod not_equal ones_like power prod reciprocal rsqrt "
    "sigmoid signbit softmax softplus std take var where zeros_like"
)
RULES = ZERO | MOVED | ALL | ANY | QUOTIENT | DENSE


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse tensor of TensorFlow or JAX, or a symbolic one."""
    return type(x).__name__ in ("SparseTensor", "BCOO") or getattr(x, "sparse", False) is True


def flatten(args: Sequence[Any]) -> list[Any]:
    """Tensor arguments with lists of them dissolved, without None."""
    flat: list[Any] = []
    for x in args:
        flat.extend(x if isinstance(x, (list, tuple)) else [] if x is None else [x])
    return flat


def result_is_sparse(name: str, flags: Sequence[bool]) -> bool:
    """Whether an op with a rule gives a sparse tensor for arguments of which those with a flag are sparse."""
    if name in ALL:
        return all(flags)
    if name in QUOTIENT:
        return flags[0] and not flags[1]
    return name not in DENSE


def refusal(name: str) -> TypeError:
    """What an op says that has neither rule nor formula."""
    return TypeError(
        f"{name} takes no sparse tensors. Make them dense with keras.ops.convert_to_tensor(x, sparse=False)."
    )
