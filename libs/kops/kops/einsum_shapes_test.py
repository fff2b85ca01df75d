"""Shapes of einsum against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from kops.einsum_shapes import einsum_shape, parse

CASES = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba", (2, 3)),
    ("...ij,...jk->...ik", (5, 1, 2, 3), (4, 3, 2)),
    ("...i,i...->...", (2, 3), (3, 2)),
    ("i...->...", (2, 3, 4)),
    ("a b c -> c a", (2, 3, 4)),
    ("ii->i", (3, 3)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("ij->", (2, 3)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_shape_is_that_of_numpy(case):
    subscripts, *shapes = case
    assert einsum_shape(subscripts, shapes) == np.einsum(subscripts, *map(np.zeros, shapes)).shape


def test_unknown_dimensions():
    assert einsum_shape("bij,bjk->bik", [(None, 2, None), (None, 3, None)]) == (None, 2, None)
    assert einsum_shape("...j,jk->...k", [(None, 5, 3), (3, 4)]) == (None, 5, 4)


@pytest.mark.parametrize("text", ["ij->k", "i.j->i", "ij->ii", "i->i->i", "i1->i"])
def test_nonsense_is_refused(text):
    with pytest.raises(ValueError, match="subscripts"):
        parse(text, 1)


@pytest.mark.parametrize(
    ("text", "shapes"), [("ij,jk", [(2, 3), (4, 5)]), ("ij", [(2,)]), ("i...j", [(2,)]), ("i,i", [(2,)])]
)
def test_operands_that_do_not_fit(text, shapes):
    with pytest.raises(ValueError, match="subscripts"):
        einsum_shape(text, shapes)
