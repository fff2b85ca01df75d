"""NumPy as an engine: everything but gradients.

`kops.engine.Engine` lists what its `core` defines, name for name.
"""

from __future__ import annotations

from kops.backends.numpy.core import *  # noqa: F403
from kops.backends.numpy.gaps import GAPS
from kops.backends.numpy.table import SCALARS, TABLE


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    return TABLE.get(name)
