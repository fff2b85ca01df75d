from __future__ import annotations

import numpy as np
import pytest

from kops.engine import engine
from kquant.int4_packing import pack_int4, unpack_int4

A = np.array([[1, -2, 3], [4, -5, 6], [7, -8, 0]], "int8")
PACKED = {0: [[65, -66, 99], [7, 8, 0]], 1: [[-31, 3], [-76, 6], [-121, 0]]}


def given(x, native):
    return engine().convert(x, None) if native else x


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_pairs_along_an_axis(axis, native):
    packed, shape, size = pack_int4(given(A, native), axis=axis)
    assert shape == (3, 3) and size == 3
    np.testing.assert_array_equal(engine().to_numpy(packed) if native else packed, PACKED[axis % 2])
    back = unpack_int4(packed, size, axis=axis)
    np.testing.assert_array_equal(engine().to_numpy(back) if native else back, A)


@pytest.mark.parametrize(("dtype", "low"), [("int8", -8), ("uint8", 0)])
@pytest.mark.parametrize("native", [False, True])
def test_every_pair_comes_back(dtype, low, native):
    values = np.arange(low, low + 16)
    pairs = np.stack(np.meshgrid(values, values), -1).reshape(-1, 2).astype(dtype)
    packed, _, _ = pack_int4(given(pairs, native), axis=1, dtype=dtype)
    assert tuple(packed.shape) == (256, 1)
    back = unpack_int4(packed, 2, axis=1, dtype=dtype)
    back = engine().to_numpy(back) if native else back
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, pairs)


def test_other_dtypes_are_refused():
    with pytest.raises(TypeError, match="'int8' is expected, not 'int32'"):
        pack_int4(A.astype("int32"))
    with pytest.raises(ValueError, match="'int8' or 'uint8'"):
        pack_int4(A, dtype="int16")
