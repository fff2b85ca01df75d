"""The base of layers on engines that have no module class of their own."""

from __future__ import annotations


class LayerBase:
    """Nothing is needed."""
