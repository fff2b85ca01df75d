"""A slice of the search for disagreements (`tests/search.py` runs all of it)."""

from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest

from kops.conformance.agreement import disagreements
from kops.conformance.collect import rows
from kops.conformance.samples import samples, space
from kops.engine import engine

# One of so many samples; the engines that compile every shape anew do fewer.
EVERY = {"numpy": 401, "openvino": 601, "torch": 601, "tensorflow": 2003}.get(engine().NAME, 5003)
COMPILED = {"torch": 30, "numpy": 1}.get(engine().NAME, 10)
harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")


@pytest.mark.parametrize("part", range(4))
def test_everybody_says_the_same(part):
    found = []
    with np.errstate(all="ignore"):
        for i, sample in enumerate(itertools.islice(space(), part * EVERY, None, 4 * EVERY)):
            compiled = harness.compiled if i % COMPILED == 0 else None
            found += [f"{sample.name} {kind}: {words}" for kind, words in disagreements(sample, compiled)]
    assert not found, "\n".join(found)


def test_names_are_unique_and_the_same_again():
    row = rows()["elementwise.add"][0]
    names = [s.name for s in samples(row, 0)]
    assert names == [s.name for s in samples(row, 0)] and len(names) > 60
