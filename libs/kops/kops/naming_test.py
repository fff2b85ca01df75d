"""Automatic names."""

from __future__ import annotations

import pytest

from kops import naming


@pytest.mark.parametrize(
    "given, snake",
    [
        ("Dense", "dense"),
        ("Conv2DTranspose", "conv2d_transpose"),
        ("MaxPooling2D", "max_pooling2d"),
        ("LSTMCell", "lstm_cell"),
        ("PReLU", "p_re_lu"),
        ("Add", "add"),
    ],
)
def test_snake_case(given, snake):
    assert naming.to_snake_case(given) == snake


def test_numbers():
    naming.reset_uids()
    assert [naming.auto_name("Dense") for _ in range(3)] == ["dense", "dense_1", "dense_2"]
    assert naming.get_uid("other") == 1 and naming.get_uid("other") == 2
    naming.reset_uids()
    assert naming.auto_name("Dense") == "dense"
