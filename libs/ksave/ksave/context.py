"""What holds for the load or save that is going on in this thread; the library's only context.

Layers call `serialize_keras_object` and `deserialize_keras_object` from inside `get_config` and
`from_config` without handing anything down, so the loader and its limits, the objects already seen and
the custom objects of `with` blocks travel here.
"""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Iterator

if TYPE_CHECKING:
    from ksave.deserialize import Loader
    from ksave.serialize import Sharing

custom_scopes: ContextVar[tuple[dict[str, Any], ...]] = ContextVar("custom_scopes", default=())
loader: ContextVar[Loader | None] = ContextVar("loader", default=None)
sharing: ContextVar[Sharing | None] = ContextVar("sharing", default=None)


@contextlib.contextmanager
def active(variable: ContextVar[Any], value: Any) -> Iterator[Any]:
    """Give `variable` this value inside the `with` block."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
