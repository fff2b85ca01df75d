"""Rows of the ops that arrange elements anew."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import B, F, case, row

MIXED = ("float32", "int32", "bfloat16")

ROWS = [
    row("reshape", F(2, 6), newshape=(3, -1), ref=lambda x, newshape: x.reshape(newshape), grad=True, dtypes=MIXED,
        bad=[case(F(2, 6), newshape=(5, 2)), case(F(2, 6), newshape=(-1, -1)), case(F(2, 6), newshape=(5, -1))]),
    row("reshape", F(4, 6), newshape=(-1, 2, 3), ref=lambda x, newshape: x.reshape(newshape), dynamic="all"),
    row("reshape", F(0, 6), newshape=(0, 3, 2), ref=lambda x, newshape: x.reshape(newshape), dynamic=False,
        note="an empty tensor's shape cannot be inferred from an unknown length"),
    row("ravel", F(2, 3), ref=np.ravel, grad=True, dynamic="all"),
    row("transpose", F(2, 3, 4), axes=(0, 2, 1), ref=np.transpose, grad=True, dynamic="all",
        bad=[case(F(2, 3), axes=(0, 0)), case(F(2, 3), axes=(0,)), case(F(2, 3), axes=(0, 2))]),
    row("transpose", F(2, 3), ref=np.transpose, dtypes=MIXED),
    row("swapaxes", F(2, 3, 4), axis1=0, axis2=-1, ref=np.swapaxes, grad=True, dynamic="all",
        bad=[case(F(2, 3), axis1=0, axis2=2)]),
    row("moveaxis", F(2, 3, 4), source=0, destination=-1, ref=np.moveaxis, grad=True, dynamic="all",
        bad=[case(F(2, 3), source=(0, 1), destination=(0,)), case(F(2, 3), source=3, destination=0)]),
    row("moveaxis", F(2, 3, 4), source=(0, 1), destination=(2, 0), ref=np.moveaxis),
    row("expand_dims", F(2, 3), axis=1, ref=np.expand_dims, grad=True, dynamic="all", bad=[case(F(2), axis=3)]),
    row("expand_dims", F(2, 3), axis=(0, -1), ref=np.expand_dims),
    row("squeeze", F(2, 1, 3, 1), axis=1, ref=np.squeeze, grad=True, bad=[case(F(2, 3), axis=1)]),
    row("squeeze", F(2, 1, 3, 1), axis=(1, -1), ref=np.squeeze),
    row("squeeze", F(2, 1, 3), ref=np.squeeze),
    row("concatenate", [F(2, 3), F(2, 1)], axis=1, ref=lambda xs, axis: np.concatenate(xs, axis), grad=True,
        dtypes=MIXED, dynamic="all",
        bad=[case([F(2, 3), F(3, 1)], axis=1), case([F(2, 3), F(3)], axis=0), case([F(2)], axis=1)]),
    row("concatenate", [F(2, 3), F(0, 3), F(1, 3)], ref=np.concatenate),
    row("stack", [F(2, 3), F(2, 3)], axis=-1, ref=lambda x, axis: np.stack(x, axis), grad=True, dtypes=MIXED,
        dynamic="all", bad=[case([F(2), F(3)]), case([F(2), F(2)], axis=2)]),
    row("split", F(4, 6), indices_or_sections=3, axis=1, ref=np.split, grad=True,
        bad=[case(F(4, 6), indices_or_sections=4, axis=1), case(F(4), indices_or_sections=2, axis=1)]),
    row("split", F(4, 6), indices_or_sections=(1, 4), axis=-1, ref=np.split, dtypes=MIXED, dynamic="all"),
    row("unstack", F(3, 4), axis=1, ref=lambda x, axis: list(np.moveaxis(x, axis, 0)), grad=True,
        bad=[case(F(3, 4), num=2)]),
    row("unstack", F(3), ref=lambda x: list(x), dynamic=False, note="the number of results must be known"),
    row("tile", F(2, 3), repeats=(2, 1), ref=lambda x, repeats: np.tile(x, repeats), grad=True, dtypes=MIXED,
        dynamic="all"),
    row("tile", F(2, 3), repeats=2, ref=lambda x, repeats: np.tile(x, repeats)),
    row("tile", F(3), repeats=(2, 2), ref=lambda x, repeats: np.tile(x, repeats), bad=[case(F(3), repeats=(-1,))]),
    row("repeat", F(2, 3), repeats=2, axis=1, ref=np.repeat, grad=True, dtypes=MIXED, dynamic="all"),
    row("repeat", F(2, 3), repeats=2, ref=np.repeat),
    row("repeat", F(2, 3), repeats=(1, 0, 2), axis=1, ref=np.repeat, bad=[case(F(3), repeats=(1, 2), axis=0)]),
    row("broadcast_to", F(3, 1), shape=(2, 3, 4), ref=np.broadcast_to, grad=True, dtypes=MIXED,
        bad=[case(F(3), shape=(4,)), case(F(2, 3), shape=(3,))]),
    row("flip", F(2, 3), axis=1, ref=np.flip, grad=True, dtypes=MIXED, dynamic="all", bad=[case(F(2), axis=1)]),
    row("flip", F(2, 3), ref=np.flip),
    row("fliplr", F(2, 3), ref=np.fliplr, bad=[case(F(3))]),
    row("flipud", F(2, 3), ref=np.flipud, bad=[case(F())]),
    row("roll", F(2, 3), shift=1, axis=1, ref=np.roll, grad=True, dtypes=MIXED, dynamic="all"),
    row("roll", F(2, 3), shift=-2, ref=np.roll),
    row("roll", F(2, 3), shift=(1, 2), axis=(0, 1), ref=np.roll, bad=[case(F(2, 3), shift=(1, 2))]),
    row("rot90", F(2, 3, 2), ref=np.rot90, grad=True, dynamic="all", bad=[case(F(3))]),
    row("rot90", F(2, 3, 2), k=2, axes=(1, 2), ref=np.rot90),
    row("rot90", F(2, 3), k=-1, axes=(0, 1), ref=np.rot90),
    row("pad", F(2, 3), pad_width=((1, 0), (2, 1)), ref=np.pad, grad=True, dtypes=MIXED, dynamic="all",
        bad=[case(F(2, 3), pad_width=((1, 0),) * 3), case(F(2), pad_width=1, mode="nothing"),
             case(F(2), pad_width=1, mode="reflect", constant_values=1), case(F(2), pad_width=-1)]),
    row("pad", B(2, 3), pad_width=1, ref=np.pad),
    row("pad", F(2, 3), pad_width=(1, 2), mode="constant", constant_values=1.5,
        ref=lambda x, pad_width, mode, constant_values: np.pad(x, pad_width, constant_values=constant_values)),
    *[
        row("pad", F(3, 4), pad_width=((0, 0), (2, 1)), mode=mode, ref=np.pad, grad=True)
        for mode in ("reflect", "symmetric", "edge", "wrap")
    ],
    row("diff", F(2, 5), ref=np.diff, grad=True, dtypes=("float32", "int32"), bad=[case(F(3), n=-1)]),
    row("diff", F(5, 2), n=2, axis=0, ref=np.diff),
    row("diff", B(5), ref=np.diff),
]  # fmt: skip
