"""Fetching and loading official weight files."""

from __future__ import annotations

from typing import Any

from ksave import get_file


def load_pretrained(model: Any, weights: Any, base: str, file_name: str, file_hash: str | None = None) -> None:
    """Load weights into a model: from the official file for "imagenet", from a path, or none for None.

    Args:
        base: address of the folder of the official files.
        file_name: the file's name there and in the cache.
    """
    if weights is None:
        return
    path = weights
    if weights == "imagenet":
        path = get_file(file_name, base + file_name, cache_subdir="models", file_hash=file_hash)
    model.load_weights(path)
