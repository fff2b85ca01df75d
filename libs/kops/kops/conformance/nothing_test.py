"""Tensors without elements, and axes that are none: on every engine what the rules say."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.conformance.trial import specs_of
from kops.ops import linalg_unrolled


def zeros(*shape):
    return kops.zeros(shape)


EMPTY = {
    "depthwise_conv": (lambda: kops.depthwise_conv(zeros(2, 5, 5, 3), zeros(2, 2, 3, 0)), (2, 4, 4, 0)),
    "separable_conv": (
        lambda: kops.separable_conv(zeros(0, 5, 5, 3), zeros(2, 2, 3, 1), zeros(1, 1, 3, 4)),
        (0, 4, 4, 4),
    ),
    "conv_transpose": (lambda: kops.conv_transpose(zeros(2, 3, 0, 3), zeros(3, 3, 2, 3)), (2, 5, 0, 2)),
    "max_pool": (lambda: kops.max_pool(zeros(2, 0, 6, 3), (3, 2), 2, "same"), (2, 0, 3, 3)),
    "average_pool": (lambda: kops.average_pool(zeros(2, 0, 3), 3, 2, "same"), (2, 0, 3)),
    "sobel_edges": (lambda: kops.image.sobel_edges(zeros(3, 5, 0)), (3, 5, 0, 2)),
    "fft2": (lambda: kops.fft2((zeros(2, 0, 3), zeros(2, 0, 3)))[0], (2, 0, 3)),
    "irfft": (lambda: kops.irfft((zeros(2, 1), zeros(2, 1))), (2, 0)),
    "stft": (lambda: kops.stft(zeros(0, 20), 6, 3, 8)[1], (0, 7, 5)),
    "dot_product_attention": (
        lambda: kops.dot_product_attention(zeros(0, 3, 4, 8), zeros(0, 5, 4, 8), zeros(0, 5, 4, 6), is_causal=True),
        (0, 3, 4, 6),
    ),
    "max": (lambda: kops.max(zeros(0, 3), axis=(), initial=1.0), (0, 3)),
    "split": (lambda: kops.split(zeros(4, 0), (1, 4), axis=-1)[2], (4, 0)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_there_is_one_tensor_without_elements(name):
    call, shape = EMPTY[name]
    assert specs_of(call()) == [(shape, "float32")]


def test_what_fails_and_has_elements_is_said():
    with pytest.raises(ValueError, match="stft: a sequence of length 0 has no frame"):
        kops.stft(zeros(2, 0), 6, 3, 8)
    with pytest.raises(ValueError, match="istft: at least one frame and one frequency"):
        kops.istft((zeros(2, 0, 5), zeros(2, 0, 5)), 8, 4, 8)
    with pytest.raises(ValueError, match="ssim: the filter has a size from 1 up"):
        kops.image.ssim(zeros(2, 12, 13, 3), zeros(2, 12, 13, 3), filter_size=-11)
    with pytest.raises(ValueError, match="conv: a window has at least one position"):
        kops.conv(zeros(2, 7, 4), zeros(0, 4, 6), padding="same")
    with pytest.raises(ValueError, match="rfft: at least one number"):
        kops.rfft(zeros(2, 0), 8)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("indices_or_sections: an int or several are needed, not 1.5", lambda x: kops.split(x, 1.5)),
        ("ints are needed, not 1.5", lambda x: kops.tile(x, 1.5)),
        ("ints are needed, not None", lambda x: kops.reshape(x, None)),
        ("shift: an int or several are needed, not 1.5", lambda x: kops.roll(x, 1.5)),
        ("repeats: an int or several are needed, not", lambda x: kops.repeat(x, 1.5)),
        ("axes: an int or several are needed, not 1.5", lambda x: kops.tensordot(x, x, 1.5)),
        ("the order of a norm is a number or a word", lambda x: kops.norm(x, (1, 1), axis=1)),
        ("the slice's shape has ints", lambda x: kops.slice(x, (0, 0), None)),
        (
            "indices are integers, but these are complex64",
            lambda x: kops.slice(x, kops.cast([0, 0], "complex64"), (1, 1)),
        ),
        ("an index is of integers or bools, not float32", lambda x: kops.get_item(x, kops.cast([0, 1], "float32"))),
    ],
)
def test_numbers_of_other_kinds_are_refused(words, call):
    with pytest.raises(TypeError, match=words):
        call(zeros(2, 3))


def test_masks_are_as_long_as_their_axis():
    for mask in ([], [True]):
        with pytest.raises(IndexError, match="does not fit axis 0 of length 2"):
            kops.get_item(zeros(2, 3), kops.cast(mask, "bool"))


def test_vectors_of_other_ranks_cross():
    a, b = np.random.default_rng(0).normal(size=(2, 4, 3)).astype("float32"), np.array([1, -2, 3], "float32")
    np.testing.assert_allclose(
        kops.convert_to_numpy(kops.cross(kops.array(a), kops.array(b))), np.cross(a, b), rtol=1e-5
    )


def test_bools_multiply_and_unsigned_numbers_count():
    x = kops.array([[2, 0, 1], [1, 3, 1]], "uint64")
    out = kops.prod(x, axis=1, dtype="bool")
    assert kops.convert_to_numpy(out).tolist() == [False, True] and specs_of(out) == [((2,), "bool")]
    running = kops.cumprod(x, axis=1, dtype="bool")
    assert kops.convert_to_numpy(running).tolist() == [[True, False, False], [True, True, True]]
    assert kops.convert_to_numpy(kops.count_nonzero(x, axis=[0, 1])) == 5


def test_squeezing_no_axis_changes_nothing():
    assert specs_of(kops.squeeze(zeros(2, 1, 3), axis=())) == [((2, 1, 3), "float32")]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_recorded_decompositions_of_complex_matrices(dtype):
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(2, 4, 3)) + 1j * rng.normal(size=(2, 4, 3))).astype(dtype)
    q, r = (kops.convert_to_numpy(y) for y in linalg_unrolled.qr(kops.array(x), "complete"))
    np.testing.assert_allclose(q @ r, x, atol=1e-5)
    np.testing.assert_allclose(np.swapaxes(q, 1, 2).conj() @ q, np.broadcast_to(np.eye(4), (2, 4, 4)), atol=1e-5)
    positive = np.swapaxes(x, 1, 2).conj() @ x
    for upper in (False, True):
        got = kops.convert_to_numpy(linalg_unrolled.cholesky(kops.array(positive), upper))
        want = np.linalg.cholesky(positive)
        np.testing.assert_allclose(got, np.swapaxes(want, 1, 2).conj() if upper else want, atol=1e-4)
