"""TensorFlow as an engine.

`kops.engine.Engine` lists what its `core` defines, name for name.
"""

from __future__ import annotations

from kops.backends.carrying import carry
from kops.backends.sparse import select
from kops.backends.tensorflow.core import *  # noqa: F403
from kops.backends.tensorflow.eager import dtype_key
from kops.backends.tensorflow.gaps import GAPS
from kops.backends.tensorflow.graphs import graphed
from kops.backends.tensorflow.table import CARRIERS, LONG, SCALARS, TABLE


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    kernel = carry(CARRIERS, name, TABLE.get(name), arguments)
    if kernel is None or name in LONG:
        kernel = graphed(name, kernel) or kernel
    return select(name, kernel, arguments, "kops.backends.tensorflow.sparse")
