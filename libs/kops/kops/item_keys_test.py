"""Shapes of `x[key]` against NumPy's own, known and unknown dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from kops.item_keys import canonical_key, is_plain, item_shape, take_apart

S = slice
I = np.array([0, 1])
KEYS = [
    1, -1, S(1, 3), S(None, None, -2), S(-9, 99), (0, 1), (Ellipsis, 0), (None, S(None), None, 2), (S(1, 1),), (),
    I, [0, 2], (I, I), (S(None), I), (I, S(None), I), (0, S(None), I), (S(None), 0, I), (Ellipsis, I, None),
    (np.zeros((3, 1), int), I), (S(0, 2), np.array([[0], [1]]), I), np.array(1),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_shape_is_that_of_numpy(key):
    x = np.zeros((4, 5, 6))
    assert item_shape(x.shape, key) == x[key].shape


def test_masks_have_unknown_length():
    assert item_shape((4, 5), np.ones(4, bool)) == (None, 5)
    assert item_shape((4, 5, 6), (np.ones((4, 5), bool), S(1, 3))) == (None, 2)


def test_unknown_dimensions_stay_unknown():
    assert item_shape((None, 5), S(None)) == (None, 5)
    assert item_shape((None, 5), S(1, 3)) == (None, 5)
    assert item_shape((None, 5), (3, S(1, 3))) == (2,)


@pytest.mark.parametrize(
    ("key", "error"),
    [(4, IndexError), ((0, 0, 0), IndexError), ((Ellipsis, Ellipsis), IndexError), (1.5, TypeError), (True, TypeError),
     (np.array([0.5]), TypeError), (S(None, None, 0), ValueError), (np.ones(3, bool), IndexError)],
)  # fmt: skip
def test_wrong_keys(key, error):
    with pytest.raises(error):
        item_shape((4, 5), key)


@pytest.mark.parametrize("key", [k for k in KEYS if not is_plain(canonical_key(k))], ids=repr)
def test_taken_apart_and_gathered_by_hand(key):
    x = np.arange(120).reshape(4, 5, 6)
    basic, gathers, position = take_apart(canonical_key(key), x.ndim)
    y = x[basic]
    axes = [a for a, _ in gathers]
    y = np.moveaxis(y, axes, range(len(axes)))
    y = y[tuple(np.asarray(i) for _, i in gathers)]
    count = np.broadcast(*[np.asarray(i) for _, i in gathers], np.zeros(())).ndim
    y = np.moveaxis(y, range(count), range(position, position + count))
    np.testing.assert_array_equal(y, x[key])
