"""Forgetting what this process has built so far."""

from __future__ import annotations

import gc

from kops.naming import reset_uids
from kops.scopes import clear_ambient
from kspec import public


@public("keras.utils.clear_session", "keras.backend.clear_session")
def clear_session(free_memory: bool = True) -> None:
    """Start automatic names anew and leave every open scope, as in a fresh process.

    Args:
        free_memory: also collect garbage, so that memory of models that nothing refers to is returned.
    """
    reset_uids()
    clear_ambient()
    if free_memory:
        gc.collect()
