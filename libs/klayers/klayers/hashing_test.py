"""Hash functions against published and recorded values."""

import pytest

from klayers.hashing import bin_of, combine, fingerprint64, siphash

# Recorded from TensorFlow's to_hash_bucket_fast and to_hash_bucket_strong, whose C++ is the reference.
RECORDED = [
    (b"", 11160318154034397263, 1913067026855311907),
    (b"abc", 2640714258260161385, 5761552114707990823),
    (b"0123456789", 12467408821976941803, 5484949522274529726),
    (b"x" * 20, 8233088228747857348, 8178767381554916302),
    (b"y" * 40, 276292113409495006, 5206662265090921073),
    (b"z" * 70, 18331810285430482619, 17827401325882337510),
    (b"keras" * 40, 15430579799916393958, 12338667106255222707),
]


@pytest.mark.parametrize(("text", "plain", "keyed"), RECORDED)
def test_recorded_values(text, plain, keyed):
    assert fingerprint64(text) == plain
    assert siphash(text, (133, 133)) == keyed


def test_the_vector_of_the_siphash_paper():
    key = bytes(range(16))
    pair = (int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little"))
    assert siphash(bytes(range(15)), pair) == 0xA129CA6149BE45E5


def test_bins():
    assert bin_of("abc", 1000) == 385
    assert bin_of("abc", 1000, (133, 133)) == 823
    # tf.sparse.cross_hashed([[[1]], [["x"]]], 1000)
    assert combine(combine(0xDECAFCAFFE, 1), fingerprint64(b"x")) % 1000 == 859
