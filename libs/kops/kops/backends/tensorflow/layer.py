"""What makes a layer trackable by TensorFlow (checkpoints, SavedModel), without its attribute tracking."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class LayerBase(tf.__internal__.tracking.Trackable):
    """Children are those that the layer itself finds: `_native_members()`."""

    def _native_members(self) -> Any:
        return ()

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = {}
        for name, member in self._native_members():
            children[name] = member.native if hasattr(member, "native") else member
        return children
