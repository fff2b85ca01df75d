"""Rows of the rearrangements of space."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.conformance.rows import F, I, case, row


def _to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    b = block_size
    if data_format == "channels_last":
        return np.concatenate([x[:, i::b, j::b] for i in range(b) for j in range(b)], -1)
    return np.concatenate(
        [x[:, c : c + 1, i::b, j::b] for c in range(x.shape[1]) for i in range(b) for j in range(b)], 1
    )


def _to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    b = block_size
    last = data_format == "channels_last"
    n, h, w, c = x.shape if last else (x.shape[0], *x.shape[2:], x.shape[1])
    c //= b * b
    y = np.zeros((n, h * b, w * b, c) if last else (n, c, h * b, w * b), x.dtype)
    for i in range(b):
        for j in range(b):
            if last:
                y[:, i::b, j::b] = x[..., (i * b + j) * c : (i * b + j + 1) * c]
            else:
                y[:, :, i::b, j::b] = x[:, i * b + j :: b * b]
    return y


def _two(v: Any) -> tuple[int, int]:
    return tuple(v) if isinstance(v, (tuple, list)) else (v, v)


def _places(size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """For every column the rows and columns of the padded image that its window covers."""
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = map(_two, (kernel_size, dilation, padding, stride))
    tops = range(0, size[0] + 2 * ph - (kh - 1) * dh, sh)
    lefts = range(0, size[1] + 2 * pw - (kw - 1) * dw, sw)
    return [(slice(t, t + (kh - 1) * dh + 1, dh), slice(l, l + (kw - 1) * dw + 1, dw)) for t in tops for l in lefts]


def _unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    ph, pw = _two(padding)
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    places = _places(x.shape[2:], kernel_size, dilation, padding, stride)
    return np.stack([padded[:, :, a, b].reshape(x.shape[0], -1) for a, b in places], -1)


def _fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    (h, w), (kh, kw), (ph, pw) = _two(output_size), _two(kernel_size), _two(padding)
    y = np.zeros((x.shape[0], x.shape[1] // (kh * kw), h + 2 * ph, w + 2 * pw), np.result_type(x, float))
    for k, (a, b) in enumerate(_places((h, w), kernel_size, dilation, padding, stride)):
        y[:, :, a, b] += x[:, :, k].reshape(x.shape[0], -1, kh, kw)
    return y[:, :, ph : ph + h, pw : pw + w]


ROWS = [
    row(
        "space_to_depth",
        F(2, 4, 6, 3),
        2,
        ref=_to_depth,
        grad=True,
        bad=[
            case(F(2, 5, 6, 3), 2, match="height 5"),
            case(F(2, 4, 6, 3), 1, match="block_size"),
            case(F(4, 6, 3), 2, match="4 dimensions"),
        ],
    ),
    row("space_to_depth", I(2, 3, 4, 6), 2, "channels_first", ref=_to_depth),
    row("space_to_depth", F(2, 4, 6, 3), 2, None, ref=lambda x, b, configured: _to_depth(x, b)),
    row("depth_to_space", F(2, 2, 3, 8), 2, ref=_to_space, grad=True, bad=[case(F(2, 2, 3, 6), 2, match="channels 6")]),
    row("depth_to_space", F(2, 8, 2, 3), 2, data_format="channels_first", ref=_to_space),
    row(
        "unfold",
        F(2, 3, 5, 6),
        2,
        ref=_unfold,
        grad=True,
        bad=[case(F(2, 3, 5), 2, match="batch, channels"), case(F(2, 3, 5, 6), 7, match="fit")],
    ),
    row("unfold", F(2, 3, 5, 6), (2, 3), padding=1, stride=2, ref=_unfold),
    row("unfold", F(2, 3, 5, 6), 2, dilation=2, padding=(0, 1), ref=_unfold),
    row(
        "fold",
        F(2, 8, 9),
        (4, 4),
        2,
        ref=_fold,
        grad=True,
        bad=[case(F(2, 8, 8), (4, 4), 2, match="9"), case(F(2, 7, 9), (4, 4), 2, match="rows 7")],
    ),
    row("fold", F(2, 12, 6), (5, 6), (2, 3), padding=1, stride=(2, 3), ref=_fold),
    row("fold", F(2, 8, 9), (5, 5), 2, dilation=2, ref=_fold),
    row("fold", F(1, 4, 4), (5, 5), 2, stride=2, ref=_fold),
]
