"""Integer division by zero, of which every engine thinks otherwise: here it is 0, as NumPy has it."""

from __future__ import annotations

from typing import Any, Callable


def zero_by_zero(
    function: Callable[..., Any], where: Callable[..., Any], whole: Callable[[Any], bool]
) -> Callable[[Any, Any], Any]:
    """`function(x, y)`, and 0 where `y` is 0 if the tensors are of integers (`whole`)."""

    def kernel(x: Any, y: Any) -> Any:
        if not whole(y if hasattr(y, "dtype") else x):
            return function(x, y)
        if isinstance(y, int):
            return function(x, y) if y else x * 0
        zero = y == 0
        return where(zero, 0, function(x, where(zero, 1, y)))

    return kernel
