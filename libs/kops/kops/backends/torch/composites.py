"""PyTorch's own functions for ops that are formulas elsewhere, each under the condition that it gives the same."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as F

from kops import images, windows
from kops.backends.torch.core import in_range
from kops.backends.torch.elementwise import requires_grad
from kops.backends.torch.indexing import take_along_axis
from kops.backends.torch.nn_conv import from_first, to_first
from kops.backends.torch.reduction import axes_of, reducing
from kops.declare import OPS

_EXACT = (torch.float32, torch.float64)
_compiling = torch.compiler.is_compiling


def _where(fits: Callable[..., Any], name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """`run` where its condition holds, else the formula."""

    def kernel(*args: Any) -> Any:
        return run(*args) if fits(*args) else OPS[name].formula(*args)

    return kernel


def _floating(x: Any, *static: Any) -> bool:
    return x.is_floating_point()


def _exact(x: Any, *others: Any) -> bool:
    # In half precision some of the functions sum in half precision, or have no kernel on the CPU.
    return x.dtype in _EXACT


def _constant(x: Any, *others: Any) -> bool:
    """Where the formula has a gradient that the function has not."""
    return x.is_floating_point() and not (x.requires_grad or others and requires_grad(others[0]))


def _euclidean(x: Any, ord: Any, axis: Any, keepdims: bool) -> bool:
    lone = isinstance(axis, int) or (axis is None and x.ndim == 1) or (axis is not None and len(axis) == 1)
    return x.dtype in _EXACT and (ord is None or ord == "fro" or (ord == 2 and lone)) and x.ndim > 0


def _in_pairs(f: Any) -> Any:
    return lambda x, *static: f(x, *[windows.each(v, 2, "size", 0) for v in static])


def _norm(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    return torch.linalg.vector_norm(x, 2, axis if axis is None or isinstance(axis, int) else tuple(axis), keepdims)


def _spatial(x: Any, *static: Any) -> bool:
    # Of images with gradients of whole numbers there is none, and without a batch they are not ours.
    return x.dtype in _EXACT and 0 not in x.shape


def _some(x: Any, axis: Any, keepdims: bool) -> bool:
    return x.is_floating_point() and bool(axes_of(x, axis))


def _in_space(a: Any, b: Any, axisa: int, axisb: int, axisc: int, axis: Any) -> bool:
    last = axisa == axisb == axisc == -1 and axis in (None, -1)
    return last and a.ndim == b.ndim and a.shape[-1] == b.shape[-1] == 3 and a.is_floating_point()


def _histogram(x: Any, bins: int, range: Any) -> list[Any]:
    low, high = torch.aminmax(x) if range is None else (x.new_full((), end) for end in range)
    if range is None:
        point = low == high
        low, high = torch.where(point, low - 0.5, low), torch.where(point, high + 0.5, high)
    ramp = torch.arange(bins + 1)
    edges = torch.where(ramp == bins, high, low + ramp * ((high - low) / bins))
    return [torch.histogram(x.detach(), edges.detach())[0], edges]


def _counts(x: Any, bins: Any, range: Any) -> bool:
    fits = isinstance(bins, int) and bins > 0 and (range is None or range[0] < range[1])
    # The kernel is for the CPU, and torch.compile does not know it.
    return fits and x.dtype in _EXACT and x.ndim == 1 and x.numel() > 0 and x.is_cpu and not _compiling()


def _in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    score = take_along_axis(predictions, targets[:, None], 1)
    return ((predictions > score).sum(1) < k) & torch.isfinite(score[:, 0])


def _adaptive(functions: Any) -> Callable[..., Any]:
    def kernel(x: Any, output_size: Any, data_format: Any) -> Any:
        g = windows.geometry(x.ndim, 1, "valid", data_format)
        sizes = windows.each(output_size, g.n, "output_size")
        return from_first(functions[g.n - 1](to_first(x, g), sizes), g)

    return kernel


def _plain_resize(x: Any, size: Any, interpolation: str, antialias: bool, *static: Any) -> bool:
    # Its bicubic kernel is another. Fitted to an aspect ratio, images are cut or padded first.
    crop, pad, fill_mode, *_ = static
    usual = fill_mode == "constant" and not (crop or pad or interpolation == "bilinear" and antialias)
    usual = usual and interpolation in ("bilinear", "nearest")
    return usual and x.dtype in _EXACT and x.ndim in (3, 4) and 0 not in x.shape


def _resize(x: Any, size: Any, interpolation: str, *static: Any) -> Any:
    if interpolation == "nearest":  # F.interpolate rounds the positions
        for axis, new in zip(images.axes(x, static[-1])[:2], images.pair(size, "size")):
            old = x.shape[axis]
            places = [(2 * i + 1) * old // (2 * new) for i in range(new)]
            x = x.index_select(axis, torch.tensor(places, device=x.device))
        return x
    last = images.axes(x, static[-1])[2] == x.ndim - 1
    whole = x if x.ndim == 4 else x[None]
    y = F.interpolate(whole.movedim(-1, 1) if last else whole, images.pair(size, "size"), mode="bilinear")
    y = y.movedim(1, -1) if last else y
    return y if x.ndim == 4 else y[0]


def _glu(x: Any, axis: int) -> bool:
    return x.ndim > 0 and x.shape[axis] % 2 == 0


_CONDITIONS: dict[str, Any] = {
    "adaptive_average_pool": (
        _spatial, _adaptive([F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d])
    ),
    "adaptive_max_pool": (
        _spatial, _adaptive([F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d])
    ),
    "cbrt": (_constant, lambda x: x.abs().pow(1 / 3) * torch.sign(x)),
    "celu": (lambda x, alpha: x.is_floating_point() and alpha != 0, F.celu),
    "cholesky_inverse": (lambda x, upper: _constant(x) and x.numel() > 0, torch.cholesky_inverse),
    "cross": (_in_space, lambda a, b, *axes: torch.linalg.cross(a, b)),
    "fold": (lambda x, *static: x.ndim == 3 and _spatial(x), _in_pairs(F.fold)),
    "glu": (_glu, F.glu),
    "hard_shrink": (_floating, F.hardshrink),
    "hard_sigmoid": (_floating, F.hardsigmoid),
    "hard_silu": (_floating, F.hardswish),
    "histogram": (_counts, _histogram),
    "hypot": (_constant, torch.hypot),
    "in_top_k": (lambda targets, x, k: x.is_floating_point(), _in_top_k),
    "isneginf": (_floating, torch.isneginf),
    "isposinf": (_floating, torch.isposinf),
    "log_sigmoid": (_floating, F.logsigmoid),
    "logaddexp": (_constant, torch.logaddexp),
    "logaddexp2": (_constant, torch.logaddexp2),
    "logsumexp": (_constant, reducing(torch.logsumexp)),
    "nanmean": (_some, lambda x, axis, keepdims: torch.nanmean(x, axes_of(x, axis), keepdims)),
    "nansum": (_some, lambda x, axis, keepdims: torch.nansum(x, axes_of(x, axis), keepdims)),
    "norm": (_euclidean, _norm),
    "resize": (_plain_resize, _resize),
    "soft_shrink": (lambda x, threshold: x.is_floating_point() and threshold >= 0, F.softshrink),
    "threshold": (_floating, lambda x, *args: F.threshold(x, *(in_range(v, x.dtype) for v in args))),
    "unfold": (lambda x, *static: _spatial(x) and x.ndim == 4, _in_pairs(F.unfold)),
    "vdot": (lambda x, y: x.dtype in _EXACT, lambda x, y: torch.dot(x.reshape(-1), y.reshape(-1))),
}  # fmt: skip
TABLE = {name: _where(fits, name, run) for name, (fits, run) in _CONDITIONS.items()}
