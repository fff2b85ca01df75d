"""JAX as an engine.

`kops.engine.Engine` lists what its `core` defines, name for name.
"""

from __future__ import annotations

from kops.backends.jax.core import *  # noqa: F403
from kops.backends.jax.gaps import GAPS
from kops.backends.jax.jitted import fuse, suits
from kops.backends.jax.table import SCALARS, TABLE
from kops.backends.sparse import select


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    return select(name, TABLE.get(name), arguments, "kops.backends.jax.sparse")
