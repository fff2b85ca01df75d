"""ContrastLimitedAdaptiveHistogramEqualization."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.layers.color_layer import ColorLayer, FreeTransformation
from klayers.layers.settings import config_of
from kops import windows
from kspec import public

_BINS = 256


@public("keras.layers.ContrastLimitedAdaptiveHistogramEqualization")
class ContrastLimitedAdaptiveHistogramEqualization(FreeTransformation, ColorLayer):
    """`Equalization` of each part of an image for itself, with a limit of the contrast; in inference as well.

    An image is divided into tiles. Each has a table from values to new values, and a pixel gets the mean of those of
    the four tiles around it, by distance.

    Args:
        value_range: the lowest and the highest value of a pixel.
        clip_limit: how many times as frequent as the average a value may count; what is above is spread over all.
        tile_grid_size: how many tiles, (rows, columns). Height and width are padded to multiples of it.
        data_format: "channels_last" or "channels_first", default as configured.

    Source: Zuiderveld, "Contrast limited adaptive histogram equalization", Graphics Gems IV, 1994.
    """

    _always = True

    def __init__(
        self,
        value_range: Any = (0, 255),
        clip_limit: float = 4.0,
        tile_grid_size: Any = (8, 8),
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, data_format=data_format, **kwargs)
        if clip_limit <= 0:
            raise ValueError(f"clip_limit must be positive, not {clip_limit!r}.")
        self.clip_limit = clip_limit
        self.tile_grid_size = windows.each(tile_grid_size, 2, "tile_grid_size")

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        x = images if self._first else kops.moveaxis(images, -1, -3)
        *outer, height, width = kops.shape(x)
        if not isinstance(height, int) or not isinstance(width, int):
            raise ValueError("This layer needs to know the height and width of the images.")
        rows, columns = self.tile_grid_size
        levels = kops.clip((kops.cast(x, "float32") - low) * ((_BINS - 1) / (high - low)), 0.0, _BINS - 1.0)
        levels = kops.reshape(kops.cast(levels, "int32"), (-1, height, width))
        below, beside = -height % rows, -width % columns
        padded = levels
        if below or beside:
            padded = kops.pad(levels, [[0, 0], [0, below], [0, beside]], mode="symmetric")
        tall, wide = (height + below) // rows, (width + beside) // columns
        tables = self._tables(padded, rows, columns, tall, wide)
        total: Any = 0.0
        for i, share_i in _neighbours(height, tall, rows):
            for j, share_j in _neighbours(width, wide, columns):
                tile = (i[:, None] * columns + j[None, :]) * _BINS
                place = kops.reshape(levels + kops.cast(tile, "int32"), (-1, height * width))
                found = kops.reshape(kops.take_along_axis(tables, place, axis=1), (-1, height, width))
                total = total + found * kops.cast((share_i[:, None] * share_j[None, :])[None], "float32")
        y = total * ((high - low) / (_BINS - 1)) + low
        y = kops.cast(kops.reshape(y, (*outer, height, width)), images.dtype)
        return y if self._first else kops.moveaxis(y, -3, -1)

    def _tables(self, levels: Any, rows: int, columns: int, tall: int, wide: int) -> Any:
        """New values of all values in all tiles, `(images, tiles * bins)`."""
        tiles = kops.reshape(levels, (-1, rows, tall, columns, wide))
        tiles = kops.reshape(kops.transpose(tiles, (0, 1, 3, 2, 4)), (-1, tall * wide))
        counts = kops.sum(kops.one_hot(tiles, _BINS, dtype="float32"), axis=1)
        limit = self.clip_limit * tall * wide / _BINS
        excess = kops.sum(kops.maximum(counts - limit, 0.0), axis=-1, keepdims=True)
        below = kops.cumsum(kops.minimum(counts, limit) + excess / _BINS, axis=-1)
        first, last = below[:, :1], below[:, -1:]
        table = (below - first) / kops.maximum(last - first, 1e-6) * (_BINS - 1.0)
        return kops.reshape(table, (-1, rows * columns * _BINS))

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **config_of(self, "clip_limit", "tile_grid_size")}
        del config["seed"]
        return config


def _neighbours(size: int, tile: int, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For every pixel along an axis the tile before it and the one after it, with their shares."""
    at = np.arange(size) / tile - 0.5
    before = np.floor(at)
    share = at - before
    return [
        (np.clip(before, 0, count - 1).astype("int32"), (1.0 - share).astype("float32")),
        (np.clip(before + 1, 0, count - 1).astype("int32"), share.astype("float32")),
    ]
