from __future__ import annotations

import numpy as np
import pytest

from kops.engine import engine
from kquant.einsum_axes import axes_of

EQUATIONS = [
    ("abc,cd->abd", (2, 5, 4), (4, 3), (1, 1, 3)),
    ("abc,cde->abde", (2, 5, 4), (4, 2, 3), (1, 1, 2, 3)),
    ("abcd,cde->abe", (2, 5, 2, 3), (2, 3, 4), (1, 1, 4)),
    ("btd,ndh->bnth", (2, 5, 4), (2, 4, 3), (1, 2, 1, 3)),
    ("bnh,nhd->bd", (2, 3, 4), (3, 4, 5), (1, 5)),
    ("bnh,nhd->bnd", (2, 3, 4), (3, 4, 5), (1, 3, 5)),
    ("ab,b->ab", (2, 4), (4,), (1, 4)),
    ("ab,cb->ac", (2, 4), (3, 4), (1, 3)),
    ("...c,cd->...d", (2, 5, 4), (4, 3), (1, 1, 3)),
    ("ab...,bc->ac...", (2, 4, 5, 6), (4, 3), (1, 3, 1, 1)),
]


@pytest.mark.parametrize(("equation", "input_shape", "kernel_shape", "scale_shape"), EQUATIONS)
def test_scales_divide_out_of_the_product(equation, input_shape, kernel_shape, scale_shape):
    rng = np.random.default_rng(0)
    x = rng.integers(-127, 128, input_shape).astype("int8")
    kernel = rng.integers(-127, 128, kernel_shape).astype("int8")
    axes = axes_of(equation, input_rank=len(input_shape))
    assert axes.kernel_scale_shape(kernel_shape) == scale_shape

    exact = np.einsum(equation, x.astype("int64"), kernel.astype("int64"))
    e = engine()
    product = e.to_numpy(axes.product(e.convert(x, None), e.convert(kernel, None)))
    assert product.dtype == np.int32
    np.testing.assert_array_equal(product, exact)

    # Scales that differ along every axis that is kept: dividing before and after the product is the same.
    s = rng.uniform(1, 2, [1 if i in axes.input_reduced else n for i, n in enumerate(input_shape)])
    t = rng.uniform(1, 2, [1 if i in axes.kernel_reduced else n for i, n in enumerate(kernel_shape)])
    before = np.einsum(equation, x / s, kernel / t)
    after = exact / (
        axes.align(axes.input_reduced, axes.input_order, s) * axes.align(axes.kernel_reduced, axes.kernel_order, t)
    )
    np.testing.assert_allclose(after, before, rtol=1e-9)


def test_matrix_products_are_recognised():
    assert axes_of("abc,cde->abde", input_rank=3).is_matmul and axes_of("...c,cd->...d", input_rank=4).is_matmul
    assert not axes_of("ab,cb->ac", input_rank=2).is_matmul


def test_more_terms_than_float32_counts():
    # Engines whose integer product is slow multiply floats; 127 * 127 * 3001 is beyond 2**24.
    x = np.full((1, 3001), 127, "int8")
    x[0, 0] = 126
    e = engine()
    product = axes_of("ab,bc->ac", input_rank=2).product(
        e.convert(x, None), e.convert(np.full((3001, 1), 127, "int8"), None)
    )
    assert int(e.to_numpy(product)[0, 0]) == 127 * 127 * 3001 - 127
