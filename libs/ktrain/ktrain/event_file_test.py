from __future__ import annotations

import glob

import numpy as np
import pytest

from ktrain.event_file import EventFile, crc32c, histogram, scalar


def test_checksum_is_castagnolis():
    # Test vectors of RFC 3720, appendix B.4.
    assert crc32c(b"\0" * 32) == 0x8A9136AA
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_tensorflow_reads_what_is_written(tmp_path):
    tf = pytest.importorskip("tensorflow")
    file = EventFile(str(tmp_path))
    file.add(scalar("loss", 0.25), 3)
    file.add(histogram("w", np.arange(10.0)), 300)
    file.close()
    (path,) = glob.glob(str(tmp_path / "events*"))
    start, loss, weights = list(tf.compat.v1.train.summary_iterator(path))
    assert start.file_version == "brain.Event:2"
    assert loss.step == 3 and loss.summary.value[0].tag == "loss" and loss.summary.value[0].simple_value == 0.25
    histo = weights.summary.value[0].histo
    assert weights.step == 300 and histo.num == 10 and histo.sum == 45 and histo.max == 9 and sum(histo.bucket) == 10
