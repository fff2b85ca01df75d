"""PyTorch as an engine.

`kops.engine.Engine` lists what its `core` defines, name for name.
"""

from __future__ import annotations

from kops.backends.carrying import carry
from kops.backends.torch.core import *  # noqa: F403
from kops.backends.torch.gaps import GAPS
from kops.backends.torch.table import CARRIERS, SCALARS, TABLE
from kops.backends.torch.unsigned import select


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    return select(name, carry(CARRIERS, name, TABLE.get(name), arguments), arguments)
