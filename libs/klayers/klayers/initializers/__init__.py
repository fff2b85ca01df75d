"""Initializers: how the first values of variables are made."""

from __future__ import annotations

from klayers.initializers.lookup import deserialize, get, serialize

__all__ = ["deserialize", "get", "serialize"]
