"""Rows of rearrange."""

from __future__ import annotations

from kops.conformance.rows import F, case, row

ROWS = [
    row("rearrange", F(2, 3, 4), "b h w -> b w h", ref=lambda x, p: x.transpose(0, 2, 1), grad=True, dynamic="all"),
    row("rearrange", F(2, 6, 3), "b (h w) c -> (b h) w c", h=2, ref=lambda x, p, h: x.reshape(4, 3, 3), grad=True),
    row("rearrange", F(2, 3, 4), "a b c -> c (b a)", ref=lambda x, p: x.transpose(2, 1, 0).reshape(4, 6)),
    row("rearrange", F(2, 1, 4), "a 1 c -> 1 c a 1", ref=lambda x, p: x[:, 0].T[None, :, :, None]),
    row("rearrange", F(2, 3, 4), "... c -> c ...", ref=lambda x, p: x.transpose(2, 0, 1),
        bad=[case(F(2, 3), "a b -> a"), case(F(2, 3), "a -> a"), case(F(2, 3), "a b a b"),
             case(F(2, 6), "a (b c) -> a b c"), case(F(2, 6), "a (b c) -> a b c", c=4),
             case(F(2, 6), "a b -> b a", c=4)]),
]  # fmt: skip
